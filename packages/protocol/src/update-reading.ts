import type {
  AvailableCommand,
  Cost,
  PlanEntry,
  SessionConfigOption,
} from "@agentclientprotocol/sdk";
import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import type { CallSource } from "./another-call.ts";
import { normaliseUpdate } from "./compat/normalise/update.ts";
import type { RawUpdate } from "./events.ts";
import {
  arrayOf,
  blockOf,
  blocksIn,
  clearableString,
  entriesWith,
  identifierOf,
  numberOf,
  recordOf,
  stringOf,
} from "./raw-value.ts";
import type { NamedPlan } from "./view.ts";
import type { Block } from "./view/item.ts";

/** The kinds of `session/update` in ACP v1, including the unstable ones. */
export type UpdateKind = SessionUpdate["sessionUpdate"];

/**
 * One parsed update. `update` is the update in the spelling of the ACP schema. An update of an unknown kind, or
 * without a required field, is `unknown`. An omitted field is undefined; null clears it.
 */
export type UpdateReading = { readonly update: RawUpdate } & (
  | MessageChunk
  | {
      readonly kind: "tool-call";
      readonly source: Exclude<CallSource, "permission">;
      readonly toolCallId: string;
    }
  | { readonly kind: "plan"; readonly entries: readonly PlanEntry[] }
  | { readonly kind: "named-plan"; readonly plan: NamedPlan }
  | { readonly kind: "plan-removed"; readonly planId: string }
  | { readonly kind: "commands"; readonly commands: readonly AvailableCommand[] }
  | { readonly kind: "mode"; readonly modeId: string }
  | { readonly kind: "config-options"; readonly configOptions: readonly SessionConfigOption[] }
  | {
      readonly kind: "session-info";
      readonly title: string | null | undefined;
      readonly updatedAt: string | null | undefined;
    }
  | UsageReading
  | NoticeReading
  | CompactionReading
  | { readonly kind: "compaction-chunk"; readonly compactionId: string; readonly block: Block }
  | SubagentReading
  | SessionMessageReading
  | { readonly kind: "session-message-chunk"; readonly messageId: string; readonly block: Block }
  | { readonly kind: "unknown" }
);

export interface MessageChunk {
  readonly kind: "message-chunk";
  readonly voice: "agent" | "thought" | "user";
  readonly block: Block;
  readonly messageId: string | null;
}

export interface UsageReading {
  readonly kind: "usage";
  readonly used: number;
  readonly size: number;
  readonly cost: Cost | null | undefined;
}

export interface NoticeReading {
  readonly kind: "notice";
  readonly severity: string;
  readonly title: string;
  readonly description: string | null;
}

export interface CompactionReading {
  readonly kind: "compaction";
  readonly compactionId: string;
  readonly status: string | null;
  readonly error: string | null | undefined;
  readonly summary: readonly Block[] | undefined;
}

export interface SubagentReading {
  readonly kind: "subagent";
  readonly sessionId: string;
  /** The tool call that started it, where the agent names one in `_meta`. */
  readonly parentCallId: string | null;
  readonly title: string | null | undefined;
  readonly description: string | null | undefined;
  readonly state: string | null;
  readonly isCancellable: boolean | undefined;
}

export interface SessionMessageReading {
  readonly kind: "session-message";
  readonly messageId: string;
  readonly senderSessionId: string | null | undefined;
  readonly recipientSessionId: string | null | undefined;
  readonly content: readonly Block[] | undefined;
}

export interface UpdateKindRow {
  readonly kind: UpdateKind;
  /**
   * What an update of the kind does to the items of its thread: it adds text to an item, adds an item, adds or changes the
   * item that it names, or does nothing.
   */
  readonly items: "text" | "adds" | "adds or changes" | "none";
  /** The update reports history and not state, so an agent that loads a session sends it again. */
  readonly isHistory: boolean;
  /** Null when a field that the kind requires can't be read. */
  readonly read: (update: RawUpdate) => UpdateReading | null;
}

/** Every kind of update. The types require a row for each kind of the SDK. */
const rows: { readonly [Kind in UpdateKind]: Omit<UpdateKindRow, "kind"> } = {
  agent_message_chunk: {
    items: "text",
    isHistory: true,
    read: (update) => messageChunk("agent", update),
  },
  agent_thought_chunk: {
    items: "text",
    isHistory: true,
    read: (update) => messageChunk("thought", update),
  },
  user_message_chunk: {
    items: "text",
    isHistory: true,
    read: (update) => messageChunk("user", update),
  },
  tool_call: { items: "adds", isHistory: true, read: (update) => toolCall("call", update) },
  tool_call_update: {
    items: "adds or changes",
    isHistory: true,
    read: (update) => toolCall("update", update),
  },
  plan: {
    items: "none",
    isHistory: true,
    read: (update) => {
      const entries = planEntries(update["entries"]);
      return entries === null ? null : { kind: "plan", update, entries };
    },
  },
  plan_update: {
    items: "none",
    isHistory: true,
    read: (update) => {
      const plan = namedPlan(update["plan"]);
      return plan === null ? null : { kind: "named-plan", update, plan };
    },
  },
  plan_removed: {
    items: "none",
    isHistory: true,
    read: (update) => {
      const planId = stringOf(update["planId"]);
      return planId === null ? null : { kind: "plan-removed", update, planId };
    },
  },
  available_commands_update: {
    items: "none",
    isHistory: false,
    read: (update) => {
      const commands = entriesWith(update["availableCommands"], "name");
      if (commands === null) return null;
      return {
        kind: "commands",
        update,
        commands: commands as unknown as readonly AvailableCommand[],
      };
    },
  },
  current_mode_update: {
    items: "none",
    isHistory: false,
    read: (update) => {
      const modeId = stringOf(update["currentModeId"]);
      return modeId === null ? null : { kind: "mode", update, modeId };
    },
  },
  config_option_update: {
    items: "none",
    isHistory: false,
    read: (update) => {
      const configOptions = readConfigOptions(update["configOptions"]);
      return configOptions === null ? null : { kind: "config-options", update, configOptions };
    },
  },
  session_info_update: {
    items: "none",
    isHistory: false,
    read: (update) => ({
      kind: "session-info",
      update,
      title: clearableString(update["title"]),
      updatedAt: clearableString(update["updatedAt"]),
    }),
  },
  usage_update: { items: "none", isHistory: false, read: usage },
  // A notice may be about the start of the agent.
  notice: { items: "adds", isHistory: false, read: notice },
  compaction_update: { items: "adds or changes", isHistory: true, read: compaction },
  compaction_summary_chunk: {
    items: "text",
    isHistory: true,
    read: (update) => {
      const compactionId = stringOf(update["compactionId"]);
      const block = blockOf(update["content"]);
      if (compactionId === null || block === null) return null;
      return { kind: "compaction-chunk", update, compactionId, block };
    },
  },
  subagent_update: { items: "none", isHistory: true, read: subagent },
  session_message: { items: "adds or changes", isHistory: true, read: sessionMessage },
  session_message_chunk: {
    items: "text",
    isHistory: true,
    read: (update) => {
      const messageId = stringOf(update["messageId"]);
      const block = blockOf(update["content"]);
      if (messageId === null || block === null) return null;
      return { kind: "session-message-chunk", update, messageId, block };
    },
  },
};

const rowsByKind: ReadonlyMap<unknown, UpdateKindRow> = new Map(
  Object.entries(rows).map(([kind, row]) => [kind, { kind: kind as UpdateKind, ...row }]),
);

/** Reads an update. Never throws. */
export function readUpdate(raw: RawUpdate): UpdateReading {
  const update = normaliseUpdate(raw);
  return rowsByKind.get(update["sessionUpdate"])?.read(update) ?? { kind: "unknown", update: raw };
}

/** The row of an update's kind, in any spelling; null for an unknown kind. Reads no other field. */
export function updateKindOf(raw: RawUpdate): UpdateKindRow | null {
  return (
    rowsByKind.get(raw["sessionUpdate"]) ??
    rowsByKind.get(normaliseUpdate(raw)["sessionUpdate"]) ??
    null
  );
}

function messageChunk(voice: MessageChunk["voice"], update: RawUpdate): UpdateReading | null {
  const block = blockOf(update["content"]);
  if (block === null) return null;
  return { kind: "message-chunk", update, voice, block, messageId: stringOf(update["messageId"]) };
}

function toolCall(source: "call" | "update", update: RawUpdate): UpdateReading | null {
  const toolCallId = identifierOf(update["toolCallId"]);
  return toolCallId === null ? null : { kind: "tool-call", update, source, toolCallId };
}

function planEntries(value: unknown): readonly PlanEntry[] | null {
  return entriesWith(value, "content") as readonly unknown[] as readonly PlanEntry[] | null;
}

function namedPlan(value: unknown): NamedPlan | null {
  const plan = recordOf(value);
  const planId = stringOf(plan?.["planId"]);
  if (plan === null || planId === null) return null;
  const entries = planEntries(plan["entries"]);
  if (entries !== null) return { planId, type: "items", entries };
  const uri = stringOf(plan["uri"]);
  if (uri !== null) return { planId, type: "file", uri };
  const content = stringOf(plan["content"]);
  return content === null ? null : { planId, type: "markdown", content };
}

/** The config options of an update or an event. */
export function readConfigOptions(value: unknown): readonly SessionConfigOption[] | null {
  return entriesWith(value, "id") as readonly SessionConfigOption[] | null;
}

function usage(update: RawUpdate): UpdateReading | null {
  const used = numberOf(update["used"]);
  const size = numberOf(update["size"]);
  if (used === null || size === null) return null;
  const cost = update["cost"] === undefined ? undefined : costOf(update["cost"]);
  return { kind: "usage", update, used, size, cost };
}

function costOf(value: unknown): Cost | null {
  const cost = recordOf(value);
  return typeof cost?.["amount"] === "number" && typeof cost["currency"] === "string"
    ? (cost as unknown as Cost)
    : null;
}

function notice(update: RawUpdate): UpdateReading | null {
  const title = stringOf(update["title"]);
  if (title === null) return null;
  return {
    kind: "notice",
    update,
    severity: stringOf(update["severity"]) ?? "info",
    title,
    description: stringOf(update["description"]),
  };
}

function compaction(update: RawUpdate): UpdateReading | null {
  const compactionId = stringOf(update["compactionId"]);
  if (compactionId === null) return null;
  return {
    kind: "compaction",
    update,
    compactionId,
    status: stringOf(update["status"]),
    error: clearableString(update["error"]),
    summary: clearableBlocks(update["summary"]),
  };
}

function subagent(update: RawUpdate): UpdateReading | null {
  const sessionId = stringOf(update["sessionId"]);
  if (sessionId === null) return null;
  const { state, capabilities } = update;
  return {
    kind: "subagent",
    update,
    sessionId,
    parentCallId: parentCallIdOf(update),
    title: clearableString(update["title"]),
    description: clearableString(update["description"]),
    state: stringOf(recordOf(state)?.["state"]) ?? stringOf(state),
    isCancellable:
      capabilities === undefined
        ? undefined
        : recordOf(recordOf(capabilities)?.["cancel"]) !== null,
  };
}

/**
 * The parent tool call of an update. No schema has it: agents put it into `_meta`, some under their own name
 * (`_meta.claudeCode.parentToolUseId`).
 */
function parentCallIdOf(update: RawUpdate): string | null {
  const meta = recordOf(update["_meta"]);
  if (meta === null) return null;
  for (const part of [meta, ...Object.values(meta).map(recordOf)]) {
    const id = stringOf(part?.["parentToolCallId"]) ?? stringOf(part?.["parentToolUseId"]);
    if (id !== null) return id;
  }
  return null;
}

function sessionMessage(update: RawUpdate): UpdateReading | null {
  const messageId = stringOf(update["messageId"]);
  if (messageId === null) return null;
  return {
    kind: "session-message",
    update,
    messageId,
    senderSessionId: clearableString(update["senderSessionId"]),
    recipientSessionId: clearableString(update["recipientSessionId"]),
    content: clearableBlocks(update["content"]),
  };
}

/** Null clears the list; undefined for anything that is no list. */
function clearableBlocks(value: unknown): readonly Block[] | undefined {
  return value === null || arrayOf(value) !== null ? blocksIn(value) : undefined;
}

/** The fields of a tool call that one message has. */
export interface ToolCallFields {
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

/** Reads a tool call from an update or from a permission request. */
export function readToolCall(value: unknown): ToolCallFields | undefined {
  const fields = recordOf(value);
  const toolCallId = identifierOf(fields?.["toolCallId"]);
  if (fields === null || toolCallId === null) return undefined;
  const title = stringOf(fields["title"]) ?? undefined;
  return {
    toolCallId,
    name: stringOf(fields["name"]) ?? title,
    title,
    toolKind: stringOf(fields["kind"]) ?? undefined,
    status: stringOf(fields["status"]) ?? undefined,
    input: fields["rawInput"] ?? undefined,
    output: fields["rawOutput"] ?? undefined,
    content: arrayOf(fields["content"]) ?? undefined,
    locations: arrayOf(fields["locations"]) ?? undefined,
  };
}
