import type {
  AgentCapabilities,
  ContentBlock,
  Implementation,
  McpServer,
} from "@agentclientprotocol/sdk";
import { LandlineError, type AgentStarted, type Limits } from "@landline/protocol";
import type { AgentEntry, AgentExit, AgentHost, RunningAgent } from "../agents/agent.ts";
import type { AgentRequest } from "../agents/connection/agent-request.ts";
import type { CallOutcome } from "../agents/connection/calls.ts";
import type { ConnectionHandlers } from "../agents/connection/connection.ts";
import type { AgentUpdate, RequestId } from "../agents/connection/message.ts";
import type { NoiseReport } from "../agents/connection/noise.ts";
import { clientCapabilities } from "./client-capabilities.ts";
import { promptFor } from "./prompt-content.ts";
import {
  chooseConfig,
  chooseMode,
  readOptions,
  restoringChoices,
  type Choice,
  type Options,
} from "./options.ts";
import type { SignIns } from "./sign-ins.ts";

/** What the session is told, in the order of the wire; `flush` ends what one read yielded. */
export interface AgentSessionOwner {
  /** The agent has answered initialize. Nothing else is told before. */
  running(agent: Pick<RunningAgent, "mark" | "quirks">): void;
  /** `child`: the agent's id of the session that it was for, when it was not for this one. */
  update(update: AgentUpdate, child: string | null): void;
  request(request: AgentRequest, child: string | null): Promise<void>;
  notification(method: string, params: unknown): void;
  noise(report: NoiseReport): void;
  flush(): void;
  /** The connection is over. All calls have failed before. */
  gone(): void;
}

export interface AgentSessionOptions {
  readonly host: AgentHost;
  readonly entry: AgentEntry;
  readonly cwd: string;
  readonly roots: readonly string[];
  readonly mcpServers: readonly McpServer[];
  /** Null for a session that is new. */
  readonly before: Before | null;
  readonly limits: Limits;
  readonly owner: AgentSessionOwner;
  /** The id of our session, for the log of the wire. */
  readonly sessionId: string;
  readonly signIns: Pick<SignIns, "introduced" | "lastMethod">;
}

/** What the session was before its agent is started again. */
export interface Before {
  /** The agent's own id; null when it has none of this conversation. */
  readonly agentSessionId: string | null;
  readonly options: Options;
  /** Ways back that the agent said yes to, and then did not know the conversation. */
  readonly deadEnds: ReadonlySet<AgentStarted["how"]>;
}

/** Updates that tell history; all others tell how things are now. */
const HISTORY: ReadonlySet<unknown> = new Set([
  "user_message_chunk",
  "agent_message_chunk",
  "agent_thought_chunk",
  "tool_call",
  "tool_call_update",
  "plan",
]);

/** A running agent with one ACP session in it. */
export class AgentSession implements ConnectionHandlers {
  readonly #options: AgentSessionOptions;
  #agent: RunningAgent | null = null;
  #id: string | null = null;
  #how: AgentStarted["how"] = "new";
  #choices: Options;
  /** Updates that came before it was known which session they are for. */
  #early: AgentUpdate[] = [];
  /** While the agent plays its history back: the log has it already. */
  #swallowing = false;
  #lastUpdateAt = 0;
  #gone = false;
  #begun = false;
  #signedInAgain = false;
  /** The agent could not go back to the conversation: its next prompt has to bring it along. */
  needsTranscript = false;
  /** MCP servers of a kind that this agent can't take. */
  readonly refusedServers: string[] = [];
  readonly failedChoices: LandlineError[] = [];

  private constructor(options: AgentSessionOptions) {
    this.#options = options;
    this.#choices = options.before?.options ?? { modes: null, configOptions: null, models: null };
  }

  /** Starts the agent and opens its session: resumed, loaded, or new. Stops it again when that fails. */
  static async open(options: AgentSessionOptions): Promise<AgentSession> {
    const session = new AgentSession(options);
    const { host, entry, cwd, limits, sessionId, signIns } = options;
    session.#agent = await host.start({
      entry,
      cwd,
      sessionId,
      limits,
      clientCapabilities: clientCapabilities(entry),
      handlers: session,
    });
    options.owner.running(session.#agent);
    signIns.introduced(entry.id, session.#agent.authMethods);
    try {
      await session.#openSession();
      return session;
    } catch (error) {
      await session.#agent.stop();
      throw error;
    }
  }

  get id(): string {
    return this.#id ?? "";
  }

  get how(): AgentStarted["how"] {
    return this.#how;
  }

  get wentBack(): boolean {
    return this.#how === "resume" || this.#how === "load";
  }

  get info(): Implementation | null {
    return this.#running.info;
  }

  get capabilities(): AgentCapabilities {
    return this.#running.capabilities;
  }

  get choices(): Options {
    return this.#choices;
  }

  prompt(
    prompt: readonly ContentBlock[],
    settle: (outcome: CallOutcome) => void,
  ): RequestId | null {
    this.#swallowing = false;
    return this.#running.connection.call(
      "session/prompt",
      { sessionId: this.#id, prompt: promptFor(this.#running.capabilities, prompt) },
      {},
      settle,
    );
  }

  cancel(): void {
    this.#running.connection.notify("session/cancel", { sessionId: this.#id });
  }

  cancelRequest(id: RequestId): void {
    this.#running.connection.cancel(id);
  }

  hold(reason: string): void {
    this.#running.connection.hold(reason);
  }

  release(reason: string): void {
    this.#running.connection.release(reason);
  }

  async setMode(modeId: string): Promise<Options> {
    return this.#choose(chooseMode(this.#choices, modeId));
  }

  async setConfig(configId: string, value: string | boolean): Promise<Options> {
    return this.#choose(chooseConfig(this.#choices, configId, value));
  }

  /** The agent said so by itself. */
  noteChoices(choices: Options): void {
    this.#choices = choices;
  }

  /** A copy of the agent's session in the agent, when it can make one. */
  async fork(): Promise<string | null> {
    const { capabilities, connection } = this.#running;
    if (!(capabilities.sessionCapabilities as { fork?: unknown } | undefined)?.fork) return null;
    const { cwd, limits } = this.#options;
    const result = await connection.request(
      "session/fork",
      { sessionId: this.#id, cwd, mcpServers: this.#acceptable() },
      { timeoutMs: limits.sessionNewMs },
    );
    return (result as { sessionId: string }).sessionId;
  }

  stop(): Promise<AgentExit> {
    return this.#running.stop();
  }

  stderr(): string {
    return this.#running.stderr();
  }

  /** Everything that came while it was opened, and from now on what comes. */
  begin(): void {
    this.#begun = true;
    this.#handOver();
    this.#options.owner.flush();
  }

  #handOver(): void {
    const early = this.#early;
    this.#early = [];
    for (const update of early) {
      const isOwn = this.#id === null || update.sessionId === this.#id;
      this.#options.owner.update(update, isOwn ? null : update.sessionId);
    }
  }

  update(update: AgentUpdate): void {
    // Before initialize is answered there is no session that it could be about.
    if (!this.#agent) return;
    this.#lastUpdateAt = performance.now();
    if (this.#swallowing && HISTORY.has(update.update["sessionUpdate"])) return;
    if (!this.#begun) {
      this.#early.push(update);
      // Too many to keep in memory: they go to the log before it is told that the agent has started.
      if (this.#early.length >= this.#options.limits.earlyUpdates) this.#handOver();
    } else if (update.sessionId !== this.#id) this.#options.owner.update(update, update.sessionId);
    else this.#options.owner.update(update, null);
  }

  notification(method: string, params: unknown): void {
    this.#options.owner.notification(method, params);
  }

  request(request: AgentRequest): Promise<void> {
    if (!this.#agent)
      throw new LandlineError("invalid-request", {
        message: "Nothing can be asked before initialize is answered.",
      });
    const { sessionId } = request.params;
    const child =
      typeof sessionId === "string" && this.#id !== null && sessionId !== this.#id
        ? sessionId
        : null;
    return this.#options.owner.request(request, child);
  }

  noise(report: NoiseReport): void {
    this.#options.owner.noise(report);
  }

  flush(): void {
    this.#options.owner.flush();
  }

  closed(): void {
    this.#gone = true;
    // An agent that ends while it is opened is told of by `open`.
    if (this.#begun) this.#options.owner.gone();
  }

  get isGone(): boolean {
    return this.#gone;
  }

  get #running(): RunningAgent {
    if (!this.#agent) throw new LandlineError("agent-exited");
    return this.#agent;
  }

  async #openSession(): Promise<void> {
    const { before } = this.#options;
    const result = await this.#enter().catch((error: unknown) => this.#signInAgain(error));
    const wanted = this.#choices;
    this.#choices = readOptions(result, { modes: null, configOptions: null, models: null });
    if (before) await this.#restore(wanted);
  }

  async #enter(): Promise<Readonly<Record<string, unknown>>> {
    const known = this.#options.before?.agentSessionId ?? null;
    return (known === null ? null : await this.#goBack(known)) ?? (await this.#new());
  }

  /** Some agents keep a sign-in no longer than their process lives: then this one is signed in as well. */
  async #signInAgain(refusal: unknown): Promise<Readonly<Record<string, unknown>>> {
    const methodId = this.#methodFor(refusal);
    if (methodId === null) throw refusal;
    this.#signedInAgain = true;
    // The refusal says more than that the old sign-in does not help.
    await this.#ask("authenticate", { methodId }).catch(() => Promise.reject(refusal as Error));
    return this.#enter();
  }

  #methodFor(error: unknown): string | null {
    const isRefusal = error instanceof LandlineError && error.code === "auth-required";
    const { signIns, entry } = this.#options;
    return isRefusal && !this.#signedInAgain && !this.#gone ? signIns.lastMethod(entry.id) : null;
  }

  /** Resumes or loads the session that was; null when the agent can't or does not know it any more. */
  async #goBack(agentSessionId: string): Promise<Readonly<Record<string, unknown>> | null> {
    const { capabilities } = this.#running;
    const params = { ...this.#place(), sessionId: agentSessionId };
    for (const how of ["resume", "load"] as const) {
      if (how === "resume" ? !capabilities.sessionCapabilities?.resume : !capabilities.loadSession)
        continue;
      if (this.#options.before?.deadEnds.has(how)) continue;
      // From here on its updates are known to be its own, and its history is not news.
      this.#swallowing = true;
      this.#adopt(agentSessionId, how);
      try {
        const result = await this.#ask(`session/${how}`, params);
        if (how === "load") await this.#quiet();
        return result;
      } catch (error) {
        if (this.#gone || !(error instanceof LandlineError) || error.code === "timeout")
          throw error;
        this.#id = null;
        if (this.#methodFor(error) !== null) throw error;
      }
    }
    this.#swallowing = false;
    return null;
  }

  async #new(): Promise<Readonly<Record<string, unknown>>> {
    const { before, limits } = this.#options;
    const settled = Promise.withResolvers<Readonly<Record<string, unknown>>>();
    // In the order of the wire: updates right behind the response belong to the new session.
    this.#running.connection.call(
      "session/new",
      this.#place(),
      { timeoutMs: limits.sessionNewMs },
      ({ result, error }) => {
        if (error) settled.reject(error);
        else {
          const opened = result as Readonly<Record<string, unknown>>;
          this.#adopt(String(opened["sessionId"]), before ? "transcript" : "new");
          settled.resolve(opened);
        }
      },
    );
    return settled.promise;
  }

  #adopt(id: string, how: AgentStarted["how"]): void {
    this.#id = id;
    this.#how = how;
    this.needsTranscript = how === "transcript";
    this.#running.connection.facts = { onlySession: id };
  }

  #place() {
    const { cwd, roots } = this.#options;
    const more = roots.filter((root) => root !== cwd);
    const additional =
      this.#running.capabilities.sessionCapabilities?.additionalDirectories && more.length > 0;
    return {
      cwd,
      mcpServers: this.#acceptable(),
      ...(additional && { additionalDirectories: more }),
    };
  }

  #acceptable(): McpServer[] {
    const can = this.#running.capabilities.mcpCapabilities;
    this.refusedServers.length = 0;
    return this.#options.mcpServers.filter((server) => {
      const type = "type" in server ? server.type : "stdio";
      const taken =
        type === "stdio" ||
        (type === "http" && can?.http === true) ||
        (type === "sse" && can?.sse === true);
      if (!taken) this.refusedServers.push(server.name);
      return taken;
    });
  }

  async #ask(method: string, params: object): Promise<Readonly<Record<string, unknown>>> {
    const result = await this.#running.connection.request(method, params, {
      timeoutMs: this.#options.limits.sessionNewMs,
    });
    return result as Readonly<Record<string, unknown>>;
  }

  /** One agent answers `load` first and plays its history after: what comes before it is quiet is history. */
  async #quiet(): Promise<void> {
    const { replayQuietMs } = this.#options.limits;
    this.#lastUpdateAt = performance.now();
    while (performance.now() - this.#lastUpdateAt < replayQuietMs) {
      await new Promise((resolve) => setTimeout(resolve, replayQuietMs / 4));
    }
  }

  async #choose({ method, params, after }: Choice): Promise<Options> {
    const result = await this.#running.connection.request(
      method,
      { sessionId: this.#id, ...params },
      { timeoutMs: this.#options.limits.sessionNewMs },
    );
    this.#choices = after(result, this.#choices);
    return this.#choices;
  }

  async #restore(wanted: Options): Promise<void> {
    for (const choice of restoringChoices(this.#choices, wanted)) {
      try {
        await this.#choose(choice);
      } catch (error) {
        if (this.#gone || !(error instanceof LandlineError)) throw error;
        this.failedChoices.push(error);
      }
    }
  }
}
