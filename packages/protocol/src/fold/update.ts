import type { RawUpdate } from "../events.ts";
import { stringOf } from "../raw-value.ts";
import { readUpdate } from "../update-reading.ts";
import { foldCompaction, foldCompactionChunk } from "./compaction.ts";
import type { Draft } from "./draft.ts";
import type { Where } from "./lookup.ts";
import { foldChunk } from "./message.ts";
import { foldNotice } from "./notice.ts";
import { foldConfigOptions, foldMode } from "./options.ts";
import { foldNamedPlan, foldPlan, foldPlanRemoved } from "./plan.ts";
import { foldSessionMessage, foldSessionMessageChunk } from "./session-message.ts";
import { foldSubagent } from "./subagent.ts";
import { changeSubagent } from "./thread.ts";
import { foldToolCall } from "./tool-call.ts";
import { foldUnknown } from "./unknown.ts";
import { foldUsage } from "./usage.ts";

/** Applies one update of the agent. An update that cannot be parsed is kept as unknown. */
export function foldUpdate(draft: Draft, where: Where, raw: RawUpdate): void {
  const reading = readUpdate(raw);
  switch (reading.kind) {
    case "message-chunk":
      return foldChunk(draft, where, reading);
    case "tool-call":
      return foldToolCall(draft, where, reading.source, reading.toolCallId, reading.update);
    case "plan":
      return foldPlan(draft, where, reading.entries);
    case "named-plan":
      return foldNamedPlan(draft, where, reading.plan);
    case "plan-removed":
      return foldPlanRemoved(draft, where, reading.planId);
    case "usage":
      return foldUsage(draft, where, reading);
    case "notice":
      return foldNotice(draft, where, reading);
    case "compaction":
      return foldCompaction(draft, where, reading);
    case "compaction-chunk":
      return foldCompactionChunk(draft, where, reading);
    case "subagent":
      return foldSubagent(draft, where, reading);
    case "session-message":
      return foldSessionMessage(draft, where, reading);
    case "session-message-chunk":
      return foldSessionMessageChunk(draft, where, reading);
    case "session-info":
      return foldChildTitle(draft, where, reading.title);
    // Commands, modes and options apply only to the session's own agent.
    case "commands":
      if (where === "root") draft.view.commands = reading.commands;
      return;
    case "mode":
      return where === "root" ? foldMode(draft, reading.modeId) : undefined;
    case "config-options":
      return where === "root" ? foldConfigOptions(draft, reading.configOptions) : undefined;
    case "unknown": {
      const name = stringOf(raw["sessionUpdate"]) ?? "";
      return foldUnknown(draft, where, { of: "update", name, value: raw });
    }
    default:
      reading satisfies never;
  }
}

/** `session.ts` handles the title of the session itself. */
function foldChildTitle(draft: Draft, where: Where, title: string | null | undefined): void {
  if (where === "root" || typeof title !== "string") return;
  const subagent = changeSubagent(draft, where);
  if (subagent !== undefined) subagent.title = title;
}
