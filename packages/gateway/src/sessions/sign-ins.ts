import type { AuthMethod, CreateElicitationResponse } from "@agentclientprotocol/sdk";
import { LandlineError, type Limits } from "@landline/protocol";
import type { AgentEntry, AgentHost } from "../agents/agent.ts";
import type { Catalog } from "../agents/catalog.ts";
import type { Logger } from "../observe/logger.ts";
import type { LastMethods } from "./last-methods.ts";
import { unheard, withSignInAgent } from "./sign-in-agent.ts";
import { SignInAttempt, type SignInKind } from "./sign-in-attempt.ts";
import { signInNeeded } from "./sign-in-method.ts";
import type { SignInTerminal } from "./sign-in-terminal.ts";

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
  readonly #underWay = new Map<string, SignInAttempt>();
  readonly #methods = new Map<string, readonly AuthMethod[]>();
  readonly #refused = new Map<string, Occasion>();
  /** Agents that are being asked how to sign in to them. */
  readonly #asked = new Map<string, Promise<readonly AuthMethod[]>>();
  readonly #closing = new AbortController();

  constructor(options: SignInsOptions) {
    this.#options = options;
  }

  /** In processes of its own, which end with it. Throws what a person can do something about. */
  async signIn(agentId: string, methodId: string, by: string): Promise<void> {
    const { catalog, agents, limits, logger } = this.#options;
    const entry = catalog.get(agentId);
    for (;;) {
      const before = this.#underWay.get(entry.id);
      if (before === undefined) break;
      await before.cancel(replaced(entry));
      // What it still has to do does not need its place.
      if (this.#underWay.get(entry.id) === before) this.#underWay.delete(entry.id);
    }
    this.#closing.signal.throwIfAborted();
    const attempt: SignInAttempt = new SignInAttempt(
      {
        entry,
        agents,
        limits,
        refused: () => catalog.learned(entry.id, { signedIn: false }),
        introduced: (methods) => this.introduced(entry.id, methods),
        show: (progress) =>
          catalog.learned(entry.id, { progress: { what: "sign-in", ...progress } }),
      },
      methodId,
    );
    this.#underWay.set(entry.id, attempt);
    try {
      await this.#made(entry, methodId, await attempt.over);
      logger.info("Signed in to an agent.", { agent: entry.id, methodId, by });
    } finally {
      if (this.#underWay.get(entry.id) === attempt) {
        this.#underWay.delete(entry.id);
        catalog.learned(entry.id, { progress: null });
      }
    }
  }

  /** By which ways one can sign in: as the agent said when it was started last, or else it is started to say so. */
  async methods(agentId: string): Promise<readonly AuthMethod[]> {
    const entry = this.#options.catalog.get(agentId);
    const known = this.#methods.get(entry.id) ?? this.#asked.get(entry.id);
    if (known !== undefined) return known;
    const { agents, limits } = this.#options;
    const { signal } = this.#closing;
    const asking = withSignInAgent(
      { entry, agents, limits, signal, handlers: unheard },
      ({ authMethods }) => this.introduced(entry.id, authMethods),
    ).finally(() => this.#asked.delete(entry.id));
    this.#asked.set(entry.id, asking);
    return asking;
  }

  /** Throws `ask-not-found`, `ask-already-settled` or `invalid-params`. */
  answer(
    agentId: string,
    { outcome, questionId }: { outcome: CreateElicitationResponse; questionId?: string },
    by: string,
  ): void {
    this.#attemptOf(agentId).questions.answer(outcome, questionId, by);
  }

  /** Resolves when nothing of it is left. Throws `ask-not-found` when there is none. */
  async cancel(agentId: string, by: string): Promise<void> {
    const { name } = this.#options.catalog.get(agentId);
    const message = `The sign-in to ${name} was cancelled.`;
    const attempt = this.#attemptOf(agentId);
    await attempt.cancel(new LandlineError("request-cancelled", { message, data: { by } }));
  }

  /** Throws `terminal-not-found`. */
  terminal(terminalId: string): SignInTerminal {
    for (const { terminal } of this.#underWay.values())
      if (terminal?.id === terminalId) return terminal;
    throw new LandlineError("terminal-not-found", {
      message: "No sign-in runs in such a terminal.",
      help: "It has ended: sign in again.",
    });
  }

  /** Ends those that are under way, and makes no other. */
  async close(): Promise<void> {
    this.#closing.abort(ending());
    await Promise.all([
      ...this.#underWay.values().map((attempt) => attempt.cancel(ending())),
      ...this.#asked.values().map((asking) => asking.catch(() => {})),
    ]);
  }

  /** By which a sign-in was made last; null when there was none. */
  lastMethod(agentId: string): string | null {
    return this.#options.lastMethods.of(agentId);
  }

  /** The agent has answered initialize. Returns those that are listed. */
  introduced(agentId: string, methods: readonly AuthMethod[]): readonly AuthMethod[] {
    const kept: AuthMethod[] = [];
    let length = 0;
    for (const method of methods) {
      length += JSON.stringify(method).length;
      if (length > this.#options.limits.signInMethodsLength) break;
      kept.push(method);
    }
    this.#methods.set(agentId, kept);
    this.#options.catalog.learned(agentId, { signInMethods: kept });
    return kept;
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

  async #made({ id }: AgentEntry, methodId: string, kind: SignInKind): Promise<void> {
    const { catalog, lastMethods, logger } = this.#options;
    // What was done in a terminal is never repeated by `authenticate`.
    const keeping = kind === "terminal" ? lastMethods.forget(id) : lastMethods.note(id, methodId);
    await keeping.catch((error: unknown) =>
      logger.warn("How an agent was signed in to is not kept.", { agent: id, error }),
    );
    this.#refused.delete(id);
    catalog.learned(id, { signedIn: true });
  }

  #attemptOf(agentId: string): SignInAttempt {
    const attempt = this.#underWay.get(this.#options.catalog.get(agentId).id);
    if (attempt !== undefined) return attempt;
    throw new LandlineError("ask-not-found", {
      message: "No sign-in to this agent is under way.",
      help: "Begin one.",
    });
  }
}

function replaced({ name }: AgentEntry): LandlineError {
  return new LandlineError("request-cancelled", {
    message: `Another sign-in to ${name} was begun, and took the place of this one.`,
  });
}

function ending(): LandlineError {
  return new LandlineError("request-cancelled", {
    message: "The gateway is ending.",
    help: "Sign in again when it is back.",
  });
}
