import { type FileHandle, mkdir, open, readFile, rm, stat } from "node:fs/promises";
import { exists } from "@landline/system/missing-file";
import { errorMessage } from "@landline/system/error-message";
import type { SessionCreated, SessionRecord } from "../core/record.ts";
import { forkSession } from "./fork.ts";
import { JsonlFile } from "./jsonl-file.ts";
import { type ListOptions, pageOf } from "./session-list-page.ts";
import { isSessionId, SessionPaths } from "./session-paths.ts";
import { parseRecords, type ParsedRecords } from "./parse-records.ts";
import { descendantsOf, SessionIndex } from "./session-index.ts";
import { takeSessionLock } from "./session-lock.ts";
import { type SessionFile, type SessionStore, StoreProblem } from "./store.ts";

/** Maximum size of a session's file. A larger one is refused (`broken`). */
const fileBytesMax = 512 * 1_024 * 1_024;

export function openSessionStore(data: string): SessionStore {
  return new JsonlStore(new SessionPaths(data));
}

class JsonlStore implements SessionStore {
  readonly #paths: SessionPaths;
  readonly #index: SessionIndex;

  constructor(paths: SessionPaths) {
    this.#paths = paths;
    this.#index = new SessionIndex(paths);
  }

  async create(first: SessionCreated): Promise<SessionFile> {
    const { sessionId } = first;
    if (!isSessionId(sessionId))
      throw new StoreProblem("broken", `${sessionId} is not a session id.`);
    await mkdir(this.#paths.folder, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
      throw notCreated(error, this.#paths.folder);
    });
    const lock = await takeSessionLock(this.#paths.lock(sessionId), sessionId);
    const path = this.#paths.file(sessionId);
    let file: JsonlFile | undefined;
    try {
      const handle = await open(path, "wx+", 0o600);
      file = this.#file(sessionId, { records: [first], bytes: 0 }, handle, lock);
      file.append(first);
      await file.flush();
      return file;
    } catch (error) {
      if (file !== undefined) {
        await file[Symbol.asyncDispose]().catch(() => undefined);
        await rm(path, { force: true });
      }
      lock[Symbol.dispose]();
      throw notCreated(error, this.#paths.folder);
    }
  }

  async open(sessionId: string): Promise<SessionFile> {
    await this.#check(sessionId);
    const lock = await takeSessionLock(this.#paths.lock(sessionId), sessionId);
    try {
      const parsed = await this.#parse(sessionId);
      const handle = await open(this.#paths.file(sessionId), "r+");
      try {
        // An incomplete last line was never shown to anyone.
        if ((await handle.stat()).size > parsed.bytes) await handle.truncate(parsed.bytes);
      } catch (error) {
        await handle.close();
        throw error;
      }
      return this.#file(sessionId, parsed, handle, lock);
    } catch (error) {
      lock[Symbol.dispose]();
      throw error;
    }
  }

  async read(sessionId: string): Promise<SessionRecord[]> {
    await this.#check(sessionId);
    return (await this.#parse(sessionId)).records;
  }

  async fork(sessionId: string): Promise<string> {
    const ids = descendantsOf(await this.#index.entries(), sessionId);
    const root = { sessionId, records: await this.read(sessionId) };
    const descendants = await Promise.all(
      ids.map(async (id) => ({ sessionId: id, records: await this.read(id) })),
    );
    return forkSession(this.#paths, root, descendants);
  }

  async list(options: ListOptions): ReturnType<SessionStore["list"]> {
    return pageOf(await this.#index.entries(), options);
  }

  async remove(sessionId: string): Promise<void> {
    if (!isSessionId(sessionId)) return;
    const ids = [...descendantsOf(await this.#index.entries(), sessionId), sessionId];
    const there = [];
    for (const id of ids) if (await exists(this.#paths.file(id))) there.push(id);
    using locks = new DisposableStack();
    for (const id of there) locks.use(await takeSessionLock(this.#paths.lock(id), id));
    // The session itself last, so that a removal can be repeated after a crash.
    for (const id of ids) {
      await rm(this.#paths.sessionFolder(id), { recursive: true, force: true });
      await rm(this.#paths.file(id), { force: true });
      await rm(this.#paths.lock(id), { force: true });
    }
  }

  async #check(sessionId: string): Promise<void> {
    if (isSessionId(sessionId) && (await exists(this.#paths.file(sessionId)))) return;
    throw new StoreProblem(
      "session-not-found",
      `There is no session ${sessionId}. It may have been deleted, or belong to another data folder.`,
    );
  }

  async #parse(sessionId: string): Promise<ParsedRecords> {
    const path = this.#paths.file(sessionId);
    const { size } = await stat(path);
    if (size > fileBytesMax) {
      throw new StoreProblem(
        "broken",
        `${path} has ${size} bytes; the limit is ${fileBytesMax}. Start a new session.`,
      );
    }
    return parseRecords(await readFile(path), path);
  }

  #file(sessionId: string, parsed: ParsedRecords, handle: FileHandle, lock: Disposable): JsonlFile {
    return new JsonlFile({
      sessionId,
      path: this.#paths.file(sessionId),
      outputs: this.#paths.outputs(sessionId),
      records: parsed.records,
      size: parsed.bytes,
      handle,
      lock,
    });
  }
}

function notCreated(error: unknown, folder: string): StoreProblem {
  if (error instanceof StoreProblem) return error;
  const words = errorMessage(error);
  return new StoreProblem(
    "not-written",
    `No session can be stored in ${folder}: ${words}. Check the folder, or set LANDLINE_AGENT_DATA to another.`,
    { cause: error },
  );
}
