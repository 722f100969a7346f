import { readdir, readFile } from "node:fs/promises";
import * as path from "node:path";

/** What the licences of the packages in the bundle want told wherever their code goes. */
export async function licencesOf(modules: Iterable<string>): Promise<string> {
  const folders = new Set([...modules].flatMap((id) => packageFolder(id) ?? []));
  const texts = await Promise.all([...folders].sort().map(licenceOf));
  return texts.join(`\n${"-".repeat(100)}\n\n`);
}

const ownLicence = path.join(import.meta.dirname, "../../LICENSE");

function packageFolder(id: string): string | undefined {
  return /^.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+/.exec(id)?.[0];
}

async function licenceOf(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(
    await readFile(path.join(folder, "package.json"), "utf8"),
  ) as Record<string, string>;
  const files = (await readdir(folder)).filter((file) =>
    /^(?:licen[cs]e|notice|copying)/i.test(file),
  );
  const places = files.map((file) => path.join(folder, file));
  // The same text for all that have it, and ours has it.
  if (files.length === 0 && license === "Apache-2.0") places.push(ownLicence);
  if (places.length === 0)
    throw new Error(`${name} ${version} comes without the text of its licence.`);
  const texts = await Promise.all(places.map((file) => readFile(file, "utf8")));
  return [`${name} ${version} (${license})`, "", ...texts.map((text) => text.trim()), ""].join(
    "\n",
  );
}
