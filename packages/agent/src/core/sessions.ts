import { randomUUIDv7 } from "node:crypto";
import type { McpServer } from "@agentclientprotocol/sdk";
import { PendingWork } from "@landline/system/pending-work";
import type { SessionFile, SessionInfo, SessionStore } from "../session/store.ts";
import { endInterruptedTurns } from "./interrupted-turns.ts";
import { resetLevel } from "./permission-level-reset.ts";
import type { SessionRecord } from "./record.ts";
import type { SessionParts } from "./session-parts.ts";
import { SessionProblem } from "./session-problem.ts";
import { Session } from "./session.ts";
import { foldRecords, newState, type SessionState } from "./state.ts";
import { subagentsOf } from "./subagents.ts";

export interface SessionSetup {
  cwd: string;
  directories: string[];
  mcpServers: McpServer[];
}

/** Builds the parts of a session. */
export type AssembleSession = (
  sessionId: string,
  setup: SessionSetup,
) => Promise<Omit<SessionParts, "file" | "parent" | "taskCallId" | "subagents">>;

/** The sessions of this process, open and on disk. */
export class Sessions {
  readonly #store: SessionStore;
  readonly #assemble: AssembleSession;
  readonly #open = new Map<string, Session>();
  readonly #starting = new PendingWork();
  #isClosed = false;

  constructor(store: SessionStore, assemble: AssembleSession) {
    this.#store = store;
    this.#assemble = assemble;
  }

  async create(setup: SessionSetup): Promise<Session> {
    const sessionId = randomUUIDv7();
    const { cwd, directories } = setup;
    const created = {
      kind: "session-created",
      version: 1,
      at: Date.now(),
      sessionId,
      cwd,
      directories,
    } as const;
    const file = await this.#store.create(created);
    return this.#orRemove(sessionId, () =>
      this.#starting.add(this.#start(file, newState(created), setup)),
    );
  }

  /** A session that is already open is closed and opened again with the new setup. */
  async open(
    sessionId: string,
    setup: SessionSetup,
  ): Promise<{ session: Session; records: readonly SessionRecord[] }> {
    const already = this.#open.get(sessionId);
    if (already?.isBusy) {
      throw new SessionProblem(
        "session-locked",
        "A turn is running in this session. Cancel it first, or wait.",
      );
    }
    if (already) await this.close(sessionId);
    const file = await this.#store.open(sessionId);
    const state = foldRecords(file.records);
    if (!state) {
      await file[Symbol.asyncDispose]();
      throw new SessionProblem(
        "session-not-found",
        `The file of session ${sessionId} holds no session.`,
      );
    }
    const settled = endInterruptedTurns(state);
    for (const record of settled) file.append(record);
    const session = await this.#starting.add(this.#start(file, state, setup, settled));
    return { session, records: [...file.records, ...settled] };
  }

  async fork(
    sessionId: string,
    setup: SessionSetup,
  ): Promise<{ session: Session; records: readonly SessionRecord[] }> {
    await this.#open.get(sessionId)?.parts.file.flush();
    const copy = await this.#store.fork(sessionId);
    return this.#orRemove(copy, () => this.open(copy, setup));
  }

  /** Deletes a new session that could not be opened; no client knows its id. */
  async #orRemove<Value>(sessionId: string, open: () => Promise<Value>): Promise<Value> {
    try {
      return await open();
    } catch (error) {
      await this.#store.remove(sessionId).catch(() => undefined);
      throw error;
    }
  }

  /** Throws SessionProblem. */
  get(sessionId: string): Session {
    const session = this.#open.get(sessionId);
    if (session) return session;
    throw new SessionProblem(
      "session-not-found",
      `There is no open session ${sessionId}. Open it with session/load or session/resume.`,
    );
  }

  list(options: {
    cwd?: string;
    cursor?: string;
  }): Promise<{ sessions: SessionInfo[]; nextCursor: string | null }> {
    return this.#store.list(options);
  }

  /** Does nothing when it is not open. */
  async close(sessionId: string): Promise<void> {
    const session = this.#open.get(sessionId);
    this.#open.delete(sessionId);
    await session?.close();
  }

  async remove(sessionId: string): Promise<void> {
    await this.close(sessionId);
    await this.#store.remove(sessionId);
  }

  /** Final: sessions that are being opened are closed as soon as they are open. */
  async closeAll(): Promise<void> {
    this.#isClosed = true;
    await this.#starting.ended();
    await Promise.all([...this.#open.keys()].map((sessionId) => this.close(sessionId)));
  }

  async #start(
    file: SessionFile,
    state: SessionState,
    setup: SessionSetup,
    settled: SessionRecord[] = [],
  ): Promise<Session> {
    try {
      if (this.#isClosed) throw new SessionProblem("session-not-found", "The agent is ending.");
      const parts = await this.#assemble(file.sessionId, setup);
      for (const record of resetLevel(state, parts.project.config.permissionLevel)) {
        settled.push(record);
        file.append(record);
      }
      const subagents = (session: Session) => subagentsOf(this.#store, session);
      const session = new Session(
        { ...parts, file, parent: null, taskCallId: null, subagents },
        state,
        settled,
      );
      this.#open.set(file.sessionId, session);
      return session;
    } catch (error) {
      await file[Symbol.asyncDispose]();
      throw error;
    }
  }
}
