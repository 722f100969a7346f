import type { AuthMethod } from "@agentclientprotocol/sdk";
import { z } from "zod";
import { type Contract, input, numberInQuery } from "../contract.ts";
import { absolutePath, bounds, id } from "../fields.ts";
import { questionOutcomeSchema } from "../outcome.ts";
import { acp } from "../shapes/acp.ts";
import { agentSummary } from "../shapes/summary.ts";
import type { OperationName } from "../table.ts";

const agent = { agent: id };
const terminal = { terminalId: id };

/** Agents, signing in to them and out of them, and the terminals of sign-ins. */
export const agentContracts = {
  "list-agents": {
    summary: "The agents that sessions can be opened with",
    input: input({}),
    output: z.object({ agents: z.array(agentSummary) }),
  },
  "list-sign-in-methods": {
    summary: "The sign-in methods of an agent; starts the agent if they are not known yet",
    input: input(agent),
    output: z.object({
      agent: z.string(),
      methods: z.array(acp<AuthMethod>("An authentication method of ACP.")),
    }),
  },
  "sign-in": {
    summary: "Sign in to an agent with one of its methods; answered when that has ended",
    input: input({ ...agent, methodId: id }),
    output: z.object({ agent: z.string(), methodId: z.string() }),
  },
  "answer-sign-in": {
    summary: "Answer the question that an agent asks while it signs in (`progress.question`)",
    input: input({
      ...agent,
      outcome: questionOutcomeSchema,
      questionId: id.exactOptional().describe("Without it, whichever question is open."),
    }),
    output: z.object({ agent: z.string() }),
  },
  "cancel-sign-in": {
    summary: "Cancel the running sign-in; answered when its processes have ended",
    input: input(agent),
    output: null,
  },
  "sign-out": {
    summary: "Sign out of an agent that offers it (`canSignOut`); answered when that has ended",
    input: input(agent),
    output: z.object({ agent: z.string() }),
  },
  "list-agent-sessions": {
    summary:
      "The sessions that an agent stores itself, including those opened elsewhere; the agent is started to list them",
    input: input({
      ...agent,
      cwd: absolutePath.exactOptional().describe("Only sessions in this folder."),
      cursor: z
        .string()
        .max(bounds.pathLength)
        .exactOptional()
        .describe("nextCursor of the page before."),
    }),
    output: z.object({
      sessions: z.array(
        z.object({
          agentSessionId: z.string(),
          sessionId: z
            .string()
            .nullable()
            .describe("The session here that continues it; null if there is none."),
          cwd: z.string(),
          title: z.string().nullable(),
          updatedAt: z.string().nullable(),
        }),
      ),
      nextCursor: z.string().nullable(),
    }),
  },
  "forget-choices": {
    summary: "Forget the last options chosen with an agent (`lastChoices`)",
    input: input(agent),
    output: null,
  },
  "read-terminal": {
    summary: "The screen of a sign-in's terminal (`progress.terminalId` of the agent)",
    input: input({
      ...terminal,
      after: numberInQuery(0)
        .exactOptional()
        .describe("`next` of the answer before; without it, the whole screen."),
      wait: numberInQuery(0).exactOptional().describe("Milliseconds to wait for output."),
    }),
    output: z.object({ text: z.string(), next: z.int() }),
  },
  "terminal-attach": {
    summary: "Stream the terminal of a sign-in as `terminal` frames",
    input: input(terminal),
    output: null,
  },
  "terminal-detach": {
    summary: "Stop the stream of a sign-in terminal",
    input: input(terminal),
    output: null,
  },
  "terminal-input": {
    summary: "Type into a sign-in's terminal",
    input: input({ ...terminal, text: z.string().min(1).max(bounds.terminalInputLength) }),
    output: null,
  },
  "terminal-resize": {
    summary: "Set the size of a sign-in's terminal",
    input: input({
      ...terminal,
      columns: z.int().min(1).max(bounds.terminalCells),
      rows: z.int().min(1).max(bounds.terminalCells),
    }),
    output: null,
  },
} as const satisfies Partial<Record<OperationName, Contract>>;
