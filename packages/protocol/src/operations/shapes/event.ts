import type {
  AgentCapabilities,
  ContentBlock,
  CreateElicitationRequest,
  CreateElicitationResponse,
  Implementation,
  PermissionOption,
  RequestPermissionOutcome,
  SessionConfigOption,
  SessionModeState,
  ToolCallUpdate,
} from "@agentclientprotocol/sdk";
import { z } from "zod";
import type { EventKind, SessionEvent, TurnEnded } from "../../events.ts";
import { acp, time } from "./acp.ts";
import { actor, confinement } from "./execution.ts";

/** A string that is too long for a line of the log stands as a reference to its text (`read-blob`). */
export const blobReference = z.object({ $blob: z.string(), bytes: z.int() });

const longText = z.union([z.string(), blobReference]) as unknown as z.ZodType<string>;

export const content = z.array(acp<ContentBlock>("A content block of ACP."));
export const modes = acp<SessionModeState>("The modes of ACP.").nullable();
export const configOptions = z
  .array(acp<SessionConfigOption>("A config option of ACP."))
  .nullable();
export const models = z
  .object({
    currentModelId: z.string(),
    availableModels: z.array(
      z.object({
        modelId: z.string(),
        name: z.string(),
        description: z.string().nullable().exactOptional(),
      }),
    ),
  })
  .nullable();
export const agentInfo = acp<Implementation>(
  "Name and version, as the agent gave them.",
).nullable();
export const capabilities = acp<AgentCapabilities>("The agent capabilities of ACP.");
export const startedHow = z.enum(["new", "resume", "load", "fork", "transcript"]);
export const turnState = z.enum(["running", "stalled", "cancelling"]);
export const rung = z.enum(["cancel", "cancel-request", "restart"]);
export const stopReason = z.string() as unknown as z.ZodType<TurnEnded["stopReason"]>;
export const codeAndMessage = z.object({ code: z.string(), message: longText });
const tokens = z.number().nullable().exactOptional();
export const turnUsage = z.object({
  totalTokens: z.number().exactOptional(),
  inputTokens: z.number().exactOptional(),
  outputTokens: z.number().exactOptional(),
  thoughtTokens: tokens,
  cachedReadTokens: tokens,
  cachedWriteTokens: tokens,
});
export const permissionOptions = z.array(acp<PermissionOption>("A permission option of ACP."));
export const question = acp<CreateElicitationRequest>("A question of ACP (elicitation).");
export const askOutcome = acp<RequestPermissionOutcome | CreateElicitationResponse>(
  "The outcome of a permission request, or the answer to a question.",
);

const child = z
  .string()
  .exactOptional()
  .describe("The agent's id of the child session that it was for.");
const via = z.enum(["disk", "editor"]);
const ask = z.string().exactOptional().describe("The permission request that allowed it.");

function event<Kind extends EventKind, Fields extends z.ZodRawShape>(kind: Kind, fields: Fields) {
  return z.object({ seq: z.int().min(1), at: time, kind: z.literal(kind), ...fields });
}

/** One event of a session's log. */
export const sessionEvent = z
  .union([
    event("session-opened", {
      agent: z.string(),
      cwd: z.string(),
      roots: z.array(z.string()),
      title: z.string().nullable(),
      parent: z.string().nullable(),
      agentSessionId: z.string().exactOptional(),
      by: z.string(),
    }),
    event("session-changed", {
      title: z.string().nullable().exactOptional(),
      cwd: z.string().exactOptional(),
      roots: z.array(z.string()).exactOptional(),
      by: z.string().exactOptional(),
    }),
    event("session-closed", { by: z.string() }),
    event("agent-waiting", { running: z.int(), limit: z.int() }),
    event("agent-started", {
      agentSessionId: z.string(),
      how: startedHow,
      info: agentInfo,
      capabilities,
      confinement: confinement.exactOptional(),
      isBuiltIn: z.literal(true).exactOptional(),
    }),
    event("agent-exited", {
      code: z.number().nullable(),
      signal: z.string().nullable(),
      stderr: longText,
      because: z.enum(["idle", "room", "signed-out"]).exactOptional(),
      by: z.string().exactOptional(),
    }),
    event("agent-noise", {
      lines: z.array(longText),
      count: z.int(),
      reason: z.string(),
    }),
    event("options-changed", {
      modes: modes.exactOptional(),
      configOptions: configOptions.exactOptional(),
      models: models.exactOptional(),
      by: z.string().exactOptional(),
    }),
    event("prompt-queued", { promptId: z.string(), content, by: z.string() }),
    event("prompt-changed", { promptId: z.string(), content, by: z.string() }),
    event("prompt-withdrawn", { promptId: z.string(), by: z.string() }),
    event("prompt-moved", {
      promptId: z.string(),
      before: z.string().nullable(),
      by: z.string(),
    }),
    event("turn-started", { turnId: z.string(), promptId: z.string() }),
    event("turn-changed", {
      turnId: z.string(),
      state: turnState,
      rung: rung.exactOptional(),
      by: z.string().exactOptional(),
    }),
    event("turn-ended", {
      turnId: z.string(),
      stopReason,
      error: codeAndMessage.exactOptional(),
      usage: turnUsage.exactOptional(),
    }),
    event("update", {
      update: z.record(z.string(), z.unknown()).describe("`params.update` as the agent sent it."),
      child,
    }),
    event("ask-opened", {
      askId: z.string(),
      ask: z.literal("permission"),
      toolCall: acp<ToolCallUpdate>("The tool call that it is about."),
      options: permissionOptions,
      child,
    }),
    event("ask-opened", {
      askId: z.string(),
      ask: z.literal("question"),
      request: question,
      child,
    }),
    event("ask-explained", { askId: z.string(), reasons: z.array(z.string()) }),
    event("ask-settled", {
      askId: z.string(),
      outcome: askOutcome,
      by: actor,
      note: longText.exactOptional(),
    }),
    event("file-read", {
      path: z.string(),
      bytes: z.int(),
      via,
      line: z.number().exactOptional(),
      limit: z.number().exactOptional(),
      ask,
    }),
    event("file-written", { path: z.string(), bytes: z.int(), via, ask }),
    event("terminal-opened", {
      terminalId: z.string(),
      command: longText,
      args: z.array(longText),
      cwd: z.string(),
      confinement: confinement.exactOptional(),
    }),
    event("terminal-restarted", { terminalId: z.string(), confinement, ask: z.string() }),
    event("terminal-output", { terminalId: z.string(), text: longText }),
    event("terminal-exited", {
      terminalId: z.string(),
      exitCode: z.number().nullable(),
      signal: z.string().nullable(),
    }),
    event("error", {
      code: z.string(),
      message: longText,
      help: z.string().exactOptional(),
    }),
  ])
  .describe(
    "A later version may add kinds and fields: pass over those that you do not know.",
  ) satisfies z.ZodType<SessionEvent>;

/** `satisfies` does not see a kind or a field that is missing here; this does. */
type Shaped = z.output<typeof sessionEvent>;
type FieldsOf<Union, Kind> = Union extends { readonly kind: Kind } ? keyof Union : never;
type Missing = {
  [Kind in EventKind]: Exclude<FieldsOf<SessionEvent, Kind>, FieldsOf<Shaped, Kind>>;
}[EventKind];
null as unknown as Missing satisfies never;
