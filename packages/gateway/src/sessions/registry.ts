import { randomUUIDv7 } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import {
  LandlineError,
  summaryPartsOf,
  type Limits,
  type SessionOpened,
  type SessionView,
} from "@landline/protocol";
import type { AgentEntry, AgentHost } from "../agents/agent.ts";
import type { BackgroundIndexer } from "../index/background-indexer.ts";
import type { AuditEntry } from "../index/audit-table.ts";
import type { Derived } from "../index/derived.ts";
import type { Temporaries } from "../acp-client/files/temporaries.ts";
import type { Rules } from "../acp-client/permissions/rules.ts";
import type { TerminalSandboxes } from "../acp-client/terminals/terminal-sandboxes.ts";
import { emptied } from "../log/disk-error.ts";
import type { Logs, SessionLog } from "../log/log.ts";
import type { Logger } from "../telemetry/logger.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { AgentSession, type AgentSessionOwner, type Before } from "./agent-session.ts";
import { AgentSlots } from "./agent-slots.ts";
import type { Deletions } from "./deletions.ts";
import { factsOf, type Facts } from "./facts.ts";
import { forkLog, forkOrigins, type ForkPoint } from "./fork.ts";
import { ForkTitles } from "./fork-titles.ts";
import type { LastChoices } from "./last-choices.ts";
import type { KeptServers } from "./kept-servers.ts";
import { checkMessageSize } from "./message-size.ts";
import { NewSessions } from "./new-sessions.ts";
import { NewLogs } from "./new-logs.ts";
import type { WhilePaused } from "../sign-in/paused-agent.ts";
import { PausedAgents } from "./paused-agents.ts";
import { partsFromLog } from "./parts-from-log.ts";
import { resolveRoots } from "./roots.ts";
import { LiveSession } from "./session.ts";
import { SessionChanges } from "./session-changes.ts";
import type { SessionHost } from "./session-host.ts";
import { SharedViews } from "./shared-views.ts";
import type { SignIns } from "../sign-in/sign-ins.ts";
import type { ListQuery, OpenRequest, Session, SessionPage, Sessions } from "./sessions.ts";

export interface RegistryOptions {
  readonly logs: Logs;
  readonly derived: Derived;
  readonly indexer: BackgroundIndexer;
  readonly agents: AgentHost;
  readonly catalog: { get(id: string): AgentEntry };
  readonly rules: Rules;
  readonly temporaries: Temporaries;
  readonly servers: KeptServers;
  readonly deletions: Deletions;
  readonly limits: Limits;
  readonly strict: boolean;
  readonly resumeQueue: boolean;
  /** Absolute, resolved: the gateway's own folders, which no agent is served from. */
  readonly closedFolders: readonly string[];
  readonly terminalSandboxes: TerminalSandboxes;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly signIns: SignIns;
  readonly lastChoices: LastChoices;
}

/** All sessions of the gateway: those with an agent, and those that are only a log until somebody asks. */
export class Registry implements Sessions, SessionHost {
  readonly limits: Limits;
  readonly strict: boolean;
  readonly resumeQueue: boolean;
  readonly closedFolders: readonly string[];
  readonly terminalSandboxes: TerminalSandboxes;
  readonly rules: Rules;
  readonly temporaries: Temporaries;
  readonly metrics: Metrics;
  readonly slots: AgentSlots;
  readonly #options: RegistryOptions;
  readonly #sessions = new Map<string, Promise<LiveSession>>();
  readonly #opening = new Set<Promise<Session>>();
  readonly #deleted = new Set<string>();
  readonly #newLogs: NewLogs;
  readonly #newSessions: NewSessions;
  readonly #forkTitles: ForkTitles;
  readonly #changes: SessionChanges;
  readonly #views: SharedViews;
  readonly #paused = new PausedAgents();
  readonly #caughtUp = Promise.withResolvers<void>();
  #closing: Promise<void> | null = null;

  constructor(options: RegistryOptions) {
    this.#options = options;
    this.#newSessions = new NewSessions(options.derived);
    this.#newLogs = new NewLogs(options.logs, options.servers);
    this.#changes = new SessionChanges(options.metrics);
    this.#forkTitles = new ForkTitles({
      limits: options.limits,
      find: (beginning) => this.#titles(beginning),
    });
    this.#views = new SharedViews({
      limits: options.limits,
      snapshot: ({ sessionId, visible }) => {
        const view = options.derived.snapshotAt(sessionId)?.view;
        return view && view.head <= visible ? view : null;
      },
    });
    this.limits = options.limits;
    this.strict = options.strict;
    this.resumeQueue = options.resumeQueue;
    this.closedFolders = options.closedFolders;
    this.terminalSandboxes = options.terminalSandboxes;
    this.rules = options.rules;
    this.temporaries = options.temporaries;
    this.metrics = options.metrics;
    this.slots = new AgentSlots(options.limits.agentsRunning);
  }

  async open(request: OpenRequest): Promise<Session> {
    this.#mustBeOpen();
    const opening = this.#openNew(request);
    this.#opening.add(opening);
    try {
      return await opening;
    } finally {
      this.#opening.delete(opening);
    }
  }

  get(sessionId: string): Promise<LiveSession> {
    if (this.#deleted.has(sessionId)) return Promise.reject(new LandlineError("session-expired"));
    const known = this.#sessions.get(sessionId);
    if (known) return known;
    this.#mustBeOpen();
    const opening = this.#wake(sessionId);
    this.#sessions.set(sessionId, opening);
    opening.catch(() => this.#sessions.delete(sessionId));
    void this.#forgetDormant();
    return opening;
  }

  async list(query: ListQuery): Promise<SessionPage> {
    await this.indexed();
    const { newOnes, page } = this.#newSessions.readPage(query, () =>
      this.#options.derived.listSessions(query),
    );
    const sessions = await Promise.all(
      page.sessions.map(
        async (row) =>
          // What this gateway does not run does not run, whatever its log lacks.
          (await this.#sessions.get(row.sessionId))?.summary ?? { ...row, state: "idle" as const },
      ),
    );
    return { sessions: [...newOnes, ...sessions], nextCursor: page.nextCursor };
  }

  async indexed(): Promise<void> {
    const flushed = this.#caughtUp.promise.then(() => this.#options.indexer.flush());
    await Promise.race([
      flushed.catch(() => {}),
      setTimeout(this.limits.listWaitMs, undefined, { ref: false }),
    ]);
  }

  async #titles(beginning: string): Promise<readonly (string | null)[]> {
    await this.indexed();
    return [...this.#options.derived.titlesBeginning(beginning), ...this.#newSessions.titles];
  }

  watch(listener: Parameters<Sessions["watch"]>[0]): Disposable {
    return this.#changes.watch(listener);
  }

  async delete(sessionId: string, by: string): Promise<void> {
    const session = await this.get(sessionId).catch((error: unknown) => {
      if (error instanceof LandlineError && error.code === "log-damaged") return null;
      throw error;
    });
    await session?.stop();
    const { agent, cwd, head = 0 } = session?.summary ?? {};
    const deletion = { sessionId, seq: head + 1, at: Date.now(), detail: { agent, cwd, by } };
    const erase = () => this.#remove(sessionId, by);
    const problem = await this.#options.deletions.note(deletion, erase);
    if (problem !== null) this.report(sessionId, "The audit lacks a deletion.", problem);
    this.#deleted.add(sessionId);
    this.#options.logger.info("A session was deleted.", { sessionId, by });
  }

  deletions(): Promise<readonly AuditEntry[]> {
    return this.#options.deletions.list();
  }

  close(): Promise<void> {
    this.#closing ??= this.#closeAll();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /**
   * The database has caught up with the logs. As their owner, ends in the logs what ended with the gateway before:
   * asks, turns, agents. Prompts that waited are sent when the config says so.
   */
  async recover(): Promise<void> {
    this.#caughtUp.resolve();
    for (const sessionId of await this.#options.agents.interrupted())
      if (this.#closing || !(await this.#recoverOne(sessionId))) return;
    for (let cursor: string | undefined, more = true; more;) {
      // The index is closed with the sessions.
      if (this.#closing) return;
      const page = this.#options.derived.listSessions(cursor === undefined ? {} : { cursor });
      for (const { sessionId, state } of page.sessions) {
        if (this.#closing) return;
        if (state === "idle" && !this.resumeQueue) continue;
        if (!(await this.#recoverOne(sessionId))) return;
      }
      more = page.nextCursor !== null;
      if (page.nextCursor !== null) cursor = page.nextCursor;
    }
    if (this.#closing) return;
    const known = this.#options.derived.progress();
    await this.#newLogs.eraseEmpty(
      (sessionId) => this.#closing !== null || known.has(sessionId),
      (sessionId) =>
        this.#options.logger.info("A session without any event was removed.", { sessionId }),
    );
  }

  /** False on a full disk: each of the others would fail as well. They recover when they are driven. */
  async #recoverOne(sessionId: string): Promise<boolean> {
    const session = await this.get(sessionId).catch((error: unknown) => {
      const isGone = error instanceof LandlineError && error.code === "session-not-found";
      if (!isGone) this.report(sessionId, "The session could not be opened.", error);
    });
    return session?.recover() ?? true;
  }

  report(sessionId: string, what: string, error: unknown): void {
    this.#options.logger.error(what, { sessionId, error });
  }

  /** Whether it is in memory: somebody may be looking at it. */
  isInUse(sessionId: string): boolean {
    return this.#sessions.has(sessionId);
  }

  entryOf(agent: string): AgentEntry | null {
    try {
      return this.#options.catalog.get(agent);
    } catch {
      return null;
    }
  }

  viewOf(log: SessionLog): Promise<SessionView> {
    return this.#views.of(log);
  }

  async startAgent(
    sessionId: string,
    facts: Facts,
    before: Before | null,
    owner: AgentSessionOwner,
  ): Promise<AgentSession> {
    const { agents, catalog, servers, signIns } = this.#options;
    const { cwd, roots } = facts;
    const entry = catalog.get(facts.agent);
    await this.#paused.over(entry.id);
    const mcpServers = (await servers.of(sessionId)) ?? servers.ofProject(cwd);
    this.metrics.agentsStarted.add(facts.agent);
    try {
      const opened = await AgentSession.open({
        host: agents,
        entry,
        cwd,
        roots,
        mcpServers,
        before,
        limits: this.limits,
        owner,
        sessionId,
        signIns,
      });
      signIns.accepted(entry.id, "opening");
      return opened;
    } catch (error) {
      throw signIns.explained(entry, error, "opening");
    }
  }

  whilePaused: WhilePaused = (entry, work) =>
    this.#paused.during(entry, this.#sessions.values(), work);

  promptAnswered(agent: string, error: LandlineError | undefined): LandlineError | undefined {
    const { signIns } = this.#options;
    if (!error) signIns.accepted(agent, "prompt");
    const entry = error?.code === "auth-required" ? this.entryOf(agent) : null;
    return entry ? signIns.explained(entry, error, "prompt") : error;
  }

  chosen(agent: string, configId: string, options: Facts["options"]): Promise<void> {
    return this.#options.lastChoices.note(agent, configId, options);
  }

  /** A copy of the log so far under a new number one, and a copy of the agent's session where it can make one. */
  async fork(
    session: LiveSession,
    facts: Facts,
    by: string,
    inAgent: () => Promise<ForkPoint | null>,
  ): Promise<Session> {
    this.#mustBeOpen();
    const { title, firstPrompt } = session.summary;
    using held = await this.#forkTitles.hold(title ?? firstPrompt);
    const point = await inAgent().catch(() => null);
    const letGo = point?.letGo();
    const { head, agentSessionId } = point ?? { head: session.log.head, agentSessionId: null };
    // The copy is read from the log, which shows what is safe alone.
    if (session.log.visible < head) await session.log.whenDurable(head);
    const log = await forkLog(
      {
        newLogs: this.#newLogs,
        servers: this.#options.servers,
        viewOf: (copy) => this.viewOf(copy),
      },
      session.log,
      facts,
      { title: held.title, head, agentSessionId, by },
    );
    await letGo;
    const id = log.sessionId;
    this.#options.indexer.follow(log);
    const view = await this.viewOf(log);
    const { info } = (await session.view()).agent;
    const parts = await partsFromLog(log, view, info);
    const forked = new LiveSession(this, parts);
    this.#sessions.set(id, Promise.resolve(forked));
    forked.recover();
    this.#newSessions.add(forked);
    this.changed(forked);
    return forked;
  }

  async forkOrigins(log: SessionLog): Promise<readonly string[]> {
    return forkOrigins({ log, view: await this.viewOf(log) }, async (sessionId) => {
      const origin = await this.get(sessionId).catch(() => null);
      return origin && { log: origin.log, view: await origin.view() };
    });
  }

  changed(session: LiveSession): void {
    this.#changes.note(session.summary);
  }

  async #openNew(request: OpenRequest): Promise<Session> {
    const entry = this.#options.catalog.get(request.agent);
    const { cwd, roots } = await resolveRoots(request.cwd, request.roots ?? []);
    const id = randomUUIDv7();
    const mcpServers = request.mcpServers ?? this.#options.servers.ofProject(cwd);
    const params = { cwd, mcpServers, additionalDirectories: roots };
    const note = checkMessageSize("sessionNewBytes", params, this);
    const { title = null, parent = null, by } = request;
    const session = await this.#create(
      id,
      { kind: "session-opened", agent: entry.id, cwd, roots, title, parent, by },
      request.mcpServers ?? null,
    );
    try {
      if (note !== null)
        session.record({ kind: "error", code: "message-too-large", message: note });
      await session.start(request);
    } catch (error) {
      // Whoever watches the list has seen it come.
      await this.#remove(id, by);
      throw error;
    }
    return session;
  }

  async #remove(sessionId: string, by: string): Promise<void> {
    this.#newSessions.remove(sessionId);
    await this.#erase(sessionId);
    this.#changes.deleted(sessionId, by);
  }

  async #create(
    id: string,
    opened: SessionOpened,
    servers: NonNullable<OpenRequest["mcpServers"]> | null,
  ): Promise<LiveSession> {
    const { log, view } = await this.#newLogs.make(id, opened, servers);
    this.#options.indexer.follow(log);
    const summary = summaryPartsOf(view);
    const session = new LiveSession(this, { id, log, facts: factsOf(view), summary });
    this.#sessions.set(id, Promise.resolve(session));
    this.#newSessions.add(session);
    this.changed(session);
    return session;
  }

  async #wake(sessionId: string): Promise<LiveSession> {
    const { logs, indexer, derived } = this.#options;
    const log = await logs.open(sessionId);
    if (log.head === 0 && derived.applied(sessionId) > 0) throw emptied(sessionId);
    indexer.follow(log);
    const view = await this.viewOf(log);
    return new LiveSession(this, await partsFromLog(log, view, view.agent.info));
  }

  /** Those that only are a log: whoever asks for one again gets it from there. */
  async #forgetDormant(): Promise<void> {
    for (const [id, opening] of this.#sessions) {
      if (this.#sessions.size <= this.limits.dormantSessionsKept) return;
      const session = await opening.catch(() => null);
      if (session?.isDormant) this.#sessions.delete(id);
    }
  }

  async #erase(sessionId: string): Promise<void> {
    this.#sessions.delete(sessionId);
    this.#changes.forget(sessionId);
    await this.#options.logs.delete(sessionId);
    await this.#options.indexer.delete(sessionId);
  }

  async #closeAll(): Promise<void> {
    const opened = await Promise.allSettled(this.#sessions.values());
    const stops = opened.flatMap((result) =>
      result.status === "fulfilled" ? [result.value.stop()] : [],
    );
    // Agents are given less time than when one session ends: the gateway as a whole has to end in time.
    await Promise.all([...stops, this.#options.agents.close()]);
    // What could not be opened any more is erased.
    await Promise.allSettled(this.#opening);
  }

  #mustBeOpen(): void {
    if (this.#closing)
      throw new LandlineError("session-closed", { message: "The gateway is shutting down." });
  }
}
