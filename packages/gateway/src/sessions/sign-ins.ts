import { homedir } from "node:os";
import type {
  AuthMethod,
  ClientCapabilities,
  CreateElicitationRequest,
} from "@agentclientprotocol/sdk";
import { LandlineError, type Limits } from "@landline/protocol";
import type { AgentEntry, AgentHost, RunningAgent } from "../agents/agent.ts";
import type { Catalog } from "../agents/catalog.ts";
import type { AgentRequest } from "../agents/connection/agent-request.ts";
import type { ConnectionHandlers } from "../agents/connection/connection.ts";
import { checkQuestionRequest } from "../duties/question.ts";
import type { Logger } from "../observe/logger.ts";
import type { LastMethods } from "./last-methods.ts";
import { callableMethod, signInNeeded } from "./sign-in-method.ts";

export interface SignInsOptions {
  readonly agents: AgentHost;
  readonly catalog: Pick<Catalog, "get" | "learned">;
  readonly limits: Limits;
  readonly logger: Pick<Logger, "info" | "warn">;
  readonly lastMethods: LastMethods;
}

/** Where an agent can say that it wants a sign-in. */
type Occasion = "opening" | "prompt";

/**
 * Signing in to agents, and what is known about it; the catalog is told. An agent has at most one sign-in
 * at a time: a later one takes the place of the one before, which fails with `request-cancelled`.
 */
export class SignIns {
  readonly #options: SignInsOptions;
  readonly #underWay = new Map<string, AbortController>();
  readonly #methods = new Map<string, readonly AuthMethod[]>();
  readonly #refused = new Map<string, Occasion>();

  constructor(options: SignInsOptions) {
    this.#options = options;
  }

  /** In an agent of its own, which ends with it. Throws what a person can do something about. */
  async signIn(agentId: string, methodId: string, by: string): Promise<void> {
    const { catalog, logger } = this.#options;
    const entry = catalog.get(agentId);
    this.#underWay.get(entry.id)?.abort();
    const attempt = new AbortController();
    this.#underWay.set(entry.id, attempt);
    this.#progress(entry, `Starting ${entry.name}.`, attempt.signal);
    try {
      await this.#carryOut(entry, methodId, attempt.signal);
      logger.info("Signed in to an agent.", { agent: entry.id, methodId, by });
    } finally {
      if (this.#underWay.get(entry.id) === attempt) {
        this.#underWay.delete(entry.id);
        catalog.learned(entry.id, { progress: null });
      }
    }
  }

  /** By which a sign-in was made last; null when there was none. */
  lastMethod(agentId: string): string | null {
    return this.#options.lastMethods.of(agentId);
  }

  /** The agent has answered initialize. */
  introduced(agentId: string, methods: readonly AuthMethod[]): void {
    const kept: AuthMethod[] = [];
    let length = 0;
    for (const method of methods) {
      length += JSON.stringify(method).length;
      if (length > this.#options.limits.signInMethodsLength) break;
      kept.push(method);
    }
    this.#methods.set(agentId, kept);
    this.#options.catalog.learned(agentId, { signInMethods: kept });
  }

  /** The agent did what it was asked: where it wanted a sign-in for that before, it has one now. */
  accepted(agentId: string, occasion: Occasion): void {
    const refused = this.#refused.get(agentId);
    if (refused === undefined || (refused === "prompt" && occasion === "opening")) return;
    this.#refused.delete(agentId);
    this.#options.catalog.learned(agentId, { signedIn: true });
  }

  /** What went wrong, in words that help; noted when it was for want of a sign-in. */
  explained<Thrown>(entry: AgentEntry, error: Thrown, occasion: Occasion): Thrown | LandlineError {
    if (!(error instanceof LandlineError) || error.code !== "auth-required") return error;
    this.#refused.set(entry.id, occasion);
    this.#options.catalog.learned(entry.id, { signedIn: false });
    return signInNeeded(entry, this.#methods.get(entry.id) ?? [], error);
  }

  async #carryOut(entry: AgentEntry, methodId: string, signal: AbortSignal): Promise<void> {
    const { agents, limits } = this.#options;
    const agent = await agents.start({
      entry,
      cwd: homedir(),
      clientCapabilities,
      limits,
      handlers: this.#handlers(entry, signal),
    });
    const stop = () => void agent.stop();
    signal.addEventListener("abort", stop);
    try {
      if (signal.aborted) throw replaced(entry);
      await this.#authenticate(entry, agent, methodId, signal);
    } finally {
      signal.removeEventListener("abort", stop);
      await agent.stop();
    }
  }

  async #authenticate(
    entry: AgentEntry,
    agent: RunningAgent,
    methodId: string,
    signal: AbortSignal,
  ): Promise<void> {
    const { catalog, limits, lastMethods, logger } = this.#options;
    this.introduced(entry.id, agent.authMethods);
    const method = callableMethod(entry, this.#methods.get(entry.id) ?? [], methodId);
    const name = method.name.slice(0, 200);
    this.#progress(
      entry,
      `Signing in with "${name}". ${entry.name} may open a page in a browser.`,
      signal,
    );
    try {
      await agent.connection.request("authenticate", { methodId }, { timeoutMs: limits.signInMs });
    } catch (error) {
      if (signal.aborted) throw replaced(entry);
      catalog.learned(entry.id, { signedIn: false });
      throw failed(entry, name, error, agent);
    }
    await lastMethods
      .note(entry.id, methodId)
      .catch((error: unknown) =>
        logger.warn("How an agent was signed in to is not kept.", { agent: entry.id, error }),
      );
    this.#refused.delete(entry.id);
    catalog.learned(entry.id, { signedIn: true });
  }

  /** While it signs in, an agent may ask for one thing: that a page is opened. */
  #handlers(entry: AgentEntry, signal: AbortSignal): ConnectionHandlers {
    return {
      update: nothing,
      notification: nothing,
      noise: nothing,
      flush: nothing,
      closed: nothing,
      request: (request) => this.#showPage(entry, request, signal),
    };
  }

  #showPage(entry: AgentEntry, request: AgentRequest, signal: AbortSignal): void {
    const { method, params } = request;
    if (method !== "elicitation/create" || params["mode"] !== "url")
      throw new LandlineError("method-not-found", {
        message: `${method.slice(0, 100)} is not offered while signing in.`,
      });
    checkQuestionRequest(params as CreateElicitationRequest);
    const { message, url } = params;
    const words = typeof message === "string" ? message.slice(0, 1_000) : `${entry.name} asks`;
    this.#progress(entry, `${words}: open ${String(url)}`, signal);
    request.answer({ action: "accept" });
  }

  #progress(entry: AgentEntry, message: string, signal: AbortSignal): void {
    if (signal.aborted) return;
    this.#options.catalog.learned(entry.id, { progress: { what: "sign-in", message } });
  }
}

function nothing(): void {}

/** Of what an agent may be offered, the one thing that a sign-in can need. */
const clientCapabilities: ClientCapabilities = { elicitation: { url: {} } };

function replaced({ name }: AgentEntry): LandlineError {
  return new LandlineError("request-cancelled", {
    message: `Another sign-in to ${name} was begun, and took the place of this one.`,
  });
}

function failed(
  entry: AgentEntry,
  method: string,
  error: unknown,
  agent: RunningAgent,
): LandlineError {
  const cause = error instanceof LandlineError ? error : new LandlineError("internal-error");
  // An error inside the agent is none of ours.
  const code = cause.code === "internal-error" ? "auth-required" : cause.code;
  return new LandlineError(code, {
    message: `Signing in to ${entry.name} with "${method}" failed: ${cause.message.slice(0, 1_000)}`,
    help: "Try again or choose another method; what the agent wrote about it is in `stderr`.",
    data: { ...cause.data, agent: entry.id, stderr: agent.stderr() },
    cause: error,
  });
}
