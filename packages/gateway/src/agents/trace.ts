import type { Limits } from "@landline/protocol";
import { maskSecrets, maskText } from "../observe/mask.ts";

/**
 * The last lines that went over the wire, both ways, for people who build agents. The oldest are
 * forgotten, long ones are cut, and nothing is parsed before somebody looks; what is given out has its
 * secrets masked.
 */
export interface TraceLine {
  readonly at: number;
  /** As the agent's stdin and stdout: `in` is what was sent to it. */
  readonly direction: "in" | "out";
  readonly text: string;
  /** How many characters the whole line has. */
  readonly length: number;
}

export class WireTrace {
  readonly #limits: Pick<Limits, "traceLines" | "traceLineLength">;
  readonly #now: () => number;
  /** A ring: `#next` is where the oldest line is overwritten. */
  readonly #lines: TraceLine[] = [];
  #next = 0;

  constructor(
    limits: Pick<Limits, "traceLines" | "traceLineLength">,
    now: () => number = Date.now,
  ) {
    this.#limits = limits;
    this.#now = now;
  }

  add(direction: TraceLine["direction"], line: string): void {
    const { traceLines, traceLineLength } = this.#limits;
    if (traceLines === 0) return;
    const text = line.length > traceLineLength ? cut(line, traceLineLength) : line;
    this.#lines[this.#next] = { at: this.#now(), direction, text, length: line.length };
    this.#next = (this.#next + 1) % traceLines;
  }

  /** The oldest first. */
  lines(): TraceLine[] {
    return [...this.#lines.slice(this.#next), ...this.#lines.slice(0, this.#next)].map(maskLine);
  }
}

/** Masked while it is whole, since a part of a message can't be read; copied, so as not to keep all of it. */
function cut(line: string, length: number): string {
  return Buffer.from(maskMessage(line).slice(0, length)).toString();
}

function maskLine(line: TraceLine): TraceLine {
  const { at, direction, length } = line;
  return { at, direction, length, text: maskMessage(line.text) };
}

function maskMessage(text: string): string {
  try {
    const message: unknown = JSON.parse(text);
    const shown = maskSecrets(message);
    return shown === message ? text : JSON.stringify(shown);
  } catch {
    return maskText(text);
  }
}
