import { appendFileSync, renameSync, statSync } from "node:fs";
import { hasErrorCode } from "@landline/system/error-code";
import { parsedJson } from "@landline/system/json";
import type { Limits } from "@landline/protocol";
import { maskSecrets, maskText } from "../telemetry/mask-secrets.ts";

/**
 * Writes the messages between the gateway and an agent to a file, one JSON object per line, with masked secrets and
 * truncated long messages. Messages of one event loop turn are one write. Two files have at most `traceBytes`
 * together: a full file replaces the old one. A write error is reported once, and tracing stops.
 */
export interface TraceLine {
  readonly at: number;
  /** From the agent's point of view: `in` was sent to it. */
  readonly direction: "in" | "out";
  /** The message with masked secrets. */
  readonly message?: unknown;
  /** Replaces `message` if it is truncated or not JSON. */
  readonly text?: string;
  /** The full length of a truncated message. */
  readonly length?: number;
}

export interface TraceOptions {
  readonly path: string;
  readonly limits: Pick<Limits, "traceBytes" | "traceLineLength">;
  readonly report: (error: unknown) => void;
  readonly now?: () => number;
}

export class WireTrace {
  readonly #options: TraceOptions;
  #unwritten: string[] = [];
  #bytes: number | null = null;
  #hasFailed = false;

  constructor(options: TraceOptions) {
    this.#options = options;
  }

  add(direction: TraceLine["direction"], line: string): void {
    if (this.#hasFailed) return;
    const at = (this.#options.now ?? Date.now)();
    const shown = shownOf(line.trim(), this.#options.limits.traceLineLength);
    if (this.#unwritten.push(`{"at":${at},"direction":"${direction}",${shown}}\n`) === 1)
      setImmediate(() => this.#write());
  }

  #write(): void {
    const text = this.#unwritten.join("");
    this.#unwritten = [];
    try {
      this.#makeRoom(Buffer.byteLength(text));
      appendFileSync(this.#options.path, text, { mode: 0o600 });
    } catch (error) {
      this.#hasFailed = true;
      // The folder is deleted with the session, while the agent may still send messages.
      if (!hasErrorCode(error, "ENOENT")) this.#options.report(error);
    }
  }

  #makeRoom(bytes: number): void {
    const { path, limits } = this.#options;
    this.#bytes ??= statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (this.#bytes > 0 && this.#bytes + bytes > limits.traceBytes / 2) {
      renameSync(path, oldTraceOf(path));
      this.#bytes = 0;
    }
    this.#bytes += bytes;
  }
}

/** The path to which a full file is renamed. */
export function oldTraceOf(path: string): string {
  return path.replace(/(?=\.ndjson$)/, ".old");
}

/** The JSON fields for a line. Masks the complete line, because a truncated one cannot be parsed. */
function shownOf(line: string, lengthMax: number): string {
  const message = parsedJson(line);
  const masked = message === undefined ? undefined : maskSecrets(message);
  const text =
    masked === undefined ? maskText(line) : masked === message ? line : JSON.stringify(masked);
  if (text.length > lengthMax)
    return `"text":${JSON.stringify(text.slice(0, lengthMax))},"length":${line.length}`;
  return masked === undefined ? `"text":${JSON.stringify(text)}` : `"message":${text}`;
}
