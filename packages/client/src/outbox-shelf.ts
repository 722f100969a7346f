import type { ContentBlock } from "@agentclientprotocol/sdk";
import type { OutboxStorage } from "./contract.ts";
import { isRecord } from "./problem.ts";

/** A prompt without its content. */
export interface ShelfEntry {
  readonly sessionId: string;
  readonly promptId: string;
  readonly at: number;
  /** Whether it may have reached the gateway. */
  readonly wasSent: boolean;
}

/**
 * Prompts as they are kept across a reload: a list, and the content of each under a key of its own, so that a
 * change of the list writes no content. Other tabs write there too: the list is read before each change. A
 * storage that throws, or is full, or holds rubbish keeps nothing, and harms nobody.
 */
export class OutboxShelf {
  readonly #storage: OutboxStorage;
  readonly #key: string;

  constructor(storage: OutboxStorage, gateway: string) {
    this.#storage = storage;
    this.#key = `landline.outbox ${gateway}`;
  }

  list(): readonly ShelfEntry[] {
    const entries = this.#read(this.#key);
    return Array.isArray(entries) ? entries.filter(isEntry) : [];
  }

  /** Null when it is not there, or no longer. */
  content(entry: ShelfEntry): readonly ContentBlock[] | null {
    if (!this.list().some((kept) => isSame(kept, entry))) return null;
    const content = this.#read(this.#contentKey(entry));
    return Array.isArray(content) ? (content as readonly ContentBlock[]) : null;
  }

  /** Whether it is kept. */
  put(entry: ShelfEntry, content: readonly ContentBlock[]): boolean {
    const isKept = this.#write(this.#contentKey(entry), content) && this.note(entry, true);
    if (!isKept) this.remove(entry);
    return isKept;
  }

  /** What is known of it has changed; its content has not. */
  note(entry: ShelfEntry, isNew = false): boolean {
    const others = this.list();
    const position = others.findIndex((kept) => isSame(kept, entry));
    if (position === -1) return isNew && this.#write(this.#key, [...others, entry]);
    return this.#write(this.#key, others.with(position, entry));
  }

  /** Puts those of one session into that order. */
  arrange(sessionId: string, promptIds: readonly string[]): void {
    const [own, others] = [new Map<string, ShelfEntry>(), [] as ShelfEntry[]];
    for (const kept of this.list()) {
      if (kept.sessionId === sessionId) own.set(kept.promptId, kept);
      else others.push(kept);
    }
    const arranged = promptIds.map((id) => own.get(id)).filter((kept) => kept !== undefined);
    const rest = own.values().filter(({ promptId }) => !promptIds.includes(promptId));
    this.#write(this.#key, [...others, ...arranged, ...rest]);
  }

  remove(entry: ShelfEntry): void {
    const known = this.list();
    const left = known.filter((kept) => !isSame(kept, entry));
    try {
      this.#storage.removeItem(this.#contentKey(entry));
      if (left.length === 0) this.#storage.removeItem(this.#key);
    } catch {
      // It can't be written to: then it holds nothing of ours.
    }
    if (left.length > 0 && left.length < known.length) this.#write(this.#key, left);
  }

  #contentKey({ sessionId, promptId }: ShelfEntry): string {
    return `${this.#key} ${sessionId} ${promptId}`;
  }

  #read(key: string): unknown {
    try {
      return JSON.parse(this.#storage.getItem(key) ?? "null");
    } catch {
      return null;
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

function isEntry(value: unknown): value is ShelfEntry {
  if (!isRecord(value)) return false;
  const { sessionId, promptId, at } = value;
  return typeof sessionId === "string" && typeof promptId === "string" && typeof at === "number";
}

function isSame(some: ShelfEntry, other: ShelfEntry): boolean {
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
