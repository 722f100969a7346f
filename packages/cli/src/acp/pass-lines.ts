import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import { LineSplitter } from "@landline/system/line-splitter";
import { WebSocketLines } from "@landline/system/web-socket-lines";
import type { WebSocket } from "ws";

/** Passes lines between a client and a gateway. Resolves when one of them has ended the connection. */
export async function passLines(webSocket: WebSocket, client: Duplex): Promise<void> {
  await pipeline(client, linesOf, new WebSocketLines(webSocket), client).catch(() => {});
  webSocket.terminate();
}

/** Yields whole lines, one per chunk, as `WebSocketLines` requires. */
async function* linesOf(input: AsyncIterable<Buffer>): AsyncIterable<string> {
  let lines: string[] = [];
  const keep = (line: string) => void lines.push(line);
  const splitter = new LineSplitter(MESSAGE_BYTES, {
    line: keep,
    // The gateway reports what is wrong with invalid lines.
    invalidLine: keep,
    oversizedLine: ({ head }) => keep(head),
  });
  for await (const chunk of input) {
    splitter.push(chunk);
    yield* lines;
    lines = [];
  }
  splitter.end();
  yield* lines;
}

export const MESSAGE_BYTES = 32 * 1_024 * 1_024;
