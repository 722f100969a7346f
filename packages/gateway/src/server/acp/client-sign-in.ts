import type {
  AuthMethod,
  ClientCapabilities,
  CreateElicitationRequest,
} from "@agentclientprotocol/sdk";
import { LandlineError, operations, type OperationName } from "@landline/protocol";
import { isRecord } from "@landline/system/json";
import type { AgentConnection } from "../../acp-connection/connection.ts";
import type { RequestId } from "../../acp-connection/message.ts";
import { kindOf } from "../../sign-in/sign-in-method.ts";
import type { Principal } from "../auth.ts";
import { requireRole } from "../roles.ts";
import type { AgentList } from "../services.ts";
import type { Params } from "./acp-fields.ts";
import { takesQuestion } from "./client-requests.ts";

/**
 * The sign-in methods for a client. A client runs a terminal method as its own agent command with more arguments. That
 * command is `landline acp`, which shows the terminal of the gateway in which the agent's own program runs.
 */
export function authMethodsFor(
  agentId: string,
  methods: readonly AuthMethod[],
  { auth, _meta }: ClientCapabilities,
): AuthMethod[] {
  return methods.flatMap((method) => {
    if (kindOf(method) !== "terminal") return [method];
    // Older clients run the program that the method names.
    const isOlder = _meta?.[OLDER] === true && isRecord(method._meta?.[OLDER]);
    if (auth?.terminal !== true) return isOlder ? [method] : [];
    const { id, name, description } = method;
    return {
      type: "terminal",
      id,
      name,
      ...(typeof description === "string" && { description }),
      args: ["--agent", agentId, "--sign-in", id],
    };
  });
}

const OLDER = "terminal-auth";

/** A terminal method is never authenticated with. */
function mustNotBeTerminal(methods: readonly AuthMethod[], methodId: unknown): void {
  const method = methods.find(({ id }) => id === methodId);
  if (method && kindOf(method) === "terminal")
    throw new LandlineError("invalid-params", {
      message: `"${method.name}" needs a terminal.`,
      help: `Run the agent's command with --sign-in ${method.id} in a terminal, or sign in in the page of the gateway.`,
    });
}

interface ClientSignInParts {
  readonly agentId: string;
  readonly agents: Pick<AgentList, "watch" | "signInMethods">;
  readonly connection: AgentConnection;
  readonly capabilities: ClientCapabilities;
  /** The client's request `authenticate`, to which the questions belong. */
  readonly requestId: RequestId;
  /** Runs an operation as the client. */
  readonly operate: (name: OperationName, input: Params) => Promise<unknown>;
}

/** Runs `authenticate`. Questions of the agent go to this client, which may answer them. */
export async function signInClient(
  methodId: unknown,
  { principal, ...parts }: ClientSignInParts & { readonly principal: Principal },
): Promise<object> {
  const { agentId: agent, agents, operate } = parts;
  // Others must not see the questions.
  requireRole(principal, operations["answer-sign-in"].role);
  mustNotBeTerminal(await agents.signInMethods(agent), methodId);
  using _questions = new ClientSignIn(parts);
  await operate("sign-in", { agent, methodId });
  return {};
}

/** Passes the questions of an agent during a sign-in to the client that requested it. Other clients see them too. */
class ClientSignIn implements Disposable {
  readonly #parts: ClientSignInParts;
  readonly #watch: Disposable;
  #asked: { readonly questionId: string; readonly requestId: RequestId | null } | null = null;

  constructor(parts: ClientSignInParts) {
    this.#parts = parts;
    this.#watch = parts.agents.watch((agents) => {
      const progress = agents.find(({ id }) => id === parts.agentId)?.progress;
      this.#show(progress?.questionId, progress?.question);
    });
  }

  [Symbol.dispose](): void {
    this.#watch[Symbol.dispose]();
    this.#withdraw();
  }

  #show(questionId?: string, question?: CreateElicitationRequest): void {
    if (questionId === this.#asked?.questionId) return;
    this.#withdraw();
    const { agentId: agent, connection, capabilities, requestId, operate } = this.#parts;
    if (questionId === undefined || !question || !takesQuestion(capabilities, question)) return;
    const { sessionId: _ofAgent, ...rest } = question as CreateElicitationRequest & {
      readonly sessionId?: unknown;
    };
    const sent = connection.call(
      "elicitation/create",
      { ...rest, requestId },
      {},
      ({ result, error }) => {
        if (this.#asked?.questionId === questionId) this.#asked = { questionId, requestId: null };
        if (!error)
          operate("answer-sign-in", { agent, questionId, outcome: result }).catch(() => {});
      },
    );
    this.#asked = { questionId, requestId: sent };
  }

  #withdraw(): void {
    const requestId = this.#asked?.requestId ?? null;
    this.#asked = null;
    if (requestId !== null) this.#parts.connection.cancel(requestId);
  }
}
