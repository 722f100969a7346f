import { tokenise } from "./tokenise.ts";
import type { FromWorker, ToWorker } from "./worker-messages.ts";

/** Answers one request after the other; what is taken back is left where it is. */
const cancelled = new Set<number>();
let last = Promise.resolve();

addEventListener("message", ({ data }: MessageEvent<ToWorker>) => {
  if (data.type === "cancel") cancelled.add(data.id);
  else last = last.then(() => answer(data));
});

async function answer({ id, text, language }: Extract<ToWorker, { type: "highlight" }>) {
  try {
    for await (const lines of tokenise(text, language)) {
      if (cancelled.has(id)) break;
      send({ type: "lines", id, lines });
      // Lets a cancel in.
      await new Promise((resolve) => setTimeout(resolve));
    }
    send({ type: "done", id });
  } catch (error) {
    send({ type: "failed", id, message: error instanceof Error ? error.message : String(error) });
  } finally {
    cancelled.delete(id);
  }
}

function send(message: FromWorker): void {
  postMessage(message);
}
