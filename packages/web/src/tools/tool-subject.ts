import {
  recordOf,
  filledStringOf,
  type RawUpdate,
  blobOf,
  type TerminalView,
  type ToolCallItem,
} from "@landline/protocol";
import { shellLine, shellWord } from "@landline/system/shell-words";
import { firstOf, listOf, stringsOf, type LongText } from "./raw-values.ts";

/** What a call is about, from the fields that agents use. */
export type ToolSubject =
  | {
      readonly type: "command";
      readonly line: LongText;
      /** Null if the agent does not send it: then it is the session's folder. */
      readonly cwd: string | null;
      readonly variables: readonly string[];
    }
  | { readonly type: "files"; readonly files: readonly SubjectFile[] }
  | { readonly type: "address"; readonly url: string }
  | { readonly type: "query"; readonly text: string; readonly where: string | null }
  | { readonly type: "none" };

export interface SubjectFile {
  readonly path: string;
  readonly line: number | null;
}

/** The fields that tool calls and permission requests share. */
export type SubjectCall = Pick<
  ToolCallItem,
  "title" | "kind" | "content" | "locations" | "rawInput"
>;

export function toolSubject(call: SubjectCall, terminal?: TerminalView): ToolSubject {
  const input = recordOf(call.rawInput);
  return (
    commandOf(call, input, terminal) ??
    addressOf(call, input) ??
    queryOf(call, input) ??
    filesOf(call, input) ?? { type: "none" }
  );
}

/** Kinds that may run a command; in other kinds `command` means something else. */
const running: ReadonlySet<string> = new Set(["execute", "other", ""]);
const folderFields = ["cwd", "workdir", "working_directory", "workingDirectory", "directory"];

function commandOf(
  call: SubjectCall,
  input: RawUpdate | null,
  terminal: TerminalView | undefined,
): ToolSubject | null {
  if (!running.has(call.kind)) return null;
  const cwd = firstOf(input, folderFields, filledStringOf) ?? filledStringOf(terminal?.cwd);
  const line = input === null ? null : lineOf(input);
  if (line !== null) {
    return { type: "command", line, cwd, variables: variablesOf(input?.["env"]) };
  }
  if (terminal !== undefined && terminal.command !== "") {
    const words = withoutShell([terminal.command, ...terminal.args]);
    return { type: "command", line: words, cwd, variables: [] };
  }
  if (call.kind !== "execute") return null;
  const title = titleCommand(call.title);
  return title === "" ? null : { type: "command", line: title, cwd, variables: [] };
}

function lineOf(input: RawUpdate): LongText | null {
  const names = ["command", "cmd", "script"];
  const long = firstOf(input, names, blobOf);
  if (long !== null) return long;
  const command = firstOf(input, names, (value) => filledStringOf(value) ?? stringsOf(value));
  if (command === null) return null;
  const args = stringsOf(input["args"]);
  if (typeof command !== "string") return withoutShell(command);
  return args === null ? command : withoutShell([command, ...args]);
}

/** `["bash", "-lc", "npm test"]` is the line `npm test`. A single word may be a whole line. */
function withoutShell(words: readonly string[]): string {
  const [shell = "", flag = "", line] = words;
  const isShell = /(?:^|\/)(?:ba|z|da|k)?sh$/u.test(shell) && /^-l?c$/u.test(flag);
  if (isShell && line !== undefined && words.length === 3) return line;
  return words.length === 1 ? shell : shellLine(words);
}

/** "`npm test`" and "Shell: npm test" are titles that agents send. */
export function titleCommand(title: string): string {
  const bare = /^`+([^`]+)`+$/u.exec(title.trim())?.[1] ?? title.trim();
  return /^(?:shell|bash|run|execute): +(.+)$/isu.exec(bare)?.[1] ?? bare;
}

function variablesOf(env: unknown): readonly string[] {
  const entries = Array.isArray(env)
    ? env.map((entry) => [recordOf(entry)?.["name"], recordOf(entry)?.["value"]] as const)
    : Object.entries(recordOf(env) ?? {});
  return entries.flatMap(([name, value]) =>
    typeof name === "string" && typeof value === "string" ? [`${name}=${shellWord(value)}`] : [],
  );
}

function addressOf(call: SubjectCall, input: RawUpdate | null): ToolSubject | null {
  const url =
    firstOf(input, ["url", "uri", "address"], filledStringOf) ??
    filledStringOf(listOf(input?.["urls"])[0]);
  if (url !== null && /^https?:/iu.test(url)) return { type: "address", url };
  if (call.kind !== "fetch") return null;
  const inTitle = /https?:\/\/\S+/iu.exec(call.title)?.[0];
  return inTitle === undefined ? null : { type: "address", url: inTitle };
}

const queryFields = ["pattern", "query", "regex", "glob", "search", "q", "search_term", "text"];

function queryOf(call: SubjectCall, input: RawUpdate | null): ToolSubject | null {
  if (call.kind !== "search" && call.kind !== "fetch") return null;
  const text = firstOf(input, queryFields, filledStringOf);
  if (text === null) return null;
  return {
    type: "query",
    text,
    where: firstOf(input, ["path", "dir", ...folderFields], filledStringOf),
  };
}

const pathFields = [
  "path",
  "file_path",
  "filePath",
  "filepath",
  "absolute_path",
  "notebook_path",
  "target_file",
  "file",
  "filename",
  "source",
  "source_path",
  "old_path",
  "destination",
  "destination_path",
  "new_path",
];

function filesOf(call: SubjectCall, input: RawUpdate | null): ToolSubject | null {
  const files = new Map<string, SubjectFile>();
  const add = (path: string | null, line: number | null = null) => {
    if (path === null || (files.get(path)?.line ?? null) !== null) return;
    files.set(path, { path, line });
  };
  for (const entry of call.content) if (entry.type === "diff") add(entry.path);
  for (const { path, line } of call.locations) add(path, line ?? null);
  for (const field of pathFields) add(filledStringOf(input?.[field]));
  for (const path of [...listOf(input?.["paths"]), ...listOf(input?.["files"])]) {
    add(filledStringOf(path) ?? firstOf(recordOf(path), pathFields, filledStringOf));
  }
  // Codex sends the changes by path.
  for (const [path, change] of Object.entries(recordOf(input?.["changes"]) ?? {})) {
    if (recordOf(change) !== null) add(path);
  }
  for (const path of patchPaths(input)) add(path);
  const found = [...files.values()].filter(({ path }) => !isTail(path, files));
  return found.length === 0 ? null : { type: "files", files: found };
}

/** Limits the pairwise comparison to as many files as a person would read. */
const comparedMost = 200;

/** Whether the path is the end of another one, so that both name the same file. */
function isTail(path: string, files: ReadonlyMap<string, SubjectFile>): boolean {
  if (path.startsWith("/") || files.size > comparedMost) return false;
  return files.keys().some((other) => other.endsWith(`/${path}`));
}

const patchHeader = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/gmu;

function patchPaths(input: RawUpdate | null): string[] {
  const patch = firstOf(input, ["patchText", "patch", "input"], filledStringOf);
  if (patch === null) return [];
  return [...patch.slice(0, 200_000).matchAll(patchHeader)].map((match) => match[1] ?? "");
}
