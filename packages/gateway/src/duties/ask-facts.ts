import type { ToolCallUpdate } from "@agentclientprotocol/sdk";
import type { DutyContext } from "./duty.ts";
import { pathFacts, realOf } from "./real-path.ts";
import type { AskFacts, CommandFacts, PathFacts } from "./rule.ts";

type RawRecord = Readonly<Record<string, unknown>>;

export interface FactsOptions {
  /** For agents that give a command as the title of its call and nowhere else. */
  readonly titleIsCommand: boolean;
}

/** What rules are held against, read off a tool call. Everything in it is the agent's word. */
export async function askFacts(
  context: DutyContext,
  toolCall: ToolCallUpdate,
  options: FactsOptions,
): Promise<AskFacts> {
  const rawInput = recordOf(toolCall.rawInput);
  const named = [...new Set(pathsOf(toolCall))];
  const followed = await Promise.all(
    named.slice(0, context.limits.askPaths).map((path) => pathFacts(path, context.cwd)),
  );
  const paths = followed.filter((path): path is PathFacts => path !== null);
  return {
    sessionId: context.sessionId,
    agent: context.agent,
    cwd: await realFolder(context.cwd),
    roots: await Promise.all(context.roots.map(realFolder)),
    closed: await Promise.all((context.closed ?? []).map(realFolder)),
    toolKind: stringOf(toolCall.kind),
    toolName: stringOf(toolCall.name),
    command: await commandOf(context, toolCall, rawInput, options),
    paths,
    ...hostsOf(rawInput),
    arePathsKnown: paths.length === named.length,
  };
}

/** Paths are compared with symlinks resolved, so folders are too. */
async function realFolder(folder: string): Promise<string> {
  return (await realOf(folder)) ?? folder;
}

/** Kinds that may run something; `command` means other things in the rest. */
const running: ReadonlySet<unknown> = new Set(["execute", "other", null, undefined]);

/** The command that a call says it runs, if it says. */
export function commandLine(toolCall: ToolCallUpdate): string | readonly string[] | null {
  const rawInput = recordOf(toolCall.rawInput);
  return running.has(toolCall.kind) && rawInput !== null ? lineOf(rawInput) : null;
}

async function commandOf(
  context: DutyContext,
  toolCall: ToolCallUpdate,
  rawInput: RawRecord | null,
  { titleIsCommand }: FactsOptions,
): Promise<CommandFacts | null> {
  if (!running.has(toolCall.kind)) return null;
  const line = commandLine(toolCall);
  if (rawInput !== null && line !== null) {
    const cwd = first(rawInput, ["cwd", "workdir", "working_directory", "directory"], stringOf);
    const real = cwd === null ? null : await folderOf(context, cwd);
    return { line, cwd: real, isWhole: !hasVariables(rawInput) };
  }
  if (toolCall.kind !== "execute") return null;
  const isTitle = titleIsCommand && rawInput === null;
  return { line: stringOf(toolCall.title) ?? "", cwd: null, isWhole: isTitle };
}

/** A folder that can't be followed is in no project. */
async function folderOf(context: DutyContext, cwd: string): Promise<string> {
  return (await pathFacts(cwd, context.cwd))?.real ?? "";
}

function lineOf(rawInput: RawRecord): string | readonly string[] | null {
  const command = first(rawInput, ["command", "cmd"], (value) => stringOf(value) ?? wordsOf(value));
  const args = wordsOf(rawInput["args"]);
  if (typeof command !== "string") return command === null ? null : withoutShell(command);
  return args === null || args.length === 0 ? command : withoutShell([command, ...args]);
}

/** `["bash", "-lc", "npm test"]` is the line `npm test`; what a file of that name elsewhere does, nobody knows. */
function withoutShell(words: readonly string[]): string | readonly string[] {
  const [shell = "", flag = "", line] = words;
  const isShell =
    /^(?:(?:\/usr(?:\/local)?|\/opt\/homebrew)?\/bin\/)?(?:ba|z|da|k)?sh$/.test(shell) &&
    /^-l?c$/.test(flag);
  return isShell && line !== undefined && words.length === 3 ? line : words;
}

const variableFields = ["env", "environment"];

/** In whatever shape they are given: what is not seen to be empty may change what the command does. */
function hasVariables(rawInput: RawRecord): boolean {
  return variableFields.some((field) => {
    const given = rawInput[field];
    if (given === undefined || given === null || given === "") return false;
    return typeof given !== "object" || Object.keys(given).length > 0;
  });
}

const pathFields = [
  "path",
  "file_path",
  "filePath",
  "absolute_path",
  "notebook_path",
  "target_file",
  "source",
  "source_path",
  "destination",
  "destination_path",
  "old_path",
  "new_path",
];

/** The paths that a call names, as they are written there. */
export function* pathsOf(toolCall: ToolCallUpdate): Generator<string> {
  const rawInput = recordOf(toolCall.rawInput);
  for (const location of listOf(toolCall.locations)) yield* textOf(recordOf(location)?.["path"]);
  for (const item of listOf(toolCall.content)) {
    const content = recordOf(item);
    if (content?.["type"] === "diff") yield* textOf(content["path"]);
  }
  for (const field of pathFields) yield* textOf(rawInput?.[field]);
  for (const path of listOf(rawInput?.["paths"])) yield* textOf(path);
}

function hostsOf(rawInput: RawRecord | null): Pick<AskFacts, "hosts" | "areHostsKnown"> {
  const urls = rawInput?.["urls"] ?? [];
  const isList = Array.isArray(urls);
  const given = [rawInput?.["url"], rawInput?.["uri"], ...(isList ? listOf(urls) : [urls])];
  const read = given.filter((url) => url !== undefined && url !== null).map(hostOf);
  const hosts = new Set(read.filter((host) => host !== null));
  // A text in place of a list may hold more addresses than the one that it begins with.
  return { hosts: [...hosts], areHostsKnown: isList && !read.includes(null) };
}

/**
 * As the one who fetches understands it: no user name before it can pass for one, and a dot at its end leads to the
 * same place.
 */
function hostOf(url: unknown): string | null {
  const parsed = typeof url === "string" ? URL.parse(url) : null;
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return null;
  return parsed.host.replace(/\.(?=$|:\d+$)/, "");
}

/** Written as addresses have it. Patterns and usual ports are none: addresses would not match them. */
export function isHost(text: string): boolean {
  const isWhole = ["http", "https"].every((scheme) => hostOf(`${scheme}://${text}`) === text);
  return isWhole && !text.includes("*");
}

export const hostWords =
  "must be a host, such as example.com or localhost:8080, without the ports 80 and 443";

function* textOf(value: unknown): Generator<string> {
  if (typeof value === "string") yield value;
}

function first<Found>(
  record: RawRecord,
  names: readonly string[],
  read: (value: unknown) => Found | null,
): Found | null {
  for (const name of names) {
    const found = read(record[name]);
    if (found !== null) return found;
  }
  return null;
}

function recordOf(value: unknown): RawRecord | null {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as RawRecord)
    : null;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function stringOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function wordsOf(value: unknown): readonly string[] | null {
  const isWords = Array.isArray(value) && value.every((word) => typeof word === "string");
  return isWords ? value : null;
}
