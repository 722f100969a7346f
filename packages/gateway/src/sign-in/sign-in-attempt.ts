import { homedir } from "node:os";
import type { AuthMethod } from "@agentclientprotocol/sdk";
import { LandlineError, type AgentProgress, type Limits } from "@landline/protocol";
import type { AgentEntry, AgentHost, RunningAgent } from "../agents/agent.ts";
import type { AgentRequest } from "../acp-connection/agent-request.ts";
import type { ConnectionHandlers } from "../acp-connection/connection.ts";
import type { TerminalCall } from "../agents/terminal-process.ts";
import { exitError } from "../agents/exit-error.ts";
import { ignoreAll, withSignInAgent } from "./sign-in-agent.ts";
import { signInStep } from "./sign-in-method.ts";
import { SignInQuestions } from "./sign-in-questions.ts";
import { SignInTerminal } from "./sign-in-terminal.ts";

const NAME_MAX = 200;
/** The maximum length of the screen text in the error of a failed program. */
const SCREEN_TEXT_MAX = 2_000;

export interface SignInAttemptOptions {
  readonly entry: AgentEntry;
  readonly agents: AgentHost;
  readonly limits: Limits;
  /** The agent answered `initialize`. Returns the usable methods. */
  readonly introduced: (agent: RunningAgent) => readonly AuthMethod[];
  /** The agent accepted the sign-in with this response. */
  readonly accepted: (answer: unknown) => void;
  /** The agent refused the sign-in. */
  readonly refused: () => void;
  /** Shows the progress to people. */
  readonly show: (progress: Omit<AgentProgress, "what">) => void;
}

/** How the sign-in was performed. */
export type SignInKind = "agent" | "terminal";

/**
 * One sign-in to one agent, in its own processes. `cancel` ends them, and the sign-in fails with the given reason.
 */
export class SignInAttempt {
  readonly questions: SignInQuestions;
  readonly over: Promise<SignInKind>;
  readonly #options: SignInAttemptOptions;
  readonly #abort = new AbortController();
  #terminal: SignInTerminal | null = null;

  constructor(options: SignInAttemptOptions, methodId: string) {
    this.#options = options;
    this.questions = new SignInQuestions({
      limits: options.limits,
      show: (shown) => this.#show(shown),
    });
    this.over = this.#run(methodId).finally(() => this.questions.close());
  }

  /** Null unless a sign-in terminal is open. */
  get terminal(): SignInTerminal | null {
    return this.#terminal;
  }

  /** Resolves when all its processes have ended. */
  async cancel(reason: LandlineError): Promise<void> {
    this.#abort.abort(reason);
    this.questions.close();
    await this.over.catch(() => {});
  }

  async #run(methodId: string): Promise<SignInKind> {
    const { entry, introduced } = this.#options;
    this.#show({ message: `Starting ${entry.name}.` });
    const { method, call } = await this.#withAgent(async (agent) => {
      const step = signInStep(entry, introduced(agent), methodId);
      if (step.call === null) await this.#authenticate(agent, step.method);
      return step;
    });
    if (call === null) return "agent";
    await this.#runInTerminal(call, method.name.slice(0, NAME_MAX));
    await this.#verify(method.name.slice(0, NAME_MAX));
    return "terminal";
  }

  #withAgent<Result>(use: (agent: RunningAgent) => Promise<Result>): Promise<Result> {
    const { entry, agents, limits } = this.#options;
    const { signal } = this.#abort;
    return withSignInAgent({ entry, agents, limits, signal, handlers: this.#handlers }, use);
  }

  async #authenticate(agent: RunningAgent, method: AuthMethod): Promise<void> {
    const { entry, limits, accepted, refused } = this.#options;
    const name = method.name.slice(0, NAME_MAX);
    this.#show({
      message: `Signing in with "${name}". ${entry.name} may open a page in a browser.`,
    });
    const params = { methodId: method.id };
    const timeoutMs = limits.signInMs;
    try {
      accepted(await agent.connection.request("authenticate", params, { timeoutMs }));
    } catch (error) {
      this.#abort.signal.throwIfAborted();
      refused();
      const isGone = error instanceof LandlineError && error.code === "connection-lost";
      const cause = isGone ? exitError(await agent.stop()) : error;
      throw failed(entry, name, cause, { stderr: agent.stderr() });
    }
    // The sign-in may have been cancelled before the response arrived.
    this.#abort.signal.throwIfAborted();
  }

  async #runInTerminal(call: TerminalCall, name: string): Promise<void> {
    const { entry, agents, limits } = this.#options;
    if (entry.kind !== "process") return;
    const { signal } = this.#abort;
    signal.throwIfAborted();
    const opened = await agents.openTerminal({ entry, call, cwd: homedir(), limits });
    using terminal = new SignInTerminal(opened, limits);
    const stop = () => void terminal.stop();
    signal.addEventListener("abort", stop);
    if (signal.aborted) stop();
    this.#terminal = terminal;
    this.#show({ message: `Signing in with "${name}" in a terminal.`, terminalId: terminal.id });
    try {
      const { code, signal: killedBy } = await terminal.over();
      if (code !== 0) throw new LandlineError("auth-required", { message: endOf(code, killedBy) });
    } catch (error) {
      signal.throwIfAborted();
      throw failed(entry, name, error, { screen: opened.screen.stderrSummary(SCREEN_TEXT_MAX) });
    } finally {
      signal.removeEventListener("abort", stop);
      this.#terminal = null;
    }
  }

  /** The program succeeded. Starts the agent again and queries its sign-in state if it supports that. */
  async #verify(name: string): Promise<void> {
    const { entry, introduced, limits } = this.#options;
    this.#show({ message: `Checking whether ${entry.name} is signed in.` });
    const state = await this.#withAgent(async (agent) => {
      introduced(agent);
      return stateOf(agent, limits.signInStatusMs);
    });
    if (state !== "unauthenticated") return;
    const message = "its program succeeded, but the agent reports that it is not signed in.";
    throw failed(entry, name, new LandlineError("auth-required", { message }), {});
  }

  readonly #handlers: ConnectionHandlers = {
    ...ignoreAll,
    notification: (method, params) => {
      const { elicitationId } = (params ?? {}) as { elicitationId?: unknown };
      if (method === "elicitation/complete") this.questions.complete(elicitationId);
    },
    request: (request) => this.#ask(request),
  };

  /** During a sign-in, an agent may only ask questions. */
  #ask(request: AgentRequest): void {
    if (request.method === "elicitation/create") this.questions.ask(request);
    else ignoreAll.request(request);
  }

  #show(progress: Omit<AgentProgress, "what">): void {
    if (!this.#abort.signal.aborted) this.#options.show(progress);
  }
}

/** Unstable in ACP: the sign-in state that the agent reports, or null if it reports none. */
async function stateOf(
  { capabilities, connection }: RunningAgent,
  timeoutMs: number,
): Promise<unknown> {
  const { status } = (capabilities.auth ?? {}) as { status?: unknown };
  if (typeof status !== "object" || status === null) return null;
  try {
    const result = await connection.request("auth/status", {}, { timeoutMs });
    return (result as { state?: unknown } | null)?.state ?? null;
  } catch {
    return null;
  }
}

function endOf(code: number | null, signal: string | null): string {
  return signal === null
    ? `its program ended with exit code ${code}.`
    : `its program was ended by the signal ${signal}.`;
}

function failed(
  entry: AgentEntry,
  method: string,
  error: unknown,
  facts: { readonly stderr?: string; readonly screen?: string },
): LandlineError {
  const cause = error instanceof LandlineError ? error : new LandlineError("internal-error");
  // An internal error of the agent is not an internal error of the gateway.
  const code = cause.code === "internal-error" ? "auth-required" : cause.code;
  return new LandlineError(code, {
    message: `Signing in to ${entry.name} with "${method}" failed: ${cause.message.slice(0, 1_000)}`,
    help: "Try again, or choose another method.",
    data: { ...cause.data, agent: entry.id, ...facts },
    cause: error,
  });
}
