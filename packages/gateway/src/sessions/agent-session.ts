import type {
  AgentCapabilities,
  ContentBlock,
  Implementation,
  McpServer,
} from "@agentclientprotocol/sdk";
import {
  LandlineError,
  type AgentStarted,
  type Confinement,
  type Limits,
} from "@landline/protocol";
import type { AgentEntry, AgentExit, AgentHost, RunningAgent } from "../agents/agent.ts";
import type { AgentRequest } from "../agents/connection/agent-request.ts";
import type { CallOutcome } from "../agents/connection/calls.ts";
import type { ConnectionHandlers } from "../agents/connection/connection.ts";
import type { AgentUpdate, RequestId } from "../agents/connection/message.ts";
import type { NoiseReport } from "../agents/connection/noise.ts";
import { permissionModesOf } from "../agents/permission-modes.ts";
import { clientCapabilities } from "../agents/client-capabilities.ts";
import { promptFor } from "./prompt-content.ts";
import {
  chooseConfig,
  chooseMode,
  noOptions,
  readOptions,
  type Choice,
  type Options,
} from "./options.ts";
import { placeFor, refusedServers } from "./place.ts";
import { restoringChoices, type Earlier } from "./restored-choices.ts";
import type { SignIns } from "../sign-in/sign-ins.ts";
import { logOut } from "../sign-in/sign-out.ts";
import { UpdateGate } from "./update-gate.ts";

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
  /** The options that the agent began the session with; null when they are not known. */
  readonly firstOptions: () => Promise<Options | null>;
  /** Ways back that the agent said yes to, and then did not know the conversation. */
  readonly deadEnds: ReadonlySet<AgentStarted["how"]>;
  /** The agent's ids of sessions that still are what this one is to go on from; asked for when nothing else is left. */
  readonly origins: () => Promise<readonly string[]>;
}

/** Of the agent's session, in the agent. */
export interface AgentCopy {
  readonly id: string;
  /**
   * It is gone on with in a process of its own, so this one lets go of it where it can: some agents lock what they
   * have open.
   */
  readonly letGo: () => Promise<void>;
}

/** A running agent with one ACP session in it. */
export class AgentSession implements ConnectionHandlers {
  readonly #options: AgentSessionOptions;
  #agent: RunningAgent | null = null;
  #how: AgentStarted["how"] = "new";
  #choices: Options;
  readonly #updates: UpdateGate;
  #gone = false;
  #wasStopped = false;
  #signedInAgain = false;
  #isSigningIn = false;
  /** The agent could not go back to the conversation: its next prompt has to bring it along. */
  needsTranscript = false;
  /** Choices that the session had before and does not have now, or should not have. */
  readonly lostChoices: LandlineError[] = [];

  private constructor(options: AgentSessionOptions) {
    this.#options = options;
    this.#choices = options.before?.options ?? noOptions;
    this.#updates = new UpdateGate(options.limits, (update, child) =>
      options.owner.update(update, child),
    );
  }

  /** Starts the agent and opens its session: resumed, loaded, copied, or new. Stops it again when that fails. */
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
    signIns.introduced(entry.id, session.#agent);
    try {
      await session.#openSession();
      return session;
    } catch (error) {
      await session.#agent.stop();
      throw error;
    }
  }

  get id(): string {
    return this.#updates.ownId ?? "";
  }

  get how(): AgentStarted["how"] {
    return this.#how;
  }

  get wentBack(): boolean {
    return this.#how === "resume" || this.#how === "load" || this.#how === "fork";
  }

  get info(): Implementation | null {
    return this.#running.info;
  }

  get isBuiltIn(): boolean {
    const { entry } = this.#options;
    return entry.kind === "process" && entry.isBuiltIn === true;
  }

  get capabilities(): AgentCapabilities {
    return this.#running.capabilities;
  }

  get confinement(): Confinement | null {
    return this.#running.confinement;
  }

  /** Whether it offers a way back to its session that has not failed. */
  canComeBack(deadEnds: ReadonlySet<AgentStarted["how"]>): boolean {
    return waysBack(this.capabilities).some((how) => !deadEnds.has(how));
  }

  /** MCP servers of a kind that this agent can't take. */
  get refusedServers(): readonly string[] {
    return refusedServers(this.#options, this.capabilities);
  }

  get choices(): Options {
    return this.#choices;
  }

  prompt(
    prompt: readonly ContentBlock[],
    settle: (outcome: CallOutcome) => void,
  ): RequestId | null {
    this.#updates.swallowsHistory = false;
    return this.#running.connection.call(
      "session/prompt",
      { sessionId: this.id, prompt: promptFor(this.#running.capabilities, prompt) },
      {},
      settle,
    );
  }

  cancel(): void {
    this.#running.connection.notify("session/cancel", { sessionId: this.id });
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

  /** Null when the agent can't make one. `copied` is called as it answers, before anything that it says behind. */
  async fork(copied: () => void): Promise<AgentCopy | null> {
    const { capabilities, connection } = this.#running;
    // One that was not told the conversation yet has nothing that a copy could go on from.
    if (!canFork(capabilities) || this.needsTranscript) return null;
    const { cwd, mcpServers } = placeFor(this.#options, capabilities);
    const answered = Promise.withResolvers<string>();
    const decide = this.#updates.awaitCopy();
    // In the order of the wire: updates right behind the response belong to the copy.
    connection.call(
      "session/fork",
      { sessionId: this.id, cwd, mcpServers },
      { timeoutMs: this.#options.limits.sessionNewMs },
      ({ result, error }) => {
        const copyId = error ? null : (result as { sessionId: string }).sessionId;
        decide(copyId);
        this.flush();
        copied();
        if (copyId === null) answered.reject(error);
        else answered.resolve(copyId);
      },
    );
    const id = await answered.promise;
    const letGo = async () => {
      if (capabilities.sessionCapabilities?.close)
        await this.#ask("session/close", { sessionId: id }).catch(() => {});
    };
    return { id, letGo };
  }

  signOut(): Promise<unknown> {
    return logOut(this.#options.entry, this.#running, this.#options.limits);
  }

  /** Whether it was ended from here, and not by itself. */
  get wasStopped(): boolean {
    return this.#wasStopped;
  }

  stop(): Promise<AgentExit> {
    this.#wasStopped ||= !this.#gone;
    return this.#running.stop();
  }

  /** Everything that came while it was opened, and from now on what comes. */
  begin(): void {
    this.#updates.open();
    this.#options.owner.flush();
  }

  update(update: AgentUpdate): void {
    // Before initialize is answered there is no session that it could be about.
    if (this.#agent) this.#updates.take(update);
  }

  notification(method: string, params: unknown): void {
    this.#options.owner.notification(method, params);
  }

  request(request: AgentRequest): Promise<void> {
    if (!this.#agent)
      throw new LandlineError("invalid-request", {
        message: "Nothing can be asked before initialize is answered.",
      });
    // What a person enters to sign in has no place in a session's log: that is asked for elsewhere.
    if (this.#isSigningIn && request.method === "elicitation/create") {
      request.answer({ action: "cancel" });
      return Promise.resolve();
    }
    const { sessionId } = request.params;
    const { ownId } = this.#updates;
    const isChild = typeof sessionId === "string" && ownId !== null && sessionId !== ownId;
    if (isChild && this.#updates.isCopy(sessionId))
      throw new LandlineError("invalid-request", {
        message: "This copy of the session is gone on with in another process.",
      });
    return this.#options.owner.request(request, isChild ? sessionId : null);
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
    if (this.#updates.isOpen) this.#options.owner.gone();
  }

  get #running(): RunningAgent {
    if (!this.#agent) throw new LandlineError("agent-exited");
    return this.#agent;
  }

  async #openSession(): Promise<void> {
    const { before } = this.#options;
    const result = await this.#enter().catch((error: unknown) => this.#signInAgain(error));
    const wanted = this.#choices;
    // An agent that came back and does not name its options still has them.
    this.#choices = readOptions(result, this.wentBack ? wanted : noOptions);
    if (before) await this.#restore({ wanted, first: await before.firstOptions() });
  }

  async #enter(): Promise<Readonly<Record<string, unknown>>> {
    const known = this.#options.before?.agentSessionId ?? null;
    return (
      (known === null ? null : await this.#goBack(known)) ??
      (await this.#copyOrigin()) ??
      (await this.#make("session/new", {}, this.#options.before ? "transcript" : "new"))
    );
  }

  /** Some agents keep a sign-in no longer than their process lives: then this one is signed in as well. */
  async #signInAgain(refusal: unknown): Promise<Readonly<Record<string, unknown>>> {
    const methodId = this.#methodFor(refusal);
    if (methodId === null) throw refusal;
    this.#signedInAgain = true;
    this.#isSigningIn = true;
    try {
      await this.#ask("authenticate", { methodId });
    } catch {
      // The refusal says more than that the old sign-in does not help.
      throw refusal;
    } finally {
      this.#isSigningIn = false;
    }
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
    const params = { ...placeFor(this.#options, capabilities), sessionId: agentSessionId };
    for (const how of waysBack(capabilities)) {
      if (this.#options.before?.deadEnds.has(how)) continue;
      // From here on its updates are known to be its own, and its history is not news.
      this.#updates.swallowsHistory = true;
      this.#adopt(agentSessionId, how);
      try {
        const result = await this.#ask(`session/${how}`, params);
        if (how === "load") await this.#updates.quiet();
        return result;
      } catch (error) {
        this.#tryOtherwise(error);
      }
    }
    this.#updates.swallowsHistory = false;
    return null;
  }

  /** A new copy of what this session was forked from: some agents keep none that was not prompted. */
  async #copyOrigin(): Promise<Readonly<Record<string, unknown>> | null> {
    const { before } = this.#options;
    if (!before || before.deadEnds.has("fork") || !canFork(this.#running.capabilities)) return null;
    this.#updates.swallowsHistory = true;
    for (const sessionId of await before.origins()) {
      try {
        return await this.#make("session/fork", { sessionId }, "fork");
      } catch (error) {
        this.#tryOtherwise(error);
      }
    }
    this.#updates.swallowsHistory = false;
    return null;
  }

  /** The agent does not take this way back. Throws what no other way would help against. */
  #tryOtherwise(error: unknown): void {
    if (this.#gone || !(error instanceof LandlineError) || error.code === "timeout") throw error;
    this.#updates.ownId = null;
    if (this.#methodFor(error) !== null) throw error;
  }

  async #make(
    method: "session/new" | "session/fork",
    from: { readonly sessionId?: string },
    how: AgentStarted["how"],
  ): Promise<Readonly<Record<string, unknown>>> {
    const settled = Promise.withResolvers<Readonly<Record<string, unknown>>>();
    const { capabilities, connection } = this.#running;
    // In the order of the wire: updates right behind the response belong to the new session.
    connection.call(
      method,
      { ...placeFor(this.#options, capabilities), ...from },
      { timeoutMs: this.#options.limits.sessionNewMs },
      ({ result, error }) => {
        if (error) settled.reject(error);
        else {
          const opened = result as Readonly<Record<string, unknown>>;
          this.#adopt(String(opened["sessionId"]), how);
          settled.resolve(opened);
        }
      },
    );
    return settled.promise;
  }

  #adopt(id: string, how: AgentStarted["how"]): void {
    this.#updates.ownId = id;
    this.#how = how;
    this.needsTranscript = how === "transcript";
    this.#running.connection.facts = { onlySession: id };
  }

  async #ask(method: string, params: object): Promise<Readonly<Record<string, unknown>>> {
    const result = await this.#running.connection.request(method, params, {
      timeoutMs: this.#options.limits.sessionNewMs,
    });
    return result as Readonly<Record<string, unknown>>;
  }

  async #choose({ method, params, after }: Choice): Promise<Options> {
    const result = await this.#running.connection.request(
      method,
      { sessionId: this.id, ...params },
      { timeoutMs: this.#options.limits.sessionNewMs },
    );
    this.#choices = after(result, this.#choices);
    return this.#choices;
  }

  async #restore(earlier: Earlier): Promise<void> {
    const modes = permissionModesOf(this.#options.entry.id, this.info);
    for (const { choice, done, refused } of restoringChoices(this.#choices, earlier, modes)) {
      try {
        if (choice) await this.#choose(choice);
        if (done) this.lostChoices.push(done);
      } catch (error) {
        if (this.#gone || !(error instanceof LandlineError)) throw error;
        this.lostChoices.push(refused ?? error);
      }
    }
  }
}

function waysBack({ sessionCapabilities, loadSession }: AgentCapabilities) {
  const ways: ("resume" | "load")[] = [];
  if (sessionCapabilities?.resume) ways.push("resume");
  if (loadSession) ways.push("load");
  return ways;
}

function canFork({ sessionCapabilities }: AgentCapabilities): boolean {
  return Boolean((sessionCapabilities as { fork?: unknown } | undefined)?.fork);
}
