import type {
  AvailableCommand,
  ContentBlock,
  Cost,
  PlanEntry,
  ToolCallContent,
  ToolCallLocation,
} from "@agentclientprotocol/sdk";
import { z } from "zod";
import type { SessionView } from "../../view.ts";
import type { Block, Item, ItemType } from "../../view/item.ts";
import { acp, time } from "./acp.ts";
import {
  actor,
  agentInfo,
  askOutcome,
  capabilities,
  codeAndMessage,
  configOptions,
  confinement,
  modes,
  models,
  permissionOptions,
  question,
  rung,
  startedHow,
  stopReason,
  turnState,
  turnUsage,
} from "./event.ts";
import { execution } from "./execution.ts";

const text = z.string();
const textOrNull = z.string().nullable();
const sequence = z.int().describe("The sequence number of an event.");

const blocks: z.ZodType<Block[]> = z.array(acp<ContentBlock>("A content block of ACP."));

const turnEnd = z.object({
  at: time,
  stopReason,
  error: codeAndMessage.nullable(),
  usage: turnUsage.nullable(),
});

const settled = z
  .object({ at: time, outcome: askOutcome, by: actor, note: text.exactOptional() })
  .nullable();

const exit = { code: z.number().nullable(), signal: textOrNull, stderr: text };

function item<Type extends ItemType, Fields extends z.ZodRawShape>(type: Type, fields: Fields) {
  return z.object({
    key: text,
    first: sequence,
    last: sequence,
    at: time,
    type: z.literal(type),
    ...fields,
  });
}

export const viewItem = z.union([
  item("prompt", {
    promptId: text,
    turnId: text,
    content: blocks,
    by: textOrNull,
    echoedLength: z.int(),
    end: turnEnd.nullable(),
  }),
  item("message", { role: z.enum(["agent", "user"]), messageId: textOrNull, content: blocks }),
  item("thought", { messageId: textOrNull, content: blocks }),
  item("tool-call", {
    toolCallId: text,
    title: text,
    name: textOrNull,
    kind: text,
    status: text,
    ended: z.enum(["cancelled", "unfinished"]).nullable(),
    endedAt: time.nullable(),
    content: z.array(acp<ToolCallContent>("The content of a tool call of ACP.")),
    locations: z.array(acp<ToolCallLocation>("A location of ACP.")),
    rawInput: z.unknown(),
    rawOutput: z.unknown(),
    subagent: textOrNull,
    execution,
    isUnannounced: z.literal(true).exactOptional(),
  }),
  item("ask", {
    ask: z.literal("permission"),
    askId: text,
    settled,
    toolCallId: textOrNull,
    options: permissionOptions,
    because: z.array(text).exactOptional(),
    leavesSandbox: z.literal(true).exactOptional(),
  }),
  item("ask", { ask: z.literal("question"), askId: text, settled, request: question }),
  item("turn-ended", { turnId: text, stopReason, error: codeAndMessage.nullable() }),
  item("notice", { severity: text, title: text, description: textOrNull }),
  item("compaction", {
    compactionId: text,
    status: text,
    summary: blocks,
    error: textOrNull,
  }),
  item("session-message", {
    messageId: text,
    senderSessionId: textOrNull,
    recipientSessionId: textOrNull,
    content: blocks,
  }),
  item("agent-started", { how: startedHow }),
  item("agent-exited", exit),
  item("error", { code: text, message: text, help: textOrNull }),
  item("unknown", {
    of: z.enum(["update", "event"]),
    name: text,
    value: z.record(z.string(), z.unknown()),
  }),
]) satisfies z.ZodType<Item>;

const planEntries = z.array(acp<PlanEntry>("A plan entry of ACP."));

const thread = {
  items: z.array(viewItem),
  plan: planEntries,
  plans: z.array(
    z.union([
      z.object({ planId: text, type: z.literal("items"), entries: planEntries }),
      z.object({ planId: text, type: z.literal("file"), uri: text }),
      z.object({ planId: text, type: z.literal("markdown"), content: text }),
    ]),
  ),
  usage: z
    .object({
      used: z.number(),
      size: z.number(),
      cost: acp<Cost>("A cost of ACP.").nullable(),
    })
    .nullable(),
  trimmed: z
    .object({ items: z.int(), before: sequence })
    .nullable()
    .describe("How many older items were left out, and the event before which they are."),
};

const subagent = z.object({
  ...thread,
  key: text,
  first: sequence,
  last: sequence,
  parent: textOrNull,
  toolCallId: textOrNull,
  awaits: text.exactOptional(),
  sessionId: textOrNull,
  agentType: textOrNull,
  title: textOrNull,
  description: textOrNull,
  model: textOrNull,
  state: text,
  toolsUsed: z.array(z.object({ tool: text, title: textOrNull, status: textOrNull })),
  cancellable: z.boolean(),
});

const terminal = z.object({
  terminalId: text,
  first: sequence,
  last: sequence,
  command: text,
  args: z.array(text),
  cwd: text,
  by: z.enum(["landline", "agent"]),
  confinement: confinement.exactOptional(),
  hasLeftSandbox: z.literal(true).exactOptional(),
  editor: text.exactOptional().describe("The editor in which the terminal is."),
  restartAsk: text.exactOptional(),
  text: text.describe("The latest output; the log has all of it."),
  truncated: z.boolean(),
  exit: z.object({ exitCode: z.number().nullable(), signal: textOrNull }).nullable(),
});

/** A session as a person sees it: what `fold` makes of its events. */
export const sessionView = z.object({
  ...thread,
  head: sequence,
  session: z.object({
    agent: text,
    cwd: text,
    roots: z.array(text),
    title: textOrNull,
    titleBy: z.enum(["person", "agent"]).nullable(),
    firstPrompt: textOrNull,
    parent: textOrNull,
    openedBy: textOrNull,
    openedAt: time.nullable(),
    closedBy: textOrNull,
    closedAt: time.nullable(),
  }),
  agent: z.object({
    state: z.enum(["none", "running", "exited"]),
    waiting: z.object({ running: z.int(), limit: z.int() }).exactOptional(),
    starts: z.int(),
    agentSessionId: textOrNull,
    how: startedHow.nullable(),
    info: agentInfo,
    capabilities: capabilities.nullable(),
    exit: z.object({ at: time, ...exit }).nullable(),
    runs: z.array(
      z.object({
        from: sequence,
        isBuiltIn: z.literal(true).exactOptional(),
        confinement: confinement.exactOptional(),
      }),
    ),
    noise: z.object({ count: z.int(), lines: z.array(text), reason: textOrNull }),
  }),
  turn: z.object({
    state: z.union([z.literal("idle"), turnState]),
    turnId: textOrNull,
    promptId: textOrNull,
    rung: rung.nullable(),
    first: sequence.nullable(),
    startedAt: time.nullable(),
    changedBy: textOrNull,
  }),
  lastTurn: turnEnd
    .extend({ turnId: text, promptId: textOrNull, startedAt: time.nullable() })
    .nullable(),
  queue: z.array(
    z.object({
      promptId: text,
      content: blocks,
      by: text,
      at: time,
      first: sequence,
      last: sequence,
    }),
  ),
  openAsks: z.array(z.object({ askId: text, item: text, subagent: textOrNull })),
  modes,
  configOptions,
  models,
  commands: z.array(acp<AvailableCommand>("A command of ACP.")),
  subagents: z.array(subagent),
  terminals: z.array(terminal),
  files: z.object({
    reads: z.int(),
    writes: z.int(),
    touched: z.array(z.object({ path: text, reads: z.int(), writes: z.int(), last: sequence })),
  }),
  unknownCount: z.int(),
  activeAt: time.nullable(),
}) satisfies z.ZodType<SessionView>;
