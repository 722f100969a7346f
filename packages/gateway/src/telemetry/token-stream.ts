import {
  contextLength,
  mayEndInToken,
  maskedToken,
  shownLength,
  tokenSpans,
} from "./mask-tokens.ts";

/** Of `maskedToken`: `ll_`, which may have been shown before it was known that a token follows. */
const MARK = "ll_";

/** So much is kept before it is shortened: that takes longer than adding to it. */
const PAST_LENGTH = 1_024;

/**
 * Text that comes in pieces, with tokens of ours masked wherever it was cut. The end of a piece is held back only where
 * it has more of a token than its mark; a word like `call_id` is never held back.
 */
export class TokenStream {
  /** The last of what was shown. */
  #past = "";
  #held = "";
  /** Whether `past` and `held` end in what may be the beginning of a token. */
  #isBeginning = false;
  /** Whether a token has just been masked, and further characters of its alphabet belong to it. */
  #isInToken = false;

  get hasHeld(): boolean {
    return this.#held !== "";
  }

  /** What can be shown now. The same string when nothing in it has to do with a token that was cut. */
  push(text: string): string {
    if (this.#isInToken) return this.#skip(text);
    if (this.#isBeginning || mayEndInToken(text)) return this.#read(text);
    // Tokens that are whole in it are masked where it is written.
    this.#past += text;
    if (this.#past.length > PAST_LENGTH) this.#past = lastOf(this.#past);
    return text;
  }

  /** What was held back, because something else comes now. If the token goes on, the rest of it is masked. */
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

/** A copy, because a slice keeps the whole text in memory. */
function lastOf(text: string): string {
  const last = text.slice(-contextLength());
  return text.length > PAST_LENGTH ? Buffer.from(last, "utf16le").toString("utf16le") : last;
}
