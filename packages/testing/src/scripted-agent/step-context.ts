import type { PromptResult } from "./prompt-result.ts";
import type { JsonObject } from "./json.ts";
import type { Output, StreamOutput } from "./output.ts";
import type { Peer, RequestId } from "./peer.ts";
import type { Session, SessionStore } from "./sessions.ts";
import type { Step, StepBodies, StepName } from "./step.ts";
import { fill } from "./template.ts";

/** The environment of the agent: a process, or a test in whose process it runs. */
export interface Host {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Resolves when the stream accepts more. */
  writeStderr(text: string): Promise<void>;
  exit(how: { readonly code?: number; readonly signal?: string }): void;
}

export interface Connection {
  readonly peer: Peer;
  readonly output: StreamOutput;
  readonly store: SessionStore;
  readonly host: Host;
  clientCapabilities(): JsonObject;
}

export interface StepContext {
  readonly connection: Connection;
  readonly output: Output;
  readonly session: Session | undefined;
  /** The session id of this step, if it is not that of the turn. */
  readonly child?: string;
  /** Names for templates. They take precedence over saved values. */
  readonly values: JsonObject;
  readonly saved: Map<string, unknown>;
  readonly openRequests: Set<RequestId>;
  readonly signal: AbortSignal;
  /** Answers the prompt, on this output. */
  answer(ending: PromptResult, output: Output): void;
  play(steps: readonly Step[], context: StepContext): Promise<void>;
}

export type Handlers<Names extends StepName> = {
  readonly [Name in Names]: (body: StepBodies[Name], context: StepContext) => void | Promise<void>;
};

/** A deviation from the scenario: the turn fails, and stderr has the reason. */
export class ScenarioFault extends Error {
  readonly data: JsonObject;

  constructor(message: string, data: JsonObject = {}) {
    super(message);
    this.data = data;
  }
}

/** Thrown by the `end` step. */
export class TurnEnded extends Error {
  readonly ending: PromptResult;

  constructor(ending: PromptResult) {
    super("the turn ended");
    this.ending = ending;
  }
}

export function filled<Value>(value: Value, context: StepContext): Value {
  // Templates only change strings or insert values of the scenario, so the type stays.
  return fill(value, (name) => context.values[name] ?? context.saved.get(name)) as Value;
}

export function sessionIdOf(context: StepContext): string {
  const id = context.child ?? context.session?.id;
  if (id === undefined) {
    throw new ScenarioFault("there is no session here: give the step a `child` session id");
  }
  return id;
}

export function updateMessage(context: StepContext, update: JsonObject): JsonObject {
  const sessionId = sessionIdOf(context);
  return { jsonrpc: "2.0", method: "session/update", params: { sessionId, update } };
}

export function sendUpdate(context: StepContext, update: JsonObject): void {
  context.output.send(updateMessage(context, update));
  remember(context, update);
}

export function remember(context: StepContext, update: JsonObject): void {
  const { session, child, connection } = context;
  if (session !== undefined) connection.store.remember(session, update, child);
}
