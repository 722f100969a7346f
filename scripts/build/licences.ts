import { readdir, readFile } from "node:fs/promises";
import * as path from "node:path";

/** The licence texts that must accompany the packages in the bundle. */
export async function licencesOf(modules: Iterable<string>): Promise<string> {
  const folders = new Set([...modules].flatMap((id) => packageFolder(id) ?? []));
  const texts = await Promise.all([...folders].sort().map(licenceOf));
  return texts.join(`\n${"-".repeat(100)}\n\n`);
}

const ownLicence = path.join(import.meta.dirname, "../../LICENSE");
const mitLicence = path.join(import.meta.dirname, "mit.txt");

function packageFolder(id: string): string | undefined {
  return /^.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+/.exec(id)?.[0];
}

async function licenceOf(folder: string): Promise<string> {
  const { name, version, license, author } = JSON.parse(
    await readFile(path.join(folder, "package.json"), "utf8"),
  ) as Record<string, string>;
  const files = (await readdir(folder)).filter((file) =>
    /^(?:licen[cs]e|notice|copying)/i.test(file),
  );
  const read = files.map((file) => readFile(path.join(folder, file), "utf8"));
  const texts = read.length > 0 ? await Promise.all(read) : await knownText(license, author);
  if (texts === null) throw new Error(`${name} ${version} contains no licence text.`);
  return [`${name} ${version} (${license})`, "", ...texts.map((text) => text.trim()), ""].join(
    "\n",
  );
}

/** Standard texts for packages without a licence file. MIT also requires the name of the author. */
async function knownText(
  license: string | undefined,
  author: string | undefined,
): Promise<readonly string[] | null> {
  if (license === "Apache-2.0") return [await readFile(ownLicence, "utf8")];
  if (license === "Unlicense") return ["Released into the public domain."];
  if (license !== "MIT" || typeof author !== "string") return null;
  return [`Copyright (c) ${author}\n\n${await readFile(mitLicence, "utf8")}`];
}
