import type { ToolUse } from "../view.ts";
import type { ToolCallItem } from "../view/item.ts";
import { entriesWith, recordOf, stringOf, type Raw } from "../raw-value.ts";

/** The subagent data of a tool call, with the fields of seed 004 first. Null where a value is missing. */
export interface Task {
  readonly agentType: string | null;
  readonly description: string | null;
  readonly sessionId: string | null;
  readonly model: string | null;
  readonly toolsUsed: readonly ToolUse[] | null;
}

/** Returns null for a call that runs no subagent. `meta` is the `_meta` of the latest update. */
export function readTask(item: ToolCallItem, meta: Raw | null): Task | null {
  const input = recordOf(item.rawInput);
  // The built-in agent sends the session id while the subagent works.
  const named = recordOf(meta?.["subagent"]);
  const agentType = stringOf(input?.["subagent_type"]) ?? stringOf(named?.["type"]);
  const isTask = agentType !== null || item.subagent !== null || isTaskName(item);
  if (!isTask) return null;
  const metadata = recordOf(recordOf(item.rawOutput)?.["metadata"]);
  const sessionId =
    stringOf(metadata?.["sessionId"]) ?? stringOf(named?.["sessionId"]) ?? sessionInText(item);
  if (agentType === null && sessionId === null && item.subagent === null) return null;
  return {
    agentType,
    description: stringOf(input?.["description"]),
    sessionId,
    model: modelOf(metadata?.["model"]),
    toolsUsed: toolsOf(metadata?.["summary"]),
  };
}

/** Other tools may print a `<task_metadata>` block from a file that they read. Ignore those. */
function isTaskName(item: ToolCallItem): boolean {
  return /^(?:task|agent|subagent)$/i.test(item.name ?? item.title);
}

function sessionInText(item: ToolCallItem): string | null {
  const output = stringOf(recordOf(item.rawOutput)?.["output"]) ?? stringOf(item.rawOutput);
  if (output !== null) return sessionInBlock(output);
  for (const entry of item.content) {
    const text = entry.type === "content" ? stringOf(recordOf(entry.content)?.["text"]) : null;
    const found = text === null ? null : sessionInBlock(text);
    if (found !== null) return found;
  }
  return null;
}

/** The block is at the end, after the subagent's output. */
function sessionInBlock(text: string): string | null {
  const start = text.lastIndexOf("<task_metadata>");
  if (start === -1) return null;
  const block = text.slice(start, start + BLOCK_LENGTH);
  return /session_id:[ \t]*([^\s<]+)/.exec(block)?.[1] ?? null;
}

const BLOCK_LENGTH = 2_000;

function modelOf(value: unknown): string | null {
  const model = recordOf(value);
  const id = stringOf(model?.["modelID"]);
  const provider = stringOf(model?.["providerID"]);
  if (id === null) return stringOf(value);
  return provider === null ? id : `${provider}/${id}`;
}

function toolsOf(value: unknown): readonly ToolUse[] | null {
  const summary = entriesWith(value, "tool");
  if (summary === null) return null;
  return summary.map((entry) => {
    const state = recordOf(entry["state"]);
    return {
      tool: stringOf(entry["tool"]) ?? "",
      title: stringOf(state?.["title"]),
      status: stringOf(state?.["status"]) ?? stringOf(entry["state"]),
    };
  });
}
