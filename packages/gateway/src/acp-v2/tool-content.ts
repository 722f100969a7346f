import { diffText } from "../diff-text.ts";
import { fieldsOf, listOf, textOf, type Fields } from "./translator.ts";

/** The params of a permission request of version 1. */
export function permissionToV2({ toolCall, ...params }: Fields): Fields {
  const { title } = fieldsOf(toolCall);
  const { sessionUpdate: _kind, ...subject } = toolCallToV2(fieldsOf(toolCall));
  return {
    ...params,
    title: textOf(title) ?? "Permission required",
    subject: { type: "tool_call", toolCall: subject },
  };
}

/** `tool_call` and `tool_call_update` of version 1. */
export function toolCallToV2(update: Fields): Fields {
  const { content } = update;
  return {
    ...update,
    sessionUpdate: "tool_call_update",
    ...(content !== undefined && { content: contentToV2(content) }),
  };
}

/** Converts the content of a tool call of version 1. Only diffs differ. */
function contentToV2(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  return listOf(content).map((item) => (item["type"] === "diff" ? diffToV2(item) : item));
}

/** Version 1 has both texts of a file; version 2 has a list of changes and a patch. */
function diffToV2({ path, oldText, newText, _meta }: Fields): Fields {
  const file = textOf(path) ?? "";
  const before = textOf(oldText) ?? null;
  const after = textOf(newText) ?? "";
  const operation = before === null ? "add" : "modify";
  const body = diffText(file, before, after);
  return {
    type: "diff",
    changes: [{ operation, path: file, fileType: "text" }],
    ...(body !== "" && { patch: { format: "git_patch", text: gitPatch(file, before, body) } }),
    ...(_meta !== undefined && { _meta }),
  };
}

function gitPatch(path: string, before: string | null, body: string): string {
  const relative = path.replace(/^\/+/, "");
  const [, , ...hunks] = body.split("\n");
  const header = [
    `diff --git a/${relative} b/${relative}`,
    ...(before === null ? ["new file mode 100644"] : []),
    `--- ${before === null ? "/dev/null" : `a/${relative}`}`,
    `+++ b/${relative}`,
  ];
  return `${[...header, ...hunks].join("\n")}\n`;
}

/** Converts one item of version 2. Terminals are converted by their owner, because version 1 cannot show them. */
export function itemToV1(item: Fields): readonly Fields[] {
  return item["type"] === "diff" ? diffsToV1(item) : [item];
}

/**
 * A patch has only the changed parts of a file. They become the two texts of a diff of version 1. A change without a
 * patch becomes a line of text.
 */
function diffsToV1({ changes, patch }: Fields): readonly Fields[] {
  const { format, text } = fieldsOf(patch);
  const parts = format === "git_patch" && typeof text === "string" ? readPatch(text) : [];
  return listOf(changes).map(({ operation, path, oldPath }) => {
    const file = textOf(path) ?? "";
    const part = parts.find(({ names }) => names.some((name) => isSameFile(file, name)));
    if (part && part.hasHunks)
      return {
        type: "diff",
        path: file,
        oldText: operation === "add" ? null : part.before.join("\n"),
        newText: part.after.join("\n"),
      };
    const from = textOf(oldPath);
    const change = `${textOf(operation) ?? "change"} ${from === undefined ? "" : `${from} → `}${file}`;
    return { type: "content", content: { type: "text", text: change } };
  });
}

/** Patches may name files relative to a folder that only the agent knows. */
function isSameFile(path: string, name: string): boolean {
  return path === name || path.endsWith(`/${name.replace(/^\/+/, "")}`);
}

interface PatchedFile {
  readonly names: string[];
  readonly before: string[];
  readonly after: string[];
  hasHunks: boolean;
}

function readPatch(text: string): readonly PatchedFile[] {
  const files: PatchedFile[] = [];
  let isInHunk = false;
  for (const line of text.split("\n")) {
    if (line.startsWith("diff --git ")) {
      files.push({ names: [], before: [], after: [], hasHunks: false });
      isInHunk = false;
      continue;
    }
    const file = files.at(-1);
    if (!file) continue;
    if (line.startsWith("@@ ")) {
      isInHunk = true;
      file.hasHunks = true;
    } else if (isInHunk) readHunkLine(file, line);
    else if (line.startsWith("--- ") || line.startsWith("+++ "))
      file.names.push(line.slice(4).replace(/^[ab]\//, ""));
  }
  return files;
}

function readHunkLine({ before, after }: PatchedFile, line: string): void {
  const [mark, rest] = [line.slice(0, 1), line.slice(1)];
  if (mark === " " || mark === "-") before.push(rest);
  if (mark === " " || mark === "+") after.push(rest);
}
