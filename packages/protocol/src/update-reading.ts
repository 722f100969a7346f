import type { RawUpdate } from "./events.ts";
import { isList, isRecord } from "./record.ts";
import { normaliseUpdate } from "./compat/normalise/update.ts";
import { blockText } from "./block-text.ts";

/**
 * What an update says, in words that no dialect owns. Total: an update that lacks what its kind needs
 * is `unknown`, as is one of a kind that nobody knows. A tool call that comes already ended is two
 * readings, its start and its end.
 */
export type UpdateReading =
  | MessageReading
  | { readonly kind: "tool-started" | "tool-changed" | "tool-ended"; readonly call: ToolReading }
  | {
      readonly kind: "plan";
      readonly entries: readonly unknown[];
      readonly planId: string | undefined;
    }
  | { readonly kind: "commands"; readonly commands: readonly unknown[] }
  | { readonly kind: "mode"; readonly modeId: string }
  | { readonly kind: "config-options"; readonly configOptions: readonly unknown[] }
  | { readonly kind: "info"; readonly info: SessionInfo }
  | { readonly kind: "usage" | "notice" | "compaction"; readonly fields: RawUpdate }
  | { readonly kind: "compaction-chunk"; readonly compactionId: unknown; readonly text: string }
  | { readonly kind: "unknown"; readonly raw: RawUpdate };

/** A title that is null was taken away; one that is undefined was not spoken of. */
interface SessionInfo {
  readonly title: string | null | undefined;
  readonly updatedAt: string | null | undefined;
}

export interface MessageReading {
  readonly kind: "message";
  readonly voice: "agent" | "thought" | "user";
  readonly text: string;
  /** The block itself, when it is more than its text. */
  readonly block: unknown;
  readonly messageId: string | undefined;
}

export interface ToolReading {
  readonly toolCallId: string;
  /** The tool's name, or its title where the agent gives no name. */
  readonly name: string | undefined;
  readonly title: string | undefined;
  readonly toolKind: string | undefined;
  readonly status: string | undefined;
  readonly input: unknown;
  readonly output: unknown;
  readonly content: readonly unknown[] | undefined;
  readonly locations: readonly unknown[] | undefined;
}

export function readUpdate(raw: RawUpdate): readonly UpdateReading[] {
  const update = normaliseUpdate(raw);
  const readings = readingsOf(update);
  return readings.length > 0 ? readings : [{ kind: "unknown", raw }];
}

function readingsOf(update: RawUpdate): readonly UpdateReading[] {
  switch (update["sessionUpdate"]) {
    case "agent_message_chunk":
      return message("agent", update);
    case "agent_thought_chunk":
      return message("thought", update);
    case "user_message_chunk":
      return message("user", update);
    case "tool_call":
    case "tool_call_update":
      return toolCall(update);
    case "plan":
      return plan(update["entries"], undefined);
    case "plan_update":
      return isRecord(update["plan"])
        ? plan(update["plan"]["entries"], stringOf(update["plan"]["planId"]))
        : [];
    case "available_commands_update": {
      const { availableCommands: commands } = update;
      return isList(commands) ? [{ kind: "commands", commands }] : [];
    }
    case "current_mode_update":
      return readModes(update);
    case "config_option_update": {
      const { configOptions } = update;
      return isList(configOptions) ? [{ kind: "config-options", configOptions }] : [];
    }
    case "session_info_update":
      return [
        {
          kind: "info",
          info: {
            title: stringOrNull(update["title"]),
            updatedAt: stringOrNull(update["updatedAt"]),
          },
        },
      ];
    case "usage_update":
      return [{ kind: "usage", fields: withoutKind(update) }];
    case "notice":
      return [{ kind: "notice", fields: withoutKind(update) }];
    case "compaction_update":
      return [{ kind: "compaction", fields: withoutKind(update) }];
    case "compaction_summary_chunk": {
      const { compactionId, content } = update;
      return [{ kind: "compaction-chunk", compactionId, text: blockText(content) }];
    }
    default:
      return [];
  }
}

/** The mode that is on, where it is told: in an update, or in the modes of a session. */
export function readModes(modes: unknown): readonly UpdateReading[] {
  const modeId = isRecord(modes) ? stringOf(modes["currentModeId"]) : undefined;
  return modeId === undefined ? [] : [{ kind: "mode", modeId }];
}

function message(voice: MessageReading["voice"], update: RawUpdate): readonly UpdateReading[] {
  const block = update["content"];
  if (!isRecord(block)) return [];
  const text = blockText(block);
  const isWhole = block["type"] === "text" && block["text"] === text;
  return [
    {
      kind: "message",
      voice,
      text,
      block: isWhole ? undefined : block,
      messageId: stringOf(update["messageId"]),
    },
  ];
}

function toolCall(update: RawUpdate): readonly UpdateReading[] {
  const call = readToolCall(update);
  if (!call) return [];
  const ended = call.status === "completed" || call.status === "failed";
  const end: readonly UpdateReading[] = ended ? [{ kind: "tool-ended", call }] : [];
  if (update["sessionUpdate"] === "tool_call") return [{ kind: "tool-started", call }, ...end];
  return ended ? end : [{ kind: "tool-changed", call }];
}

/** Reads a tool call from an update or from a permission request. */
export function readToolCall(fields: unknown): ToolReading | undefined {
  if (!isRecord(fields) || typeof fields["toolCallId"] !== "string") return undefined;
  const title = stringOf(fields["title"]);
  return {
    toolCallId: fields["toolCallId"],
    name: stringOf(fields["name"]) ?? title,
    title,
    toolKind: stringOf(fields["kind"]),
    status: stringOf(fields["status"]),
    input: fields["rawInput"] ?? undefined,
    output: fields["rawOutput"] ?? undefined,
    content: isList(fields["content"]) ? fields["content"] : undefined,
    locations: isList(fields["locations"]) ? fields["locations"] : undefined,
  };
}

function plan(entries: unknown, planId: string | undefined): readonly UpdateReading[] {
  return isList(entries) ? [{ kind: "plan", entries, planId }] : [];
}

function stringOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function stringOrNull(value: unknown): string | null | undefined {
  return value === null ? null : stringOf(value);
}

function withoutKind(update: RawUpdate): RawUpdate {
  const { sessionUpdate: _sessionUpdate, ...fields } = update;
  return fields;
}
