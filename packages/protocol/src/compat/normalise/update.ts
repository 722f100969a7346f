import type { RawUpdate } from "../../events.ts";
import { normaliseCommands } from "./commands.ts";
import { blockOf, normaliseBlock } from "./content.ts";
import { unflattened } from "./flat-update.ts";
import type { Hits } from "./hits.ts";
import { normaliseConfigOptions, normaliseCurrentMode } from "./options.ts";
import { normalisePlan } from "./plan.ts";
import { withField } from "../../record.ts";
import { normaliseToolCall } from "./tool-call.ts";

/**
 * Normalises one `params.update` to the v1 schema. Conforming and unknown updates are returned as the same object. It
 * never throws and changes nothing in place.
 */
export function normaliseUpdate(update: RawUpdate, hits?: Hits): RawUpdate {
  switch (update["sessionUpdate"]) {
    case "agent_message_chunk":
    case "agent_thought_chunk":
    case "user_message_chunk":
      return withField(update, "content", normaliseBlock(update["content"], hits));
    case "tool_call":
    case "tool_call_update":
      return normaliseToolCall(update, hits);
    case "plan":
      return normalisePlan(update, hits);
    case "available_commands_update":
      return withField(
        update,
        "availableCommands",
        normaliseCommands(update["availableCommands"], hits),
      );
    case "current_mode_update":
      return normaliseCurrentMode(update, hits);
    case "config_option_update":
      return withField(
        update,
        "configOptions",
        normaliseConfigOptions(update["configOptions"], hits),
      );
    case "thought_chunk":
      return renamedKind(update, "agent_thought_chunk", hits);
    case "available_commands":
      return renamedKind(update, "available_commands_update", hits);
    case "config_options":
      return renamedKind(update, "config_option_update", hits);
    case "user_message":
      return userMessage(update, hits);
    case undefined:
      return unflattened(update, hits) ?? update;
    default:
      return update;
  }
}

function renamedKind(update: RawUpdate, sessionUpdate: string, hits?: Hits): RawUpdate {
  hits?.count("update-kind");
  return normaliseUpdate({ ...update, sessionUpdate }, hits);
}

/** In ACP v2 `user_message` is a different kind, with a list of blocks. It is not changed. */
function userMessage(update: RawUpdate, hits?: Hits): RawUpdate {
  const content = blockOf(update["content"], hits);
  if (content === undefined) return update;
  hits?.count("update-kind");
  return { ...update, sessionUpdate: "user_message_chunk", content };
}
