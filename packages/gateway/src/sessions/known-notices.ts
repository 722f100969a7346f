import { readUpdate, type NoticeItem, type RawUpdate, type SessionView } from "@landline/protocol";

const noticesMax = 1_000;
const keyLength = 1_000;

/**
 * The latest notices in a session's log. An agent that loads a session may resend old notices with new ones; only new
 * ones are logged.
 */
export class KnownNotices {
  readonly #keys = new Set<string>();

  constructor(view?: SessionView) {
    for (const { items } of view ? [view, ...view.subagents] : [])
      for (const item of items) if (item.type === "notice") this.#add(keyOf(item));
  }

  /** Remembers a notice. Returns whether it was known. */
  note(update: RawUpdate): boolean {
    const reading = readUpdate(update);
    if (reading.kind !== "notice") return false;
    const key = keyOf(reading);
    const isKnown = this.#keys.has(key);
    this.#add(key);
    return isKnown;
  }

  #add(key: string): void {
    this.#keys.add(key);
    const [oldest] = this.#keys;
    if (this.#keys.size > noticesMax && oldest !== undefined) this.#keys.delete(oldest);
  }
}

type Notice = Pick<NoticeItem, "severity" | "title" | "description">;

function keyOf({ severity, title, description }: Notice): string {
  return JSON.stringify([severity, title, description]).slice(0, keyLength);
}
