import type { EventBody, Limits } from "@landline/protocol";
import { ByteTail } from "@landline/system/byte-tail";
import { maskOwnTokens, tokenBeginning } from "../../telemetry/mask-tokens.ts";

/** Long strings are kept beside the log and not shown: output is cut into pieces that stay in it. */
const EVENT_LENGTH = 64 * 1_024;

/** The prefix of a token: `ll_`. */
const MARK_LENGTH = 3;

/**
 * Records the output of a terminal in the log: everything up to `terminalLogBytes`, in pieces of `terminalEventMs`, then a
 * note, and at the end the last `terminalLogTailBytes`. This bounds the log of a terminal with much output.
 */
export class OutputLog {
  readonly #terminalId: string;
  readonly #limits: Limits;
  readonly #record: (...events: EventBody[]) => void;
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  readonly #tail: ByteTail;
  #pending = "";
  #taken = 0;
  #full = false;
  #ended = false;
  #timer: NodeJS.Timeout | null = null;
  #hasWaited = false;

  constructor(terminalId: string, limits: Limits, record: (...events: EventBody[]) => void) {
    this.#terminalId = terminalId;
    this.#limits = limits;
    this.#record = record;
    this.#tail = new ByteTail(limits.terminalLogTailBytes);
  }

  push(chunk: Uint8Array): void {
    const room = this.#limits.terminalLogBytes - this.#taken;
    if (room > 0) {
      const taken = chunk.subarray(0, room);
      this.#taken += taken.length;
      this.#pending += this.#decoder.decode(taken, { stream: true });
    }
    if (chunk.length > room) {
      if (!this.#full) this.#pending += this.#decoder.decode() + note(this.#limits);
      this.#full = true;
      this.#tail.push(chunk.subarray(Math.max(0, room)));
    }
    if (this.#pending !== "") {
      this.#timer ??= setTimeout(() => this.flush(), this.#limits.terminalEventMs);
    }
  }

  /** Records pending output. */
  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const text = this.#pending.slice(0, this.#pending.length - this.#incompleteToken());
    this.#pending = this.#pending.slice(text.length);
    if (text !== "") this.#record(...this.#events(maskOwnTokens(text)));
  }

  /** Records pending output and, if the limit was reached, the end of the output. Nothing is recorded afterwards. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    if (this.#full) {
      this.#pending += this.#tail.read({ cut: true, ended: true }).text;
    } else this.#pending += this.#decoder.decode();
    this.flush();
  }

  /**
   * What may be the beginning of a token waits for the rest of it: a letter or two once, what has its mark for as long
   * as it takes.
   */
  #incompleteToken(): number {
    const length = this.#ended ? 0 : tokenBeginning(this.#pending);
    const isSure = length > MARK_LENGTH;
    const waits = isSure || (length > 0 && !this.#hasWaited);
    this.#hasWaited = waits && !isSure;
    if (this.#hasWaited) this.#timer = setTimeout(() => this.flush(), this.#limits.terminalEventMs);
    return waits ? length : 0;
  }

  #events(text: string): EventBody[] {
    const events: EventBody[] = [];
    for (let at = 0; at < text.length;) {
      const piece = text.slice(at, at + EVENT_LENGTH);
      // Surrogate pairs are not split.
      const length = piece.isWellFormed() ? piece.length : piece.length - 1;
      events.push({
        kind: "terminal-output",
        terminalId: this.#terminalId,
        text: piece.slice(0, length),
      });
      at += length;
    }
    return events;
  }
}

function note(limits: Limits): string {
  return `\n[Landline: output after ${limits.terminalLogBytes} bytes is omitted here; its end follows.]\n`;
}
