import { Worker } from "node:worker_threads";
import { fetchLimits } from "../limits.ts";
import type { PageJob } from "./html-worker.ts";
import { ToolFailure } from "./tool.ts";

/** Memory limit of the conversion in MiB. */
const convertMebibytes = 512;

/**
 * Converts a page to Markdown or plain text in a thread that is ended when it takes too long or too much
 * memory, because the page is untrusted.
 */
export async function pageText(
  job: PageJob,
  signal: AbortSignal,
  convertMs: number = fetchLimits.convertMs,
): Promise<string> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const worker = new Worker(new URL("./html-worker.ts", import.meta.url), {
    workerData: job,
    resourceLimits: { maxOldGenerationSizeMb: convertMebibytes },
    // The thread must not write to stdout, which carries ACP.
    stdout: true,
    stderr: true,
  });
  const stop = () => reject(signal.reason as Error);
  signal.addEventListener("abort", stop, { once: true });
  const timer = setTimeout(() => reject(tooIntricate()), convertMs);
  worker.once("message", resolve);
  worker.once("error", (error) => reject(tooIntricate(error)));
  worker.once("exit", () => reject(tooIntricate()));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    await worker.terminate();
  }
}

function tooIntricate(error?: Error): ToolFailure {
  const why = error ? `: ${error.message}` : "";
  return new ToolFailure(
    "failed",
    `The page is too intricate to be turned into text${why}. Ask for it with format html, or look for another page.`,
  );
}
