import type { AuthMethod, CreateElicitationRequest } from "@agentclientprotocol/sdk";
import { z } from "zod";
import type { AgentSummary, RulesDamage, SessionSummary } from "../../frames.ts";
import { acp, time } from "./acp.ts";

export const sessionSummary = z.object({
  sessionId: z.string(),
  agent: z.string(),
  cwd: z.string(),
  roots: z.array(z.string()),
  title: z.string().nullable(),
  firstPrompt: z.string().nullable().describe("The beginning of the first prompt."),
  parent: z.string().nullable().describe("The session that it was forked from or belongs to."),
  hasFailed: z.boolean().describe("Whether its last turn ended in an error."),
  state: z.enum(["idle", "running", "stalled", "needs-answer"]),
  openedAt: time.nullable(),
  closedAt: time.nullable(),
  lastAt: time.describe("The time of the last activity."),
  head: z.int().describe("The sequence number of its last event."),
}) satisfies z.ZodType<SessionSummary>;

const lastChoice = z.object({
  configId: z.string(),
  value: z.union([z.string(), z.boolean()]),
  category: z.enum(["model", "thought_level"]),
  name: z.string(),
});

const progress = z.object({
  what: z.enum(["install", "sign-in"]),
  message: z.string(),
  terminalId: z.string().exactOptional().describe("The terminal of a sign-in that runs in one."),
  url: z.string().exactOptional().describe("A page that the agent wants opened."),
  question: acp<CreateElicitationRequest>("What the agent asks while it signs in.").exactOptional(),
  questionId: z.string().exactOptional(),
});

export const agentSummary = z.object({
  id: z.string(),
  name: z.string(),
  found: z.boolean(),
  how: z.string().describe("How it is started, or where it was looked for."),
  install: z.string().nullable().describe("The command that installs it, if it is known."),
  signedIn: z.boolean().nullable().describe("Null: not known before it is started."),
  signInMethods: z.array(acp<AuthMethod>("An authentication method of ACP.")),
  canSignOut: z.boolean().nullable().describe("Null before it was started."),
  keys: z
    .array(z.object({ name: z.string(), variable: z.string().nullable() }))
    .nullable()
    .describe("Which keys it has, never the keys themselves; for admins."),
  progress: progress.nullable(),
  lastChoices: z.array(lastChoice),
}) satisfies z.ZodType<AgentSummary>;

export const rulesDamage = z
  .object({ movedTo: z.string().nullable(), reason: z.string(), at: time })
  .describe(
    "The rules file could not be read: no rule allows anything until this is acknowledged.",
  ) satisfies z.ZodType<RulesDamage>;
