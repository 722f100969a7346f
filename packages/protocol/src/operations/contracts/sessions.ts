import { z } from "zod";
import { type Contract, input, limit, numberInQuery, session } from "../contract.ts";
import { absolutePath, bounds, cursor, id, list, title, value } from "../fields.ts";
import { mcpServersSchema } from "../mcp-servers.ts";
import { sessionEvent } from "../shapes/event.ts";
import { sessionSummary } from "../shapes/summary.ts";
import { sessionView } from "../shapes/view.ts";
import type { OperationName } from "../table.ts";

const ofSession = { sessionId: id };

/** One of the agent's config options, or `model` of its older models, and what it is to be. */
const choice = { configId: id, value: z.union([value, z.boolean()]) };

const traceLine = z.object({
  number: z.int().describe("Counts the lines of the trace from 1."),
  at: z.number(),
  direction: z.enum(["in", "out"]).describe("`in`: to the agent. `out`: from it."),
  message: z.unknown().optional().describe("The message, with secrets masked."),
  text: z.string().exactOptional().describe("Instead of a message that is cut, or is not JSON."),
  length: z.int().exactOptional().describe("Its length in characters, if it is cut."),
});

/** Sessions: opened, listed, read, followed, changed and closed. */
export const sessionContracts = {
  "list-sessions": {
    summary: "Sessions, latest activity first",
    input: input({
      session: session.exactOptional().describe("Only this one."),
      cwd: z.string().max(bounds.pathLength).exactOptional().describe("Only those in this folder."),
      parent: session.exactOptional().describe("Only those forked from or belonging to this one."),
      cursor: z
        .string()
        .max(bounds.pathLength)
        .exactOptional()
        .describe("nextCursor of the page before."),
      limit: limit.exactOptional(),
    }),
    output: z.object({ sessions: z.array(sessionSummary), nextCursor: z.string().nullable() }),
  },
  open: {
    summary: "Open a session",
    input: input({
      agent: id,
      cwd: absolutePath,
      roots: list(absolutePath, { most: bounds.rootsPerSession }).exactOptional(),
      mcpServers: mcpServersSchema.exactOptional(),
      title: title.exactOptional(),
      agentSessionId: id
        .exactOptional()
        .describe(
          "Continues a session that the agent stores itself (`list-agent-sessions`). Its history is loaded if the agent can replay it. Repeated, it returns the same session.",
        ),
      config: list(z.strictObject(choice), { most: bounds.choicesPerSession })
        .exactOptional()
        .describe(
          "Applied in this order before the first prompt; a refused option is an error event in the log.",
        ),
    }),
    output: sessionSummary,
    status: 201,
  },
  attach: {
    summary: "Follow a session: stream its events after a sequence number, including new ones",
    input: input({
      ...ofSession,
      after: cursor.exactOptional().describe("Without it, from the start."),
    }),
    output: z.object({
      sessionId: z.string(),
      head: z.int(),
      from: z.enum(["tail", "snapshot"]),
    }),
  },
  detach: { summary: "Stop following a session", input: input(ofSession), output: null },
  "read-session": {
    summary: "A session and its view",
    input: input(ofSession),
    output: sessionSummary.extend({ view: sessionView }),
  },
  rename: {
    summary: "Set the title of a session; null removes it, and the agent may set one",
    input: input({ ...ofSession, title: title.nullable() }),
    output: sessionSummary,
  },
  close: {
    summary: "Close a session: its agent ends, its log is kept",
    input: input(ofSession),
    output: null,
  },
  delete: {
    summary: "Delete a session and all its data",
    input: input(ofSession),
    output: null,
  },
  fork: {
    summary: "Fork a session: a new session with the same history",
    input: input(ofSession),
    output: sessionSummary,
    status: 201,
  },
  "read-events": {
    summary: "A session's events: a stream, or a page for `Accept: application/json`",
    input: input({
      ...ofSession,
      after: numberInQuery(0)
        .exactOptional()
        .describe("Events after this sequence number; `Last-Event-ID` takes precedence."),
      before: numberInQuery(0)
        .exactOptional()
        .describe("Pages only: the last ones before this sequence number."),
      limit: numberInQuery(1).exactOptional().describe("Pages only: at most this many."),
      wait: numberInQuery(0)
        .exactOptional()
        .describe("Pages only: milliseconds to wait for an event."),
      dialect: z.enum(["landline", "codeopen"]).exactOptional().describe("Streams only."),
    }).refine(
      ({ after, before }) => after === undefined || before === undefined,
      "must have after or before, and not both",
    ),
    output: z.object({ events: z.array(sessionEvent), head: z.int() }),
    media: ["application/json", "text/event-stream"],
  },
  "set-mode": {
    summary: "Set the mode of a session's agent",
    input: input({ ...ofSession, modeId: id }),
    output: z.object({ modeId: z.string() }),
  },
  "set-config": {
    summary: "Set an option of a session's agent",
    input: input({
      ...ofSession,
      ...choice,
      remember: z
        .boolean()
        .exactOptional()
        .describe(
          "Also use the value for new sessions with this agent. Modes are never remembered.",
        ),
    }),
    output: z.object({ configId: z.string(), value: z.union([z.string(), z.boolean()]) }),
  },
  export: {
    summary: "Export a session",
    input: input({
      ...ofSession,
      format: z
        .enum(["json", "markdown", "html"])
        .exactOptional()
        .describe("Default: according to `Accept`."),
    }),
    output: z.object({
      format: z.literal("landline-export"),
      version: z.literal(1),
      session: sessionSummary,
      events: z.array(sessionEvent),
      executions: z.array(z.looseObject({ first: z.int(), toolCallId: z.string() })),
    }),
    media: ["application/json", "text/markdown", "text/html"],
  },
  "read-trace": {
    summary:
      "The messages to and from a session's agent, newest page first; `lines` is null if they are not recorded",
    input: input({
      ...ofSession,
      before: numberInQuery(1).exactOptional().describe("The last ones before this number."),
      limit: numberInQuery(1, bounds.tracePageLines).exactOptional(),
    }),
    output: z.object({ lines: z.array(traceLine).nullable(), hasMore: z.boolean() }),
  },
} as const satisfies Partial<Record<OperationName, Contract>>;
