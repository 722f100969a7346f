import { dirname, join, resolve } from "node:path";
import { errorMessage } from "@landline/system/error-message";
import { configLimits } from "../limits.ts";
import { parseDocument, type ConfigDocument } from "./config-document.ts";
import { expandPattern, type ConfigLocations } from "./config-folders.ts";
import type { Problems } from "./config-problems.ts";
import { readTextFile } from "./text-file.ts";

/** Reads the configuration files in the order in which they are merged. Later ones win. */
export async function readDocuments(
  locations: ConfigLocations,
  environment: Readonly<Record<string, string | undefined>>,
  problems: Problems,
): Promise<{ own: ConfigDocument[]; project: ConfigDocument[]; last: ConfigDocument[] }> {
  const own = await readOwn(locations, problems);
  const project: ConfigDocument[] = [];
  for (const folder of locations.folders)
    project.push(...(await readProjectFolder(folder, problems)));
  return { own, project, last: await readNamed(locations, environment, problems) };
}

async function readOwn(locations: ConfigLocations, problems: Problems): Promise<ConfigDocument[]> {
  const landline = await readFirst(
    ["agent.jsonc", "agent.json"],
    locations.landline,
    { owner: "person" },
    problems,
  );
  if (landline !== null) return [landline];
  const theirs = await readFirst(
    opencodeNames,
    locations.opencode,
    { owner: "person", dialect: "opencode" },
    problems,
  );
  return theirs === null ? [] : [theirs];
}

const opencodeNames = ["opencode.jsonc", "opencode.json"];

/** opencode's files are read only in folders without Landline's. */
async function readProjectFolder(folder: string, problems: Problems): Promise<ConfigDocument[]> {
  const about = { owner: "project", base: folder } as const;
  const landline = [
    await readFirst(["landline.jsonc", "landline.json"], folder, about, problems),
    await readFirst(["agent.jsonc", "agent.json"], join(folder, ".landline"), about, problems),
  ].filter((document) => document !== null);
  if (landline.length > 0) return landline;
  const theirs = { ...about, dialect: "opencode" } as const;
  return [
    await readFirst(opencodeNames, folder, theirs, problems),
    await readFirst(opencodeNames, join(folder, ".opencode"), theirs, problems),
  ].filter((document) => document !== null);
}

async function readNamed(
  locations: ConfigLocations,
  environment: Readonly<Record<string, string | undefined>>,
  problems: Problems,
): Promise<ConfigDocument[]> {
  const documents: (ConfigDocument | null)[] = [];
  const named = environment["LANDLINE_AGENT_CONFIG"];
  if (named) {
    const path = resolve(locations.cwd, expandPattern(named, locations.home));
    const document = await readOne(path, { owner: "person" }, problems);
    if (document === "missing") {
      problems.add({ file: path }, "is named by LANDLINE_AGENT_CONFIG but does not exist.");
    } else documents.push(document);
  }
  const content = environment["LANDLINE_AGENT_CONFIG_CONTENT"];
  if (content) {
    const about = {
      file: "LANDLINE_AGENT_CONFIG_CONTENT",
      folder: locations.cwd,
      base: locations.cwd,
    };
    documents.push(
      parseDocument(content, { ...about, owner: "person", dialect: "landline" }, problems),
    );
  }
  return documents.filter((document) => document !== null);
}

type About = Pick<ConfigDocument, "owner"> & Partial<Pick<ConfigDocument, "base" | "dialect">>;

/** The first existing file of the names. A second one is reported as ignored. */
async function readFirst(
  names: readonly string[],
  folder: string,
  about: About,
  problems: Problems,
): Promise<ConfigDocument | null> {
  let first: { path: string; document: ConfigDocument | null } | null = null;
  for (const name of names) {
    const path = join(folder, name);
    if (first === null) {
      const document = await readOne(path, about, problems);
      if (document !== "missing") first = { path, document };
    } else if ((await readOne(path, about, null)) !== "missing") {
      problems.add(
        { file: path },
        `is not read, because ${first.path} is there. Keep one of the two.`,
      );
    }
  }
  return first?.document ?? null;
}

async function readOne(
  path: string,
  about: About,
  problems: Problems | null,
): Promise<ConfigDocument | null | "missing"> {
  const folder = dirname(path);
  const whole = { file: path, folder, base: folder, dialect: "landline", ...about } as const;
  try {
    const file = await readTextFile(path, configLimits.fileBytes);
    if (file === null) return "missing";
    if (problems === null) return null;
    if (file.cut) throw new Error(`it is larger than ${configLimits.fileBytes} bytes`);
    return parseDocument(file.text, whole, problems);
  } catch (error) {
    problems?.add({ file: path }, `was left out: ${errorMessage(error)}.`);
    return null;
  }
}
