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

/** Stands in the list instead of a prompt, so that a tab that holds it too does not send it. */
interface WithdrawnMark extends StoredEntry {
  readonly isWithdrawn: true;
}

/** Of prompts that were withdrawn, so many are remembered: those of the latest. */
const marksKept = 20;

/**
 * Prompts as they are kept across a reload: a list, and the content of each under a key of its own, so that a
 * change of the list writes no content. Other tabs write there too: the list is read before each change. A
 * storage that throws, or is full, or holds rubbish keeps nothing, and harms nobody.
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

  /** Null when it is not there, or no longer. */
  content(entry: StoredEntry): readonly ContentBlock[] | null {
    if (!this.list().some((kept) => isSame(kept, entry))) return null;
    const content = this.#read(this.#contentKey(entry));
    return Array.isArray(content) ? (content as readonly ContentBlock[]) : null;
  }

  /** Whether it is kept. */
  put(entry: StoredEntry, content: readonly ContentBlock[]): boolean {
    const isKept = this.#write(this.#contentKey(entry), content) && this.note(entry, true);
    if (!isKept) this.remove(entry);
    return isKept;
  }

  /** What is known of it has changed; its content has not. */
  note(entry: StoredEntry, isNew = false): boolean {
    const others = this.#all();
    const position = others.findIndex((kept) => isSame(kept, entry));
    if (position === -1) return isNew && this.#write(this.#key, [...others, entry]);
    return this.#write(this.#key, others.with(position, entry));
  }

  /** Puts those of one session into that order. */
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

  /** As `remove`, and no other tab sends it either. */
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
      // It can't be written to: then it holds nothing of ours.
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

/** The browser's own, where there is one and it may be used; else memory. */
export function defaultStorage(): OutboxStorage {
  try {
    if (globalThis.document !== undefined && globalThis.localStorage)
      return globalThis.localStorage;
  } catch {
    // A page without the right to keep anything.
  }
  const kept = new Map<string, string>();
  return {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
  };
}
