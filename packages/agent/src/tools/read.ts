import { z } from "zod";
import { toolLimits } from "../limits.ts";
import type { ModelInfo } from "../model/model.ts";
import { FileProblem } from "../workspace/workspace.ts";
import { AttachedRules, type RulesSource } from "./attached-rules.ts";
import { fileNotFound } from "./file-suggestions.ts";
import {
  externalDirectoryRequests,
  isOutput,
  targetPathOf,
  readRequest,
  type TargetPath,
} from "./target-path.ts";
import { lineWindow, type LineWindow } from "./line-window.ts";
import { readMedia } from "./read-media.ts";
import { recordRead } from "./seen-file.ts";
import { ToolFailure, type Tool, type ToolContext, type ToolResult } from "./tool.ts";

const input = z.object({
  filePath: z
    .string()
    .min(1)
    .describe("The file or folder, absolute or relative to the working directory"),
  offset: z.number().int().min(0).optional().describe("The first line to read, counted from 1"),
  limit: z
    .number()
    .int()
    .min(1)
    .optional()
    .describe(`How many lines to read; default ${toolLimits.outputLines}`),
});
type Input = z.infer<typeof input>;

const description = `Reads a file. Each line comes with its number and a tab before it, which are not part of the file. Without offset and limit you get the beginning, up to ${toolLimits.outputLines} lines or ${toolLimits.outputBytes / 1_024} KiB; the last line of the answer says whether there is more and with which offset to go on. Prefer one large piece to many small ones, and read files that belong together in one go. Of a folder you get the names in it. Pictures (PNG, JPEG, GIF, WebP) and PDF documents are attached when this model can look at them. Instructions that a folder has for work in it come with the first file that you read there.`;

/** Space for notes, so that the result is never truncated. */
const noteLines = 10;
const noteBytes = 1_024;

export interface ReadOptions {
  info: ModelInfo;
  /** The folder of this session's complete outputs. */
  outputs: string;
  rules: RulesSource;
}

export function createReadTool(options: ReadOptions): Tool<Input> {
  const rules = new AttachedRules(options.rules);
  return {
    name: "read",
    description,
    input,
    kind: "read",
    permission: "read",
    view({ filePath, offset, limit }, workspace) {
      if (filePath === undefined) return { title: "Read a file", locations: [], content: [] };
      const path = workspace.resolve(filePath);
      const line = offset === undefined || offset === 0 ? null : offset;
      const title = `Read ${workspace.display(path)}${lineWords(line, limit)}`;
      return { title, locations: [{ path, ...(line !== null && { line }) }], content: [] };
    },
    async run(given, context) {
      const target = await targetPathOf(given.filePath, context.workspace);
      const isFolder = (await context.workspace.stat(target.path))?.type === "directory";
      if (!(await isOutput(target, options.outputs))) await askToRead(target, isFolder, context);
      if (isFolder) return readFolder(target, given, context);
      const media = await readMedia(target, options.info, context).catch(notThere);
      if (media) return media;
      const text = await readText(target, context);
      const attached = await rules.for(target.path, context.workspace);
      const window = windowOf(text, given, target, attached.text);
      recordRead(target, text, window, context);
      const parts = [window.text, footer(window), attached.text].filter((part) => part !== "");
      return {
        output: parts.join("\n\n"),
        metadata: {
          lines: { first: window.first, last: window.last, total: window.total },
          ...(attached.paths.length > 0 && { rules: attached.paths }),
        },
      };
    },
  };
}

function lineWords(line: number | null, limit: number | undefined): string {
  if (line === null && limit === undefined) return "";
  const first = line ?? 1;
  return limit === undefined ? ` from line ${first}` : ` (lines ${first} to ${first + limit - 1})`;
}

async function askToRead(
  target: TargetPath,
  isFolder: boolean,
  context: ToolContext,
): Promise<void> {
  const title = `Read ${target.name}`;
  const outside = externalDirectoryRequests(target, { isFolder, title, access: "read" });
  await context.ask(...outside, readRequest(target));
}

/** The file may exist only in an editor. */
function notThere(error: unknown): null {
  if (error instanceof FileProblem && error.reason === "file-not-found") return null;
  throw error;
}

async function readText(target: TargetPath, context: ToolContext): Promise<string> {
  try {
    return (await context.workspace.readText(target, context.signal)).text;
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    if (error.reason === "file-not-found") throw await fileNotFound(target, context);
    if (error.reason !== "binary-file") throw error;
    throw new ToolFailure(
      "binary-file",
      `${error.message} Look at it with a command that knows its format, if you have to.`,
    );
  }
}

function windowOf(text: string, given: Input, target: TargetPath, rules: string): LineWindow {
  const first = Math.max(given.offset ?? 1, 1);
  const ruleLines = rules === "" ? 0 : rules.split("\n").length;
  const window = lineWindow(text, {
    first,
    limit: Math.min(
      given.limit ?? toolLimits.outputLines,
      Math.max(toolLimits.outputLines - noteLines - ruleLines, 1),
    ),
    bytes: toolLimits.outputBytes - noteBytes - Buffer.byteLength(rules),
  });
  if (window.total > 0 && first > window.total) {
    throw new ToolFailure(
      "invalid-input",
      `${target.name} has ${window.total} lines, so there is no line ${first}. Use a smaller offset.`,
    );
  }
  return window;
}

function footer({ first, last, total }: LineWindow): string {
  if (total === 0) return "(The file is empty.)";
  if (last < total) {
    return `(These are lines ${first} to ${last} of ${total}. Go on with offset ${last + 1}.)`;
  }
  return `(The file ends here, after ${total} ${total === 1 ? "line" : "lines"}.)`;
}

async function readFolder(
  target: TargetPath,
  given: Input,
  context: ToolContext,
): Promise<ToolResult> {
  const entries = await context.workspace.list(target);
  const names = entries.map(({ name, type }) => (type === "directory" ? `${name}/` : name));
  if (names.length === 0) return { output: "(The folder is empty.)" };
  const first = Math.max(given.offset ?? 1, 1);
  const most = toolLimits.outputLines - noteLines;
  const shown = names.slice(first - 1, first - 1 + Math.min(given.limit ?? most, most));
  const last = first + shown.length - 1;
  const note =
    last < names.length
      ? `(These are entries ${first} to ${last} of ${names.length}. Go on with offset ${last + 1}.)`
      : `(${names.length} ${names.length === 1 ? "entry" : "entries"} in all.)`;
  return { output: `${target.name} is a folder:\n\n${shown.join("\n")}\n\n${note}` };
}
