import type { Readable } from "node:stream";
import { setImmediate as nextRound } from "node:timers/promises";

interface Keyboard extends Readable {
  readonly isTTY?: boolean;
  readonly setRawMode?: (isRaw: boolean) => unknown;
}

/** Drops input that was typed before a question is printed: it cannot be an answer to it. */
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

/** Reads the input that was typed so far. Listeners of the input receive it. */
export async function readTypedAhead(input: Keyboard): Promise<void> {
  const isTerminal = input.isTTY === true && input.setRawMode !== undefined;
  input.on("data", passInterrupt);
  // In line mode, the terminal buffers a line until it ends.
  if (isTerminal) input.setRawMode?.(true);
  try {
    // Available input is read once per round of the event loop. The first round may have passed already.
    await nextRound();
    await nextRound();
  } finally {
    if (isTerminal) input.setRawMode?.(false);
    input.off("data", passInterrupt);
  }
}

/** Outside line mode, Ctrl-C is a character. */
function passInterrupt(chunk: Buffer | string): void {
  if (chunk.includes("\u0003")) process.kill(process.pid, "SIGINT");
}
