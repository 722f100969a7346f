import { randomUUIDv7 } from "node:crypto";
import { finishedWithin } from "@landline/system/finished-within";
import {
  LandlineError,
  sessionGoneCodes,
  summaryPartsOf,
  type SessionOpened,
} from "@landline/protocol";
import type { BackgroundIndexer } from "../index/background-indexer.ts";
import type { AuditEntry } from "../index/audit-table.ts";
import type { IndexDatabase } from "../index/index-database.ts";
import { emptied } from "../log/disk-error.ts";
import type { Logs, SessionLog } from "../log/log.ts";
import type { WhilePaused } from "../sign-in/paused-agent.ts";
import type { Logger } from "../telemetry/logger.ts";
import { AgentSessions, continuedSessionId, type AgentSessionsQuery } from "./agent-sessions.ts";
import { AgentSlots } from "./agent-slots.ts";
import type { Deletions } from "./deletions.ts";
import { agentSettingsOf } from "./agent-settings.ts";
import { forkOrigins, forkSession } from "./fork.ts";
import { ForkTitles } from "./fork-titles.ts";
import { checkMessageSize } from "./message-size.ts";
import { NewLogs } from "./new-logs.ts";
import { NewSessions } from "./new-sessions.ts";
import { partsFromLog, type SessionParts } from "./parts-from-log.ts";
import { PausedAgents } from "./paused-agents.ts";
import { recoverSessions } from "./recovery.ts";
import { resolveRoots } from "./roots.ts";
import { LiveSession } from "./session.ts";
import { SessionChanges } from "./session-changes.ts";
import type { SessionHost } from "./session-host.ts";
import type { OpenRequest, Session, Sessions } from "./sessions.ts";
import type { SessionPage, SessionQuery } from "../index/session-table.ts";
import { SharedViews } from "./shared-views.ts";

export interface RegistryOptions extends Omit<
  SessionHost,
  "slots" | "paused" | "viewOf" | "fork" | "forkOrigins" | "changed" | "report"
> {
  readonly logs: Logs;
  readonly indexDatabase: IndexDatabase;
  readonly indexer: BackgroundIndexer;
  readonly deletions: Deletions;
  readonly logger: Logger;
}

/** All sessions of the gateway: live ones, and dormant ones that are loaded from their logs on demand. */
export class Registry implements Sessions {
  readonly #options: RegistryOptions;
  readonly #host: SessionHost;
  readonly #sessions = new Map<string, Promise<LiveSession>>();
  readonly #opening = new Set<Promise<Session>>();
  readonly #deleted = new Set<string>();
  readonly #newLogs: NewLogs;
  readonly #newSessions: NewSessions;
  readonly #changes: SessionChanges;
  readonly #paused = new PausedAgents();
  readonly #agentSessions: AgentSessions;
  readonly #caughtUp = Promise.withResolvers<void>();
  #closing: Promise<void> | null = null;

  constructor(options: RegistryOptions) {
    const { indexDatabase, limits, logger, logs, metrics, servers } = options;
    this.#options = options;
    this.#newSessions = new NewSessions(indexDatabase);
    this.#newLogs = new NewLogs(logs, servers);
    this.#changes = new SessionChanges(metrics);
    const slots = new AgentSlots(limits.agentsRunning);
    this.#agentSessions = new AgentSessions({ ...options, slots, indexed: () => this.indexed() });
    const views = new SharedViews({
      limits,
      snapshot: ({ sessionId, visible }) => {
        const view = indexDatabase.snapshotAt(sessionId)?.view;
        return view && view.head <= visible ? view : null;
      },
    });
    const titles = new ForkTitles({ limits, find: (beginning) => this.#titles(beginning) });
    const viewOf = (log: SessionLog) => views.of(log);
    const forking = { newLogs: this.#newLogs, servers, titles, viewOf };
    this.#host = {
      ...options,
      slots,
      paused: this.#paused,
      viewOf,
      fork: async (original, by, inAgent) => {
        this.#mustBeOpen();
        return this.#addFork(await forkSession(forking, original, by, inAgent));
      },
      forkOrigins: async (log) =>
        forkOrigins({ log, view: await viewOf(log) }, async (sessionId) => {
          const origin = await this.get(sessionId).catch(() => null);
          return origin && { log: origin.log, view: await origin.view() };
        }),
      changed: (summary) => this.#changes.note(summary),
      report: (sessionId, what, error) => logger.error(what, { sessionId, error }),
    };
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
    if (known) {
      // Moves it to the end, because the least recently used one is unloaded first.
      this.#sessions.delete(sessionId);
      this.#sessions.set(sessionId, known);
      return known;
    }
    this.#mustBeOpen();
    const opening = this.#wake(sessionId);
    this.#sessions.set(sessionId, opening);
    opening.catch(() => this.#sessions.delete(sessionId));
    void this.#unloadDormant();
    return opening;
  }

  async list(query: SessionQuery): Promise<SessionPage> {
    await this.indexed();
    const { newOnes, page } = this.#newSessions.readPage(query, () =>
      this.#options.indexDatabase.listSessions(query),
    );
    const sessions = await Promise.all(
      page.sessions.map(
        async (row) =>
          // A session that is not in memory does not run, even if its log has no end event.
          (await this.#sessions.get(row.sessionId)?.catch(() => null))?.summary ?? {
            ...row,
            state: "idle" as const,
          },
      ),
    );
    return { sessions: [...newOnes, ...sessions], nextCursor: page.nextCursor };
  }

  async indexed(): Promise<void> {
    const { indexer, limits } = this.#options;
    const flushed = this.#caughtUp.promise.then(() => indexer.flush()).catch(() => {});
    await finishedWithin(flushed, limits.listWaitMs);
  }

  async #titles(beginning: string): Promise<readonly (string | null)[]> {
    await this.indexed();
    return [...this.#options.indexDatabase.titlesBeginning(beginning), ...this.#newSessions.titles];
  }

  watch(listener: Parameters<Sessions["watch"]>[0]): Disposable {
    return this.#changes.watch(listener);
  }

  /** `isInAgentToo`: the agent deletes its own copy, if it can. */
  async delete(sessionId: string, by: string, isInAgentToo = true): Promise<void> {
    const session = await this.get(sessionId).catch((error: unknown) => {
      if (error instanceof LandlineError && error.code === "log-damaged") return null;
      throw error;
    });
    const inAgent = await session?.stopForDeletion(by);
    if (inAgent && isInAgentToo) this.#agentSessions.delete(inAgent.agent, inAgent.agentSessionId);
    const { agent, cwd, head = 0 } = session?.summary ?? {};
    const deletion = { sessionId, seq: head + 1, at: Date.now(), detail: { agent, cwd, by } };
    const erase = () => this.#remove(sessionId, by);
    const problem = await this.#options.deletions.note(deletion, erase);
    if (problem !== null) this.#host.report(sessionId, "The audit lacks a deletion.", problem);
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

  /** Call after the index has caught up with the logs. */
  recover(): Promise<void> {
    this.#caughtUp.resolve();
    return recoverSessions({
      ...this.#options,
      newLogs: this.#newLogs,
      get: (sessionId) => this.get(sessionId),
      isClosing: () => this.#closing !== null,
    });
  }

  /** The sessions that have work under way. */
  async inUse(): Promise<ReadonlySet<string>> {
    const loaded = await Promise.allSettled(this.#sessions.values());
    const inUse = loaded.flatMap((result) =>
      result.status === "fulfilled" && !result.value.isDormant ? [result.value.id] : [],
    );
    return new Set(inUse);
  }

  /** The sessions that an agent stores itself. */
  ofAgent = (agentId: string, query: AgentSessionsQuery) => {
    this.#mustBeOpen();
    return this.#agentSessions.list(agentId, query);
  };

  whilePaused: WhilePaused = (entry, work) =>
    this.#paused.during(entry, this.#sessions.values(), work);

  async #openNew(request: OpenRequest): Promise<Session> {
    const entry = this.#options.catalog.get(request.agent);
    const { cwd, roots } = await resolveRoots(request.cwd, request.roots ?? []);
    const { agentSessionId } = request;
    const id =
      agentSessionId === undefined ? randomUUIDv7() : continuedSessionId(entry.id, agentSessionId);
    const existing = agentSessionId === undefined ? null : await this.#continued(id);
    if (existing) return existing;
    const mcpServers = request.mcpServers ?? this.#options.servers.ofProject(cwd);
    const params = { cwd, mcpServers, additionalDirectories: roots };
    const note = checkMessageSize("sessionNewBytes", params, this.#options);
    const { title = null, by } = request;
    const session = await this.#create(
      id,
      {
        kind: "session-opened",
        agent: entry.id,
        cwd,
        roots,
        title,
        parent: null,
        ...(agentSessionId !== undefined && { agentSessionId }),
        by,
      },
      request.mcpServers ?? null,
    );
    try {
      if (note !== null)
        session.record({ kind: "error", code: "message-too-large", message: note });
      await session.start(request);
    } catch (error) {
      // Watchers of the list have already received it.
      await this.#remove(id, by);
      throw error;
    }
    return session;
  }

  /** A session of the agent that is continued here already; null if it is not. */
  async #continued(id: string): Promise<Session | null> {
    // A deleted session may be continued again if the agent still has it.
    this.#deleted.delete(id);
    return this.get(id).catch((error: unknown) => {
      if (error instanceof LandlineError && sessionGoneCodes.includes(error.code)) return null;
      throw error;
    });
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
    return this.#add({ log, settings: agentSettingsOf(view), summary: summaryPartsOf(view) });
  }

  #addFork(parts: SessionParts): LiveSession {
    const forked = this.#add(parts);
    forked.recover();
    return forked;
  }

  /** Adds a new session. */
  #add(parts: SessionParts): LiveSession {
    this.#options.indexer.follow(parts.log);
    const session = new LiveSession(this.#host, parts);
    this.#sessions.set(session.id, Promise.resolve(session));
    this.#newSessions.add(session);
    this.#changes.note(session.summary);
    return session;
  }

  async #wake(sessionId: string): Promise<LiveSession> {
    const { logs, indexer, indexDatabase } = this.#options;
    const log = await logs.open(sessionId);
    if (log.head === 0 && indexDatabase.applied(sessionId) > 0) throw emptied(sessionId);
    indexer.follow(log);
    const view = await this.#host.viewOf(log);
    return new LiveSession(this.#host, await partsFromLog(log, view, view.agent.info));
  }

  /** Drops the least recently used dormant sessions from memory. `get` loads them again. */
  async #unloadDormant(): Promise<void> {
    const { dormantSessionsKept } = this.#options.limits;
    const [...oldestFirst] = this.#sessions;
    for (const [id, opening] of oldestFirst) {
      if (this.#sessions.size <= dormantSessionsKept) return;
      const session = await opening.catch(() => null);
      if (session?.isDormant && this.#sessions.get(id) === opening) this.#sessions.delete(id);
    }
  }

  async #erase(sessionId: string): Promise<void> {
    this.#sessions.delete(sessionId);
    await this.#options.logs.delete(sessionId);
    this.#changes.forget(sessionId);
    await this.#options.indexer.delete(sessionId);
  }

  async #closeAll(): Promise<void> {
    const opened = await Promise.allSettled(this.#sessions.values());
    const stops = opened.flatMap((result) =>
      result.status === "fulfilled" ? [result.value.stop()] : [],
    );
    // `agents.close` has shorter timeouts, because the gateway must end in time.
    await Promise.all([...stops, this.#agentSessions.close(), this.#options.agents.close()]);
    // Sessions that could not be opened are erased.
    await Promise.allSettled(this.#opening);
  }

  #mustBeOpen(): void {
    if (this.#closing)
      throw new LandlineError("session-closed", { message: "The gateway is shutting down." });
  }
}
