import { stripVTControlCharacters } from "node:util";
import {
  blobOf,
  type Block,
  type SessionView,
  type TerminalView,
  type ToolCallItem,
} from "@landline/protocol";
import { maskSecrets } from "../../telemetry/mask-secrets.ts";
import { diffText } from "../../diff-text.ts";
import {
  blockParts,
  checklist,
  code,
  json,
  leftOut,
  remark,
  textParts,
  type Fact,
  type Part,
} from "./parts.ts";

const states: Readonly<Record<string, string>> = {
  completed: "done",
  in_progress: "running",
  pending: "waiting",
  cancelled: "stopped",
  unfinished: "not finished",
};

/** For example "edit, done, src/a.ts:10": what the title omits. */
export function toolNote(item: ToolCallItem, { session, subagents }: SessionView): string {
  const { title, kind, status, ended, locations, subagent } = item;
  const { cwd } = session;
  const hasPart = subagents.some(({ key, items }) => key === subagent && items.length > 0);
  const places = locations
    .filter(({ path }) => path !== cwd)
    .map(({ path, line }) => ({ path: below(cwd, path), line }))
    .filter(({ path }) => !title.includes(path))
    .map(({ path, line }) => (line ? `${path}:${line}` : path));
  const state = ended ?? status;
  return [
    ...(kind === "other" ? [] : [kind.replaceAll("_", " ")]),
    states[state] ?? state.replaceAll("_", " "),
    ...places,
    ...(hasPart ? ["by a subagent, under its own heading"] : []),
  ].join(", ");
}

export function toolParts(item: ToolCallItem, view: SessionView): readonly Part[] {
  const { cwd } = view.session;
  const content = item.content.flatMap((entry): readonly Part[] => {
    switch (entry.type) {
      case "content":
        return contentParts(entry.content);
      case "diff":
        return diffParts(entry, cwd);
      case "terminal":
        return terminalParts(
          view.terminals.find(({ terminalId }) => terminalId === entry.terminalId),
        );
      default:
        return json(entry);
    }
  });
  const input = inputParts(item, cwd);
  // The output of a to-do tool repeats the list.
  const isTold = content.length > 0 || input.some(({ type }) => type === "checklist");
  return [...input, ...(isTold ? content : rawParts(item.rawOutput))];
}

function contentParts(block: Block): readonly Part[] {
  const isText = block.type === "text" && !block.blob;
  return isText ? textParts(block.text, outputParts) : blockParts(block);
}

/** Many agents put a fence around their output, which is not doubled. */
function outputParts(text: string): readonly Part[] {
  const lines = text.trim().split("\n");
  const fence = /^(`{3,})([\w+-]*)$/.exec(lines[0] ?? "");
  const inner = lines.slice(1, -1);
  const isFenced =
    fence !== null && lines.at(-1) === fence[1] && !inner.some((line) => line.startsWith("```"));
  return isFenced
    ? code(inner.join("\n"), fence[2])
    : code(stripVTControlCharacters(text).replace(/^(?:[^\S\n]*\n)+/, ""));
}

function rawParts(value: unknown): readonly Part[] {
  if (value === undefined || value === null) return [];
  const blob = blobOf(value);
  if (blob) return [leftOut(blob)];
  return typeof value === "string" ? outputParts(value) : json(value);
}

interface Diff {
  readonly path: string;
  readonly oldText?: unknown;
  readonly newText: unknown;
}

/** Both texts come from the agent, so this is the change that it claims. */
function diffParts({ path, oldText, newText }: Diff, cwd: string): readonly Part[] {
  const name = below(cwd, path);
  const blob = blobOf(newText) ?? blobOf(oldText);
  if (blob) return [{ type: "facts", facts: [["Changed", name]] }, leftOut(blob)];
  const before = typeof oldText === "string" ? oldText : null;
  const text = diffText(name, before, typeof newText === "string" ? newText : "");
  return text === "" ? remark(`${name} was not changed.`) : code(text, "diff");
}

function terminalParts(terminal: TerminalView | undefined): readonly Part[] {
  if (!terminal) return remark("The output of a command is omitted here.");
  const { command, args, text, truncated, exit } = terminal;
  const output = stripVTControlCharacters(text);
  // Mask while the arguments are a list, in which a flag and its value are recognizable.
  const words = maskSecrets([command, ...args]) as readonly string[];
  const { exitCode = null, signal = null } = exit ?? {};
  return [
    ...(truncated ? remark("The oldest output is omitted here.") : []),
    ...code(`$ ${lineOf(words)}\n${output}`),
    ...(signal === null ? [] : remark(`It was ended by ${signal}.`)),
    ...(exitCode === null || exitCode === 0 ? [] : remark(`It failed with exit code ${exitCode}.`)),
  ];
}

/** `["/bin/sh", "-c", "npm test"]` is the line `npm test`. */
function lineOf(words: readonly string[]): string {
  const [shell = "", flag = "", line] = words;
  const isShell = /(?:^|\/)\w*sh$/.test(shell) && /^-l?c$/.test(flag);
  return isShell && line !== undefined && words.length === 3 ? line : words.join(" ");
}

const shortLength = 200;

/** Short values on one line, long ones below. Values that a diff shows are omitted. */
function inputParts({ rawInput, title, content }: ToolCallItem, cwd: string): readonly Part[] {
  const input = maskSecrets(rawInput);
  if (typeof input !== "object" || Array.isArray(input) || blobOf(input)) return rawParts(input);
  const hasDiff = content.some(({ type }) => type === "diff");
  const facts: Fact[] = [];
  const long: Part[] = [];
  for (const [name, value] of Object.entries(input ?? {}) as [string, unknown][]) {
    if (isNothing(value)) continue;
    if (typeof value !== "object") {
      const text = typeof value === "string" ? below(cwd, value) : JSON.stringify(value);
      if (text.length > 2 && title.includes(text)) continue;
      if (text.length <= shortLength && !text.includes("\n")) facts.push([name, text]);
      else if (!hasDiff) long.push({ type: "code", label: name, language: "", text });
      continue;
    }
    const blob = blobOf(value);
    if (blob) long.push({ type: "facts", facts: [[name, "…"]] }, leftOut(blob));
    else if (!hasDiff) long.push(checklist(value) ?? { ...jsonPart(value), label: name });
  }
  return [...(facts.length === 0 ? [] : [{ type: "facts" as const, facts }]), ...long];
}

function isNothing(value: unknown): boolean {
  if (value === null || value === undefined || value === "") return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

function jsonPart(value: unknown) {
  return { type: "code" as const, language: "json", text: JSON.stringify(value, null, 2) };
}

/** The path relative to the project folder, if it is inside. */
export function below(cwd: string, path: string): string {
  const isBelow = cwd.length > 1 && path.startsWith(cwd) && /^[\\/]./.test(path.slice(cwd.length));
  return isBelow ? path.slice(cwd.length + 1) : path;
}
