import type {
  AgentCapabilities,
  AuthMethod,
  CreateElicitationResponse,
} from "@agentclientprotocol/sdk";
import { LandlineError, type Limits } from "@landline/protocol";
import type { AgentEntry, AgentHost, RunningAgent } from "../agents/agent.ts";
import type { Catalog } from "../agents/catalog.ts";
import type { Logger } from "../telemetry/logger.ts";
import { keysIn } from "./agent-keys.ts";
import type { PerAgentFile } from "../data-folder/per-agent-file.ts";
import type { PausedAgent, WhilePaused } from "./paused-agent.ts";
import { ignoreAll, withSignInAgent } from "./sign-in-agent.ts";
import { SignInAttempt, type SignInKind } from "./sign-in-attempt.ts";
import { signInNeeded } from "./sign-in-method.ts";
import type { SignInTerminal } from "./sign-in-terminal.ts";
import { canSignOut, logOut } from "./sign-out.ts";

export interface SignInsOptions {
  readonly agents: AgentHost;
  readonly catalog: Pick<Catalog, "get" | "learned">;
  readonly limits: Limits;
  readonly logger: Pick<Logger, "info" | "warn">;
  /** The last sign-in method of each agent, if it can be repeated without a person. */
  readonly lastMethods: PerAgentFile<string>;
}

/** What an agent reports without a session. */
export interface AgentDescription {
  readonly name: string;
  readonly capabilities: AgentCapabilities;
  readonly authMethods: readonly AuthMethod[];
}

/** The requests that an agent can refuse with `auth-required`. */
type Occasion = "opening" | "prompt";

type Introduced = Pick<RunningAgent, "authMethods" | "capabilities" | "meta">;

/**
 * Signs in to agents and out of them, and reports the state to the catalog. An agent has at most one sign-in at a
 * time: a new one cancels the previous one with `request-cancelled`. A sign-out neither cancels a sign-in nor is
 * cancelled by one.
 */
export class SignIns {
  readonly #options: SignInsOptions;
  readonly #underWay = new Map<string, SignInAttempt>();
  readonly #signingOut = new Map<string, Promise<void>>();
  readonly #methods = new Map<string, readonly AuthMethod[]>();
  readonly #capabilities = new Map<string, AgentCapabilities>();
  /**
   * Agents that need a sign-in, with the request that they refused; `sign-out` until an agent accepts or refuses a
   * request.
   */
  readonly #refused = new Map<string, Occasion | "sign-out">();
  /** Agents that are being started to list their sign-in methods. */
  readonly #asked = new Map<string, Promise<readonly AuthMethod[]>>();
  readonly #closing = new AbortController();

  constructor(options: SignInsOptions) {
    this.#options = options;
  }

  /** Runs the sign-in in its own processes. Throws errors with instructions for a person. */
  async signIn(agentId: string, methodId: string, by: string): Promise<void> {
    const { catalog, agents, limits, logger } = this.#options;
    const entry = catalog.get(agentId);
    for (;;) {
      const before = this.#underWay.get(entry.id);
      if (before === undefined) break;
      await before.cancel(replaced(entry));
      // The cancelled attempt no longer needs its entry.
      if (this.#underWay.get(entry.id) === before) this.#underWay.delete(entry.id);
    }
    this.#closing.signal.throwIfAborted();
    if (this.#signingOut.has(entry.id)) throw signingOut(entry);
    const attempt: SignInAttempt = new SignInAttempt(
      {
        entry,
        agents,
        limits,
        refused: () => catalog.learned(entry.id, { signedIn: false }),
        introduced: (agent) => this.introduced(entry.id, agent),
        accepted: (answer) => this.#learnKeys(entry.id, answer),
        show: (progress) =>
          catalog.learned(entry.id, { progress: { what: "sign-in", ...progress } }),
      },
      methodId,
    );
    this.#underWay.set(entry.id, attempt);
    try {
      await this.#signedIn(entry, methodId, await attempt.over);
      logger.info("Signed in to an agent.", { agent: entry.id, methodId, by });
    } finally {
      if (this.#underWay.get(entry.id) === attempt) {
        this.#underWay.delete(entry.id);
        catalog.learned(entry.id, { progress: null });
      }
    }
  }

  /** The methods from the last start of the agent. Starts the agent if it has not run yet. */
  async methods(agentId: string): Promise<readonly AuthMethod[]> {
    const entry = this.#options.catalog.get(agentId);
    const known = this.#methods.get(entry.id) ?? this.#asked.get(entry.id);
    if (known !== undefined) return known;
    const { agents, limits } = this.#options;
    const { signal } = this.#closing;
    const asking = withSignInAgent(
      { entry, agents, limits, signal, handlers: ignoreAll },
      (agent) => this.introduced(entry.id, agent),
    ).finally(() => this.#asked.delete(entry.id));
    this.#asked.set(entry.id, asking);
    return asking;
  }

  /** The capabilities from the last start of the agent. Starts the agent if it has not run yet. */
  async describe(agentId: string): Promise<AgentDescription> {
    const { id, name } = this.#options.catalog.get(agentId);
    const authMethods = await this.methods(id);
    return { name, authMethods, capabilities: this.#capabilities.get(id) ?? {} };
  }

  /** Throws `ask-not-found`, `ask-already-settled` or `invalid-params`. */
  answer(
    agentId: string,
    { outcome, questionId }: { outcome: CreateElicitationResponse; questionId?: string },
    by: string,
  ): void {
    this.#attemptOf(agentId).questions.answer(outcome, questionId, by);
  }

  /** Resolves when all processes of the sign-in have ended. Throws `ask-not-found` if there is none. */
  async cancel(agentId: string, by: string): Promise<void> {
    const { name } = this.#options.catalog.get(agentId);
    const message = `The sign-in to ${name} was cancelled.`;
    const attempt = this.#attemptOf(agentId);
    await attempt.cancel(new LandlineError("request-cancelled", { message, data: { by } }));
  }

  /**
   * Signs out, and ends all running agents, which may still hold the credentials. Throws `agent-busy` if one of them
   * works or a sign-in is under way. Concurrent calls share one sign-out.
   */
  async signOut(agentId: string, by: string, whilePaused: WhilePaused): Promise<void> {
    const entry = this.#options.catalog.get(agentId);
    const before = this.#signingOut.get(entry.id);
    if (before) return before;
    this.#closing.signal.throwIfAborted();
    if (this.#underWay.has(entry.id)) throw signingIn(entry);
    const work = whilePaused(entry, async (running) => {
      await this.#signedOut(entry, await this.#logOut(entry, running));
      await Promise.all(running.map((agent) => agent.end(by)));
      this.#options.logger.info("Signed out of an agent.", { agent: entry.id, by });
    }).finally(() => this.#signingOut.delete(entry.id));
    this.#signingOut.set(entry.id, work);
    return work;
  }

  /** Throws `terminal-not-found`. */
  terminal(terminalId: string): SignInTerminal {
    for (const { terminal } of this.#underWay.values())
      if (terminal?.id === terminalId) return terminal;
    throw new LandlineError("terminal-not-found", {
      message: "No sign-in runs in this terminal.",
      help: "It has ended: sign in again.",
    });
  }

  /** Cancels all sign-ins and refuses new ones. */
  async close(): Promise<void> {
    this.#closing.abort(ending());
    await Promise.all([
      ...this.#underWay.values().map((attempt) => attempt.cancel(ending())),
      ...this.#asked.values().map((asking) => asking.catch(() => {})),
      ...this.#signingOut.values().map((work) => work.catch(() => {})),
    ]);
  }

  /** The method of the last sign-in, or null. */
  lastMethod(agentId: string): string | null {
    return this.#options.lastMethods.of(agentId);
  }

  /** The agent answered `initialize`. Returns the methods that are listed. */
  introduced(
    agentId: string,
    { authMethods, capabilities, meta }: Introduced,
  ): readonly AuthMethod[] {
    const { catalog, limits } = this.#options;
    const listed: AuthMethod[] = [];
    let length = 0;
    for (const method of authMethods) {
      length += JSON.stringify(method).length;
      if (length > limits.signInMethodsLength) break;
      listed.push(method);
    }
    this.#methods.set(agentId, listed);
    this.#capabilities.set(agentId, capabilities);
    catalog.learned(agentId, {
      signInMethods: listed,
      canSignOut: canSignOut(capabilities),
      keys: keysIn(meta, limits.signInMethodsLength),
    });
    return listed;
  }

  /** The agent accepted a request, so it no longer needs the sign-in that it wanted for it. */
  accepted(agentId: string, occasion: Occasion): void {
    const refused = this.#refused.get(agentId);
    if (refused === undefined || (refused !== "opening" && occasion === "opening")) return;
    this.#refused.delete(agentId);
    // An agent that works after a sign-out needs no sign-in, or was signed in elsewhere.
    this.#options.catalog.learned(agentId, { signedIn: refused === "sign-out" ? null : true });
  }

  /** Records an `auth-required` error and adds the available methods to it. Returns other errors unchanged. */
  explained<Thrown>(entry: AgentEntry, error: Thrown, occasion: Occasion): Thrown | LandlineError {
    if (!(error instanceof LandlineError) || error.code !== "auth-required") return error;
    this.#refused.set(entry.id, occasion);
    this.#options.catalog.learned(entry.id, { signedIn: false });
    return signInNeeded(entry, this.#methods.get(entry.id) ?? [], error);
  }

  async #signedIn({ id }: AgentEntry, methodId: string, kind: SignInKind): Promise<void> {
    const { catalog, lastMethods } = this.#options;
    // A sign-in in a terminal cannot be repeated with `authenticate`.
    await this.#stored(
      id,
      kind === "terminal" ? lastMethods.forget(id) : lastMethods.note(id, methodId),
    );
    this.#refused.delete(id);
    catalog.learned(id, { signedIn: true });
  }

  /** Uses a running agent, or starts one. */
  async #logOut(entry: AgentEntry, running: readonly PausedAgent[]): Promise<unknown> {
    for (const agent of running) {
      try {
        return await agent.signOut();
      } catch (error) {
        if (!agent.wasStopped()) throw error;
      }
    }
    return this.#logOutAlone(entry);
  }

  #logOutAlone(entry: AgentEntry): Promise<unknown> {
    const { agents, limits } = this.#options;
    const { signal } = this.#closing;
    return withSignInAgent({ entry, agents, limits, signal, handlers: ignoreAll }, (agent) => {
      this.introduced(entry.id, agent);
      return logOut(entry, agent, limits);
    });
  }

  async #signedOut({ id }: AgentEntry, answer: unknown): Promise<void> {
    const { catalog, lastMethods } = this.#options;
    this.#refused.set(id, "sign-out");
    catalog.learned(id, { signedIn: false });
    this.#learnKeys(id, answer);
    await this.#stored(id, lastMethods.forget(id));
  }

  async #stored(id: string, storing: Promise<void>): Promise<void> {
    const { logger } = this.#options;
    await storing.catch((error: unknown) =>
      logger.warn("Could not store the sign-in method of an agent.", { agent: id, error }),
    );
  }

  /** Reports the keys in a response to the catalog, if it lists any. */
  #learnKeys(id: string, answer: unknown): void {
    const { catalog, limits } = this.#options;
    const { _meta: meta } = (answer ?? {}) as { _meta?: unknown };
    const keys = keysIn(meta, limits.signInMethodsLength);
    if (keys !== null) catalog.learned(id, { keys });
  }

  #attemptOf(agentId: string): SignInAttempt {
    const attempt = this.#underWay.get(this.#options.catalog.get(agentId).id);
    if (attempt !== undefined) return attempt;
    throw new LandlineError("ask-not-found", {
      message: "No sign-in to this agent is under way.",
      help: "Start one.",
    });
  }
}

function replaced({ name }: AgentEntry): LandlineError {
  return new LandlineError("request-cancelled", {
    message: `Another sign-in to ${name} replaced this one.`,
  });
}

function signingIn({ id, name }: AgentEntry): LandlineError {
  return new LandlineError("agent-busy", {
    message: `Somebody is signing in to ${name}.`,
    help: "Wait until that is done or cancel it, then sign out.",
    data: { agent: id },
  });
}

function signingOut({ id, name }: AgentEntry): LandlineError {
  return new LandlineError("agent-busy", {
    message: `Somebody is signing out of ${name}.`,
    help: "Sign in when that is done.",
    data: { agent: id },
  });
}

function ending(): LandlineError {
  return new LandlineError("request-cancelled", {
    message: "The gateway is shutting down.",
    help: "Try again when it runs again.",
  });
}
