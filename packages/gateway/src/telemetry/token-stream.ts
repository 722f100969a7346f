import {
  contextLength,
  mayEndInToken,
  maskedToken,
  shownLength,
  tokenSpans,
} from "./mask-tokens.ts";

/** The start of `maskedToken`, `ll_`: it may have been sent before a token was recognized. */
const MARK = "ll_";

/** Trim only above this length: trimming costs more than appending. */
const PAST_LENGTH = 1_024;

/**
 * Masks tokens in text that arrives in chunks, including tokens that are split between chunks. The end of a chunk is delayed
 * only if it has more of a token than its prefix: a word like `call_id` is never delayed.
 */
export class TokenStream {
  /** The end of the text that was already returned. */
  #past = "";
  #held = "";
  /** Whether `past` + `held` ends in a possible partial token. */
  #isBeginning = false;
  /** Whether a token was just masked, so that further characters of its alphabet belong to it. */
  #isInToken = false;

  get hasHeld(): boolean {
    return this.#held !== "";
  }

  /** Returns what can be shown now: the same string if no token is split. */
  push(text: string): string {
    if (this.#isInToken) return this.#skip(text);
    if (this.#isBeginning || mayEndInToken(text)) return this.#read(text);
    // The writer masks tokens that are whole within a chunk.
    this.#past += text;
    if (this.#past.length > PAST_LENGTH) this.#past = lastOf(this.#past);
    return text;
  }

  /** Returns the delayed text, because other output follows. If a token continues after it, its rest is masked. */
  release(): string {
    const held = this.#held;
    this.#past = lastOf(this.#past + held);
    this.#held = "";
    return held;
  }

  #skip(text: string): string {
    const rest = text.replace(/^[\w-]+/, "");
    if (rest === "") return "";
    this.#isInToken = false;
    return this.#read(rest);
  }

  #read(text: string): string {
    const whole = this.#past + this.#held + text;
    const from = this.#past.length;
    let shown = "";
    let at = from;
    for (const { start, end, isOpen } of tokenSpans(whole, from)) {
      if (end <= from) continue;
      const isMarkShown = start < from && whole.startsWith(MARK, start);
      const skipped = isMarkShown ? Math.min(from - start, MARK.length) : 0;
      shown += whole.slice(at, Math.max(at, start)) + maskedToken.slice(skipped);
      at = end;
      this.#isInToken = isOpen;
    }
    const decided = this.#isInToken ? undefined : shownLength(whole);
    this.#isBeginning = decided !== undefined;
    const until = Math.max(at, decided ?? whole.length);
    this.#held = whole.slice(until);
    this.#past = lastOf(this.#isInToken ? "" : whole.slice(at === from ? 0 : at, until));
    return shown + whole.slice(at, until);
  }
}

/** Copies the slice, because a plain slice keeps the whole text in memory. */
function lastOf(text: string): string {
  const last = text.slice(-contextLength());
  return text.length > PAST_LENGTH ? Buffer.from(last, "utf16le").toString("utf16le") : last;
}
