/**
 * The agent's sessions, in memory and optionally in a folder, so that a restarted agent can load them. History is
 * bounded: only the first updates are stored.
 */
import { createHash, randomUUID } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { isObject, type JsonObject } from "./json.ts";

const maxHistoryUpdates = 10_000;

/** Updates about the current state, which a replay omits. */
const stateKinds = new Set([
  "available_commands_update",
  "config_option_update",
  "current_mode_update",
  "session_info_update",
  "usage_update",
]);

interface Remembered {
  readonly update: JsonObject;
  readonly child?: string;
}

export interface Session {
  readonly id: string;
  cwd: string;
  /** False after `session/close`, and for sessions of an earlier process until they are loaded. */
  open: boolean;
  title: string | undefined;
  updatedAt: string;
  modes: JsonObject | undefined;
  configOptions: readonly JsonObject[] | undefined;
  models: JsonObject | undefined;
  /** Boolean options are shown to every client. */
  showsBooleans: boolean;
  readonly history: Remembered[];
  /** The history is full. */
  readonly isFull: boolean;
  /** Values that steps saved, by name. */
  readonly saved: Map<string, unknown>;
  /** How often each turn of the scenario was played here. */
  readonly played: Map<number, number>;
}

export class SessionStore {
  readonly #sessions = new Map<string, Session>();
  readonly #ids: string[];
  readonly #folder: string | undefined;
  readonly #fileless = new Set<string>();

  constructor(ids: readonly string[] = [], folder?: string) {
    this.#ids = [...ids];
    this.#folder = folder;
    if (folder !== undefined) this.#readFolder(folder);
  }

  /** Whether `--login` has succeeded. Persisted if there is a folder. */
  get isSignedIn(): boolean {
    return this.#folder !== undefined && existsSync(join(this.#folder, "signed-in"));
  }

  noteSignIn(): void {
    if (this.#folder !== undefined) writeFileSync(join(this.#folder, "signed-in"), "");
  }

  forgetSignIn(): void {
    if (this.#folder !== undefined) rmSync(join(this.#folder, "signed-in"), { force: true });
  }

  get(id: string): Session | undefined {
    return this.#sessions.get(id);
  }

  all(): readonly Session[] {
    return [...this.#sessions.values()];
  }

  create(cwd: string, id: string = this.#freshId()): Session {
    const session = emptySession(id, cwd);
    this.#sessions.set(id, session);
    this.#fileless.delete(id);
    this.#append(id, { sessionId: id, cwd });
    return session;
  }

  remember(session: Session, update: JsonObject, child?: string): void {
    session.updatedAt = new Date().toISOString();
    const kind = String(update["sessionUpdate"]);
    if (kind === "session_info_update" && child === undefined)
      this.#append(session.id, { title: session.title });
    if (stateKinds.has(kind)) return;
    if (session.isFull) return;
    const remembered = child === undefined ? { update } : { update, child };
    session.history.push(remembered);
    this.#append(session.id, remembered);
  }

  /** Counts a turn as played, so that a restarted agent continues with the next one. */
  countTurn(session: Session, turn: number): void {
    session.played.set(turn, (session.played.get(turn) ?? 0) + 1);
    this.#append(session.id, { turn });
  }

  delete(id: string): void {
    this.#sessions.delete(id);
    this.forgetFile(id);
  }

  /** Removes the session from the folder, but not from this process. */
  forgetFile(id: string): void {
    this.#fileless.add(id);
    if (this.#folder !== undefined) rmSync(this.#fileOf(this.#folder, id), { force: true });
  }

  #freshId(): string {
    let id = this.#ids.shift();
    while (id !== undefined && this.#sessions.has(id)) id = this.#ids.shift();
    return id ?? randomUUID();
  }

  #append(id: string, line: unknown): void {
    if (this.#folder === undefined || this.#fileless.has(id)) return;
    appendFileSync(this.#fileOf(this.#folder, id), `${JSON.stringify(line)}\n`);
  }

  /** A client can choose ids when it loads an unknown session, so they are not safe as file names. */
  #fileOf(folder: string, id: string): string {
    return join(folder, `${createHash("sha256").update(id).digest("hex").slice(0, 32)}.ndjson`);
  }

  #readFolder(folder: string): void {
    mkdirSync(folder, { recursive: true });
    for (const name of readdirSync(folder).toSorted()) {
      if (name.endsWith(".ndjson")) this.#readFile(join(folder, name));
    }
  }

  #readFile(path: string): void {
    let session: Session | undefined;
    for (const line of readFileSync(path, "utf8").split("\n")) {
      const entry = parsed(line);
      if (entry === undefined) continue;
      const { sessionId, cwd, title, update, child, turn } = entry;
      if (typeof sessionId === "string") session ??= emptySession(sessionId, String(cwd));
      if (session !== undefined && typeof title === "string") session.title = title;
      if (typeof turn === "number") session?.played.set(turn, (session.played.get(turn) ?? 0) + 1);
      if (isObject(update)) {
        session?.history.push(typeof child === "string" ? { update, child } : { update });
      }
    }
    if (session === undefined) return;
    session.updatedAt = statSync(path).mtime.toISOString();
    this.#sessions.set(session.id, session);
  }
}

/** Skips a line that a crash truncated. */
function parsed(line: string): JsonObject | undefined {
  try {
    const entry: unknown = JSON.parse(line);
    return isObject(entry) ? entry : undefined;
  } catch {
    return undefined;
  }
}

function emptySession(id: string, cwd: string): Session {
  const history: Remembered[] = [];
  return {
    id,
    cwd,
    open: false,
    title: undefined,
    updatedAt: new Date().toISOString(),
    modes: undefined,
    configOptions: undefined,
    models: undefined,
    showsBooleans: false,
    history,
    get isFull() {
      return history.length >= maxHistoryUpdates;
    },
    saved: new Map(),
    played: new Map(),
  };
}
