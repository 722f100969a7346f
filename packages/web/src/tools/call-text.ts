import {
  recordOf,
  filledStringOf,
  blobOf,
  type Block,
  type ToolCallItem,
} from "@landline/protocol";
import { firstOf } from "./raw-values.ts";

/** The content blocks of a call; long text is a reference in `blob`. */
export function callBlocks(item: Pick<ToolCallItem, "content">): Block[] {
  const blocks: Block[] = [];
  for (const entry of item.content) {
    if (entry.type !== "content") continue;
    const block = recordOf(entry.content);
    const blob = blobOf(block?.["text"]);
    if (blob !== null) blocks.push({ type: "text", text: "", blob });
    else if (block !== null) blocks.push(entry.content);
  }
  return blocks;
}

const NAME_LENGTH = 80;

/** The accessible name of the output of a command or a call. */
export function outputName(of: string): string {
  const line = of.trim().split("\n", 1)[0] ?? "";
  if (line === "") return "Output";
  return `Output of ${line.length > NAME_LENGTH ? `${line.slice(0, NAME_LENGTH)}…` : line}`;
}

const ERROR_LENGTH = 4_000;

/** The error of a failed call, from any field that agents use; null if there is none. */
export function errorText(item: Pick<ToolCallItem, "content" | "rawOutput">): string | null {
  for (const block of callBlocks(item)) {
    if (block.type === "text" && block.text.trim() !== "") return tidy(block.text);
  }
  const output = recordOf(item.rawOutput);
  const error = recordOf(output?.["error"]);
  const said =
    filledStringOf(item.rawOutput) ??
    firstOf(output, ["error", "message", "stderr", "output", "formatted_output"], filledStringOf) ??
    firstOf(error, ["message", "error"], filledStringOf);
  return said === null || said.trim() === "" ? null : tidy(said);
}

/** The output of a call that has only a raw output. */
export function rawOutputText(item: Pick<ToolCallItem, "rawOutput">): string | null {
  const output = recordOf(item.rawOutput);
  const names = [
    "formatted_output",
    "aggregated_output",
    "output",
    "stdout",
    "content",
    "result",
    "text",
  ];
  return filledStringOf(item.rawOutput) ?? firstOf(output, names, filledStringOf);
}

/** Removes the fences and tags in which agents wrap errors. */
function tidy(text: string): string {
  const bare = text
    .slice(0, ERROR_LENGTH * 2)
    .replace(/^\s*```[\w-]*\n([\s\S]*?)\n?```\s*$/u, "$1")
    .replaceAll(/<\/?(?:tool_use_error|error)>/gu, "")
    .trim();
  return bare.length > ERROR_LENGTH ? `${bare.slice(0, ERROR_LENGTH)}…` : bare;
}
