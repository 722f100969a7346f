import type { ContentBlock } from "@agentclientprotocol/sdk";
import type { OutboxStorage } from "./contract.ts";
import { isRecord } from "@landline/protocol";

/** A prompt without its content. */
export interface StoredEntry {
  readonly sessionId: string;
  readonly promptId: string;
  readonly at: number;
  /** Whether it may have reached the gateway. */
  readonly wasSent: boolean;
}

/** Replaces a withdrawn prompt in the list, so that another tab does not send it. */
interface WithdrawnMark extends StoredEntry {
  readonly isWithdrawn: true;
}

/** The number of withdrawn prompts that are remembered. */
const marksKept = 20;

/**
 * Stores prompts across reloads: a list, and each content under its own key, so that list changes do not write
 * contents. Other tabs share the storage, so the list is read before each change. Storage that throws, is full or is
 * damaged counts as empty.
 */
export class StoredOutbox {
  readonly #storage: OutboxStorage;
  readonly #key: string;

  constructor(storage: OutboxStorage, gateway: string) {
    this.#storage = storage;
    this.#key = `landline.outbox ${gateway}`;
  }

  list(): readonly StoredEntry[] {
    return this.#all().filter((kept) => !isMark(kept));
  }

  isWithdrawn(entry: StoredEntry): boolean {
    return this.#all().some((kept) => isSame(kept, entry) && isMark(kept));
  }

  /** Null when it is not stored. */
  content(entry: StoredEntry): readonly ContentBlock[] | null {
    if (!this.list().some((kept) => isSame(kept, entry))) return null;
    const content = this.#read(this.#contentKey(entry));
    return Array.isArray(content) ? (content as readonly ContentBlock[]) : null;
  }

  /** Returns whether it was stored. */
  put(entry: StoredEntry, content: readonly ContentBlock[]): boolean {
    const isKept = this.#write(this.#contentKey(entry), content) && this.note(entry, true);
    if (!isKept) this.remove(entry);
    return isKept;
  }

  /** Updates the entry without its content. */
  note(entry: StoredEntry, isNew = false): boolean {
    const others = this.#all();
    const position = others.findIndex((kept) => isSame(kept, entry));
    if (position === -1) return isNew && this.#write(this.#key, [...others, entry]);
    return this.#write(this.#key, others.with(position, entry));
  }

  /** Sets the order of one session's prompts. */
  arrange(sessionId: string, promptIds: readonly string[]): void {
    const [own, others] = [new Map<string, StoredEntry>(), [] as StoredEntry[]];
    for (const kept of this.#all()) {
      if (kept.sessionId === sessionId) own.set(kept.promptId, kept);
      else others.push(kept);
    }
    const arranged = promptIds.map((id) => own.get(id)).filter((kept) => kept !== undefined);
    const rest = own.values().filter(({ promptId }) => !promptIds.includes(promptId));
    this.#write(this.#key, [...others, ...arranged, ...rest]);
  }

  remove(entry: StoredEntry): void {
    const known = this.#all();
    const left = known.filter((kept) => !isSame(kept, entry));
    this.#erase(this.#contentKey(entry));
    if (left.length === 0) this.#erase(this.#key);
    else if (left.length < known.length) this.#write(this.#key, left);
  }

  /** Like `remove`, and also prevents other tabs from sending it. */
  withdraw(entry: StoredEntry): void {
    const others = this.#all().filter((kept) => !isSame(kept, entry));
    const outdated = new Set(others.filter(isMark).slice(0, 1 - marksKept));
    const mark: WithdrawnMark = { ...entry, isWithdrawn: true };
    this.#erase(this.#contentKey(entry));
    this.#write(this.#key, [...others.filter((kept) => !outdated.has(kept)), mark]);
  }

  #all(): readonly StoredEntry[] {
    const entries = this.#read(this.#key);
    return Array.isArray(entries) ? entries.filter(isEntry) : [];
  }

  #contentKey({ sessionId, promptId }: StoredEntry): string {
    return `${this.#key} ${sessionId} ${promptId}`;
  }

  #read(key: string): unknown {
    try {
      return JSON.parse(this.#storage.getItem(key) ?? "null");
    } catch {
      return null;
    }
  }

  #erase(key: string): void {
    try {
      this.#storage.removeItem(key);
    } catch {
      // Storage that cannot be written has no entries of this client.
    }
  }

  #write(key: string, value: unknown): boolean {
    try {
      this.#storage.setItem(key, JSON.stringify(value));
      return true;
    } catch {
      return false;
    }
  }
}

function isEntry(value: unknown): value is StoredEntry {
  if (!isRecord(value)) return false;
  const { sessionId, promptId, at } = value;
  return typeof sessionId === "string" && typeof promptId === "string" && typeof at === "number";
}

function isMark(entry: StoredEntry): boolean {
  return "isWithdrawn" in entry;
}

function isSame(some: StoredEntry, other: StoredEntry): boolean {
  return some.promptId === other.promptId && some.sessionId === other.sessionId;
}

/** `localStorage` where it is available, else memory. */
export function defaultStorage(): OutboxStorage {
  try {
    if (globalThis.document !== undefined && globalThis.localStorage)
      return globalThis.localStorage;
  } catch {
    // The page may not use storage.
  }
  const kept = new Map<string, string>();
  return {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
  };
}
