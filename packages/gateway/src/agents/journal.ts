import { appendFile, readFile } from "node:fs/promises";
import { unlessMissing } from "@landline/system/missing-file";
import { removeTemporaryFiles, replacePrivateFile } from "@landline/system/replace-file";
import { bootId } from "@landline/system/process-table";
import { isRecord, parsedJson } from "@landline/system/json";

/**
 * The journal of running agents, with which the next gateway ends what a killed gateway left. An agent's mark is
 * written before its process starts. Writes are sequential. An invalid line, such as the last one after a crash, is
 * skipped.
 */
export interface JournalEntry {
  readonly mark: string;
  readonly agent: string;
  /** The agent's session; null for a sign-in. */
  readonly sessionId: string | null;
  /** The boot id of the machine; null if unknown. */
  readonly boot: string | null;
  /** Null if the gateway was killed before it was recorded. */
  readonly pid: number | null;
  readonly startTime: number | null;
}

export class AgentJournal {
  readonly #path: string;
  readonly #linesMax: number;
  readonly #running = new Map<string, JournalEntry>();
  #lines = 0;
  #writing: Promise<void> = Promise.resolve();

  constructor(path: string, linesMax: number) {
    this.#path = path;
    this.#linesMax = linesMax;
  }

  /** Agents of an earlier gateway whose end it did not record. */
  async orphans(): Promise<JournalEntry[]> {
    const entries = new Map<string, JournalEntry>();
    const text = await readFile(this.#path, "utf8").catch(unlessMissing(""));
    for (const line of text.split("\n")) {
      const note = readNote(line);
      if (note === null) continue;
      if (note.ended) entries.delete(note.entry.mark);
      else entries.set(note.entry.mark, note.entry);
    }
    return [...entries.values()];
  }

  /** Rewrites the journal with the agents that could not be ended. */
  async reset(left: readonly JournalEntry[]): Promise<void> {
    for (const entry of left) this.#running.set(entry.mark, entry);
    await removeTemporaryFiles(this.#path);
    await this.#write(() => this.#rewrite());
  }

  /** Called before the process is started. */
  async starting(mark: string, agent: string, sessionId: string | null): Promise<void> {
    await this.#note({ mark, agent, sessionId, boot: await bootId(), pid: null, startTime: null });
  }

  async started(mark: string, pid: number, startTime: number | null): Promise<void> {
    const entry = this.#running.get(mark);
    // The agent may have ended already.
    if (entry !== undefined) await this.#note({ ...entry, pid, startTime });
  }

  async ended(mark: string): Promise<void> {
    if (!this.#running.delete(mark)) return;
    await this.#write(() =>
      this.#running.size === 0 || this.#lines >= this.#linesMax
        ? this.#rewrite()
        : this.#append({ mark, ended: true }),
    );
  }

  /** Resolves when all entries so far are written. */
  written(): Promise<void> {
    return this.#writing;
  }

  async #note(entry: JournalEntry): Promise<void> {
    this.#running.set(entry.mark, entry);
    await this.#write(() => this.#append(entry));
  }

  /** A failed write rejects only its own promise, not those of later writes. */
  #write(action: () => Promise<void>): Promise<void> {
    const writing = this.#writing.then(action);
    this.#writing = writing.catch(() => {});
    return writing;
  }

  async #append(note: object): Promise<void> {
    await appendFile(this.#path, `${JSON.stringify(note)}\n`, { mode: 0o600 });
    this.#lines++;
  }

  async #rewrite(): Promise<void> {
    const lines = [...this.#running.values()].map((entry) => `${JSON.stringify(entry)}\n`);
    await replacePrivateFile(this.#path, lines.join(""));
    this.#lines = lines.length;
  }
}

function readNote(line: string): { entry: JournalEntry; ended: boolean } | null {
  const note = parsedJson(line);
  if (!isRecord(note)) return null;
  const { mark, agent, sessionId, boot, pid, startTime, ended } = note;
  if (typeof mark !== "string" || mark === "") return null;
  const entry = {
    mark,
    agent: typeof agent === "string" ? agent : "",
    sessionId: typeof sessionId === "string" ? sessionId : null,
    boot: typeof boot === "string" ? boot : null,
    pid: Number.isSafeInteger(pid) ? (pid as number) : null,
    startTime: Number.isSafeInteger(startTime) ? (startTime as number) : null,
  };
  return { entry, ended: ended === true };
}
