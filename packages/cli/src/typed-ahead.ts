import type { Readable } from "node:stream";
import { setImmediate as nextRound } from "node:timers/promises";

interface Keyboard extends Readable {
  readonly isTTY?: boolean;
  readonly setRawMode?: (isRaw: boolean) => unknown;
}

/** Drops what was typed before a question is printed: it can't be an answer to it. */
export async function dropTypedAhead(input: Readable): Promise<void> {
  input.on("data", drop);
  try {
    await readTypedAhead(input);
  } finally {
    input.off("data", drop);
    input.pause();
  }
}

function drop(): void {}

/** Reads what was typed so far; whoever listens to the input gets it. */
export async function readTypedAhead(input: Keyboard): Promise<void> {
  const isTerminal = input.isTTY === true && input.setRawMode !== undefined;
  input.on("data", passInterrupt);
  // In line mode the terminal keeps a line until it is ended.
  if (isTerminal) input.setRawMode?.(true);
  try {
    // What is there is read once in a round of the event loop; the first one may have read already.
    await nextRound();
    await nextRound();
  } finally {
    if (isTerminal) input.setRawMode?.(false);
    input.off("data", passInterrupt);
  }
}

/** Out of line mode, Ctrl-C is a character. */
function passInterrupt(chunk: Buffer | string): void {
  if (chunk.includes("\u0003")) process.kill(process.pid, "SIGINT");
}
