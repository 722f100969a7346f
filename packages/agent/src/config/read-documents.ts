import { dirname, join, resolve } from "node:path";
import { errorMessage } from "@landline/system/error-message";
import { configLimits } from "../limits.ts";
import { parseDocument, type ConfigDocument } from "./config-document.ts";
import { expandHome, type Places } from "./config-folders.ts";
import type { Problems } from "./config-problems.ts";
import { readTextFile } from "./text-file.ts";

/** The files of configuration, in the order in which they are merged: later ones win. */
export async function readDocuments(
  places: Places,
  environment: Readonly<Record<string, string | undefined>>,
  problems: Problems,
): Promise<{ own: ConfigDocument[]; project: ConfigDocument[]; last: ConfigDocument[] }> {
  const own = await readOwn(places, problems);
  const project: ConfigDocument[] = [];
  for (const folder of places.folders) project.push(...(await readProjectFolder(folder, problems)));
  return { own, project, last: await readNamed(places, environment, problems) };
}

async function readOwn(places: Places, problems: Problems): Promise<ConfigDocument[]> {
  const ours = await readFirst(
    ["agent.jsonc", "agent.json"],
    places.ours,
    { owner: "person" },
    problems,
  );
  if (ours !== null) return [ours];
  const theirs = await readFirst(
    opencodeNames,
    places.opencode,
    { owner: "person", dialect: "opencode" },
    problems,
  );
  return theirs === null ? [] : [theirs];
}

const opencodeNames = ["opencode.jsonc", "opencode.json"];

/** Files of ours in a folder end the search: opencode's are read only where there is none. */
async function readProjectFolder(folder: string, problems: Problems): Promise<ConfigDocument[]> {
  const about = { owner: "project", base: folder } as const;
  const ours = [
    await readFirst(["landline.jsonc", "landline.json"], folder, about, problems),
    await readFirst(["agent.jsonc", "agent.json"], join(folder, ".landline"), about, problems),
  ].filter((document) => document !== null);
  if (ours.length > 0) return ours;
  const theirs = { ...about, dialect: "opencode" } as const;
  return [
    await readFirst(opencodeNames, folder, theirs, problems),
    await readFirst(opencodeNames, join(folder, ".opencode"), theirs, problems),
  ].filter((document) => document !== null);
}

async function readNamed(
  places: Places,
  environment: Readonly<Record<string, string | undefined>>,
  problems: Problems,
): Promise<ConfigDocument[]> {
  const documents: (ConfigDocument | null)[] = [];
  const named = environment["LANDLINE_AGENT_CONFIG"];
  if (named) {
    const path = resolve(places.cwd, expandHome(named, places.home));
    const document = await readOne(path, { owner: "person" }, problems);
    if (document === "missing") {
      problems.add({ file: path }, "is named by LANDLINE_AGENT_CONFIG and is not there.");
    } else documents.push(document);
  }
  const content = environment["LANDLINE_AGENT_CONFIG_CONTENT"];
  if (content) {
    const about = { file: "LANDLINE_AGENT_CONFIG_CONTENT", folder: places.cwd, base: places.cwd };
    documents.push(
      parseDocument(content, { ...about, owner: "person", dialect: "landline" }, problems),
    );
  }
  return documents.filter((document) => document !== null);
}

type About = Pick<ConfigDocument, "owner"> & Partial<Pick<ConfigDocument, "base" | "dialect">>;

/** The first of the names that is there. A second one is named as ignored. */
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
