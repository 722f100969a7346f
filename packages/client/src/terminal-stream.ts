import { LandlineError, type ErrorCode, type GatewayFrame } from "@landline/protocol";
import type { Http } from "./http.ts";
import { requestOf } from "./operation-request.ts";
import { pause } from "./pause.ts";
import { problemOf } from "./problem.ts";
import type { Timing } from "./timing.ts";

export interface TerminalStreamParts {
  readonly http: Http;
  readonly timing: Timing;
  readonly terminalId: string;
  readonly heard: (frame: GatewayFrame) => void;
  /** Called once, when the stream has started or failed to start. */
  readonly started: (error: unknown) => void;
}

/**
 * Reads the screen of a sign-in by long polling. It ends with its terminal, and resumes at its position after
 * temporary errors.
 */
export class TerminalStream {
  readonly #parts: TerminalStreamParts;
  readonly #closing = new AbortController();
  /** The position of the next read; null before the first answer. */
  #next: number | null = null;

  constructor(parts: TerminalStreamParts) {
    this.#parts = parts;
    void this.#run();
  }

  close(): void {
    this.#closing.abort();
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    const { started, timing } = this.#parts;
    while (!signal.aborted) {
      try {
        const isFirst = this.#next === null;
        const text = await this.#ask();
        if (signal.aborted) return;
        if (isFirst) started(null);
        if (text !== "") this.#tell(text);
        // Also after a long poll, because a server may answer without waiting.
        else await pause(timing.retryMs, signal);
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof LandlineError && finalCodes.has(error.code)) {
          if (this.#next === null) started(error);
          return;
        }
        await pause(timing.retryMs, signal);
      }
    }
  }

  async #ask(): Promise<string> {
    const { http, timing, terminalId } = this.#parts;
    const page = this.#next === null ? {} : { after: this.#next, wait: timing.quietMs };
    const { path, query } = requestOf("read-terminal", { terminalId, ...page });
    const { signal } = this.#closing;
    const { text, next } = await http.record("GET", path, { query, signal });
    if (typeof text !== "string" || typeof next !== "number") throw problemOf(null);
    this.#next = next;
    return text;
  }

  #tell(text: string): void {
    this.#parts.heard({ type: "terminal", terminalId: this.#parts.terminalId, text });
  }
}

/** The terminal has ended, or access is refused. */
const finalCodes: ReadonlySet<ErrorCode> = new Set([
  "terminal-not-found",
  "unauthorized",
  "forbidden",
]);
