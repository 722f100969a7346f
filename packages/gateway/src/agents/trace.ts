import { appendFileSync, renameSync, statSync } from "node:fs";
import { hasErrorCode } from "@landline/system/error-code";
import { parsedJson } from "@landline/system/json";
import type { Limits } from "@landline/protocol";
import { maskSecrets, maskText } from "../telemetry/mask-secrets.ts";

/**
 * What goes over an agent's wire, both ways, in a file for people who build agents: one JSON object a line,
 * secrets masked, long messages cut. What one turn of the loop brings is one write. Two files of half of
 * `traceBytes` at most: one that is full is put aside, and the one that was there before it is gone. A file
 * that can't be written to is told of once, and the agent goes on without.
 */
export interface TraceLine {
  readonly at: number;
  /** As the agent's stdin and stdout: `in` is what was sent to it. */
  readonly direction: "in" | "out";
  /** As it was on the wire, but for its secrets. */
  readonly message?: unknown;
  /** Instead of a message that is cut, or that is no JSON. */
  readonly text?: string;
  /** How many characters all of it has, where it is cut. */
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

/** Where a file that is full is put aside. */
export function oldTraceOf(path: string): string {
  return path.replace(/(?=\.ndjson$)/, ".old");
}

/** The fields that show the line. Masked while it is whole, since a part of a message can't be read. */
function shownOf(line: string, lengthMax: number): string {
  const message = parsedJson(line);
  const masked = message === undefined ? undefined : maskSecrets(message);
  const text =
    masked === undefined ? maskText(line) : masked === message ? line : JSON.stringify(masked);
  if (text.length > lengthMax)
    return `"text":${JSON.stringify(text.slice(0, lengthMax))},"length":${line.length}`;
  return masked === undefined ? `"text":${JSON.stringify(text)}` : `"message":${text}`;
}
