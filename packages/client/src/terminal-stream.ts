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
  /** Once: it has begun, or can't. */
  readonly started: (error: unknown) => void;
}

/**
 * The screen of a sign-in over HTTP: asked for with questions that are answered when something is shown. Ends
 * with its terminal; one that can't be read for a while is gone on with where it was.
 */
export class TerminalStream {
  readonly #parts: TerminalStreamParts;
  readonly #closing = new AbortController();
  /** How much was read; null before the first answer. */
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
        // Also where it was waited for: not everybody who answers has waited.
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

/** It is over, or not for us. */
const finalCodes: ReadonlySet<ErrorCode> = new Set([
  "terminal-not-found",
  "unauthorized",
  "forbidden",
]);
