import { tokenise } from "./tokenise.ts";
import type { FromWorker, ToWorker } from "./worker-messages.ts";

/** Ids of cancelled requests, which are skipped. Requests are answered in order. */
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
      // Lets a cancel message arrive.
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
