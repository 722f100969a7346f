import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { configLimits } from "../limits.ts";
import { isRecord } from "@landline/system/json";
import { errorMessage } from "@landline/system/error-message";
import type { Problems } from "./config-problems.ts";
import { isMissing, readTextFile } from "./text-file.ts";

/** Maximum commands or agents below one folder. Further ones are dropped with a problem. */
const filesMax = 500;
/** Maximum folder depth. Deeper files are ignored. */
const depthMax = 4;

/** A Markdown file with front matter, the format of agents and commands. */
export interface MarkdownFile {
  path: string;
  /** Its path below the folder without `.md`, with `:` as separator. */
  name: string;
  front: Record<string, unknown>;
  body: string;
}

/** All Markdown files below a folder, sorted by name. Empty when there is no such folder. */
export async function readMarkdownFolder(
  folder: string,
  problems: Problems,
): Promise<MarkdownFile[]> {
  const paths = await findMarkdown(folder, [], problems);
  if (paths.length > filesMax) {
    problems.add({ file: folder }, `holds more than ${filesMax} files. The rest was left out.`);
  }
  const files: MarkdownFile[] = [];
  for (const parts of paths.slice(0, filesMax)) {
    const file = await readMarkdown(
      join(folder, ...parts),
      parts.join(":").slice(0, -".md".length),
      problems,
    );
    if (file !== null) files.push(file);
  }
  return files;
}

async function findMarkdown(
  folder: string,
  below: readonly string[],
  problems: Problems,
): Promise<string[][]> {
  const entries = await readdir(join(folder, ...below), { withFileTypes: true }).catch(
    (error: unknown) => {
      if (!isMissing(error))
        problems.add({ file: folder }, `can't be read (${errorMessage(error)}).`);
      return [];
    },
  );
  const found: string[][] = [];
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const parts = [...below, entry.name];
    if (entry.isDirectory() && parts.length < depthMax) {
      found.push(...(await findMarkdown(folder, parts, problems)));
    } else if (entry.name.endsWith(".md") && !entry.isDirectory()) {
      found.push(parts);
    }
    if (found.length > filesMax) break;
  }
  return found;
}

async function readMarkdown(
  path: string,
  name: string,
  problems: Problems,
): Promise<MarkdownFile | null> {
  try {
    const file = await readTextFile(path, configLimits.fileBytes);
    if (file === null) return null;
    if (file.cut) throw new Error(`it is larger than ${configLimits.fileBytes} bytes`);
    return { path, name, ...(await splitFrontMatter(file.text)) };
  } catch (error) {
    problems.add({ file: path }, `was left out: ${errorMessage(error).split("\n")[0]}`);
    return null;
  }
}

async function splitFrontMatter(
  text: string,
): Promise<{ front: Record<string, unknown>; body: string }> {
  const match = /^\uFEFF?---[ \t]*\r?\n(?<front>[\s\S]*?)(?:^|\r?\n)---[ \t]*(?:\r?\n|$)/.exec(
    text,
  );
  if (match === null) return { front: {}, body: text.trim() };
  const { parse } = await import("yaml");
  // These options refuse exponential aliases and custom tags such as `!!js`.
  const front: unknown = parse(match.groups?.["front"] ?? "", {
    maxAliasCount: 10,
    schema: "core",
  });
  if (front !== null && !isRecord(front))
    throw new Error("its front matter must be `key: value` lines");
  return { front: front ?? {}, body: text.slice(match[0].length).trim() };
}
