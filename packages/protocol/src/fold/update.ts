import type { RawUpdate } from "../events.ts";
import { normaliseUpdate } from "../compat/normalise/update.ts";
import { foldCompaction, foldCompactionChunk } from "./compaction.ts";
import type { Draft } from "./draft.ts";
import type { Where } from "./lookup.ts";
import { foldChunk } from "./message.ts";
import { foldNotice } from "./notice.ts";
import { foldCommands, foldConfigOptions, foldMode } from "./options.ts";
import { foldPlan, foldPlanRemoved, foldPlanUpdate } from "./plan.ts";
import { foldSessionMessage, foldSessionMessageChunk } from "./session-message.ts";
import { foldSubagentUpdate } from "./subagent.ts";
import { changeSubagent } from "./thread.ts";
import { foldToolCall } from "./tool-call.ts";
import { foldUnknown } from "./unknown.ts";
import { foldUsage } from "./usage.ts";
import { stringOf, type Raw } from "./value.ts";

/** One update of the agent. What can't be read is kept as unknown: nothing is refused, nothing is lost. */
export function foldUpdate(draft: Draft, where: Where, raw: RawUpdate): void {
  if (apply(draft, where, normaliseUpdate(raw))) return;
  foldUnknown(draft, where, {
    of: "update",
    name: stringOf(raw["sessionUpdate"]) ?? "",
    value: raw,
  });
}

/** False when the kind is not known or its fields can't be read. */
function apply(draft: Draft, where: Where, update: Raw): boolean {
  switch (update["sessionUpdate"]) {
    case "agent_message_chunk":
      return foldChunk(draft, where, "agent", update);
    case "agent_thought_chunk":
      return foldChunk(draft, where, "thought", update);
    case "user_message_chunk":
      return foldChunk(draft, where, "user", update);
    case "tool_call":
      return foldToolCall(draft, where, "call", update);
    case "tool_call_update":
      return foldToolCall(draft, where, "update", update);
    case "plan":
      return foldPlan(draft, where, update);
    case "plan_update":
      return foldPlanUpdate(draft, where, update);
    case "plan_removed":
      return foldPlanRemoved(draft, where, update);
    case "usage_update":
      return foldUsage(draft, where, update);
    case "notice":
      return foldNotice(draft, where, update);
    case "compaction_update":
      return foldCompaction(draft, where, update);
    case "compaction_summary_chunk":
      return foldCompactionChunk(draft, where, update);
    case "subagent_update":
      return foldSubagentUpdate(draft, where, update);
    case "session_message":
      return foldSessionMessage(draft, where, update);
    case "session_message_chunk":
      return foldSessionMessageChunk(draft, where, update);
    case "session_info_update":
      return where === "root" ? true : foldChildInfo(draft, where, update);
    case "available_commands_update":
      return where === "root" ? foldCommands(draft, update) : true;
    case "current_mode_update":
      return where === "root" ? foldMode(draft, update) : true;
    case "config_option_update":
      return where === "root" ? foldConfigOptions(draft, update) : true;
    default:
      return false;
  }
}

function foldChildInfo(draft: Draft, position: number, update: Raw): boolean {
  const title = stringOf(update["title"]);
  const subagent = title === null ? undefined : changeSubagent(draft, position);
  if (subagent !== undefined) subagent.title = title;
  return true;
}
