import { LandlineError } from "@landline/protocol";
import { EventLog, type LogOptions } from "./event-log.ts";
import type { Storage } from "./storage.ts";
import type { Logs, LogSize, SessionLog } from "./log.ts";

/** Opens at most one log per session, over any `Storage`. */
export class SessionLogs implements Logs {
  readonly #storage: Storage;
  readonly #options: LogOptions;
  readonly #logs = new Map<string, Promise<EventLog>>();
  readonly #deleting = new Map<string, Promise<void>>();
  #closed: Promise<void> | null = null;

  constructor(storage: Storage, options: LogOptions) {
    this.#storage = storage;
    this.#options = options;
  }

  list(): Promise<string[]> {
    return this.#storage.list();
  }

  async create(sessionId: string): Promise<SessionLog> {
    this.#mustBeOpen();
    if (!isSessionId(sessionId)) {
      throw new LandlineError("invalid-params", {
        message: "A session id has 1 to 128 letters, digits, dots, dashes or underscores.",
      });
    }
    await this.#deleting.get(sessionId);
    if (this.#logs.has(sessionId)) {
      throw new LandlineError("session-locked", { message: "The session already has a log." });
    }
    return this.#keep(sessionId, this.#storage.create(sessionId));
  }

  async open(sessionId: string): Promise<SessionLog> {
    this.#mustBeOpen();
    if (!isSessionId(sessionId)) throw new LandlineError("session-not-found");
    await this.#deleting.get(sessionId);
    return this.#logs.get(sessionId) ?? this.#keep(sessionId, this.#storage.open(sessionId));
  }

  delete(sessionId: string): Promise<void> {
    const deleting = this.#deleting.get(sessionId) ?? this.#erase(sessionId);
    this.#deleting.set(sessionId, deleting);
    return deleting.finally(() => this.#deleting.delete(sessionId));
  }

  async sizes(): Promise<LogSize[]> {
    const sizes: LogSize[] = [];
    for (const sessionId of await this.list()) {
      sizes.push({ sessionId, ...(await this.#storage.size(sessionId)) });
    }
    return sizes;
  }

  close(): Promise<void> {
    this.#closed ??= this.#closeAll();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #closeAll(): Promise<void> {
    const opened = await Promise.allSettled(this.#logs.values());
    await Promise.all(
      opened.flatMap((result) => (result.status === "fulfilled" ? [result.value.close()] : [])),
    );
  }

  async #erase(sessionId: string): Promise<void> {
    if (!isSessionId(sessionId)) throw new LandlineError("session-not-found");
    const opened = await this.#logs.get(sessionId);
    this.#logs.delete(sessionId);
    await opened?.abandon();
    await this.#storage.delete(sessionId);
  }

  #keep(sessionId: string, opening: ReturnType<Storage["open"]>): Promise<EventLog> {
    const log = opening.then((lines) => new EventLog(sessionId, lines, this.#options));
    this.#logs.set(sessionId, log);
    log.catch(() => this.#logs.delete(sessionId));
    return log;
  }

  #mustBeOpen(): void {
    if (this.#closed)
      throw new LandlineError("internal-error", { message: "The logs are closed." });
  }
}

/** Ids become folder names, so they must not contain characters that are special to a file system. */
export function isSessionId(value: string): boolean {
  return /^[0-9A-Za-z][0-9A-Za-z._-]{0,127}$/.test(value);
}
