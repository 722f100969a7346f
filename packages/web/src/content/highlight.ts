import type { FromWorker, ToWorker } from "./highlight/worker-messages.ts";
import { languageOf } from "./highlight/languages.ts";
import { isTooLong, HighlightCache } from "./highlight/highlight-cache.ts";
import type { CodeLine } from "./highlight/tokenise.ts";

/**
 * Highlights code in a worker, which starts with the first request and answers in order. A worker that takes too
 * long is ended with all pending requests, and the next request starts another. On failure the code stays plain
 * until a retry.
 */

/** A piece of a line with its CSS class (code.css). */
export interface HighlightedToken {
  readonly text: string;
  readonly className?: string;
}

export type HighlightedLine = readonly HighlightedToken[];

export interface HighlightOptions {
  readonly signal?: AbortSignal;
  /** Called with all lines so far. */
  readonly onLines?: (lines: readonly HighlightedLine[]) => void;
}

interface Waiting {
  readonly lines: HighlightedLine[];
  readonly onLines: ((lines: readonly HighlightedLine[]) => void) | undefined;
  readonly finish: (lines: readonly HighlightedLine[] | null) => void;
}

const waiting = new Map<number, Waiting>();
const recent = new HighlightCache<readonly HighlightedLine[]>();
let worker: Worker | null = null;
let isBroken = false;
/** Whether the worker or a grammar failed to load, as happens offline. */
let hasFailed = false;
const waitsForLine = new Set<() => void>();
let watchdog: ReturnType<typeof setTimeout> | null = null;
let lastId = 0;

const silentMs = 15_000;

/** Null if the language is unknown, the text is too long, or highlighting failed. */
export function highlight(
  text: string,
  language: string | null,
  { signal, onLines }: HighlightOptions = {},
): Promise<readonly HighlightedLine[] | null> {
  const known = languageOf(language);
  if (known === null || isBroken || signal?.aborted || isTooLong(text))
    return Promise.resolve(null);
  const found = recent.get(known, text);
  if (found) return Promise.resolve(found);
  const port = theWorker();
  if (port === null) return Promise.resolve(null);
  const { promise, resolve } = Promise.withResolvers<readonly HighlightedLine[] | null>();
  lastId += 1;
  const id = lastId;
  const finish = (lines: readonly HighlightedLine[] | null) => {
    if (!waiting.delete(id)) return;
    if (lines) recent.add(known, text, lines);
    resolve(lines);
  };
  waiting.set(id, { lines: [], onLines, finish });
  signal?.addEventListener("abort", () => {
    if (waiting.has(id)) port.postMessage({ type: "cancel", id } satisfies ToWorker);
    finish(null);
  });
  if (waiting.size === 1) watch();
  port.postMessage({ type: "highlight", id, text, language: known } satisfies ToWorker);
  return promise;
}

/** The cached result, synchronously. */
export function highlighted(
  text: string,
  language: string | null,
): readonly HighlightedLine[] | null {
  const known = languageOf(language);
  return known === null ? null : recent.get(known, text);
}

/** Called when the connection is back, so that subscribers retry what failed. */
export function retryHighlighting(): void {
  if (!hasFailed) return;
  hasFailed = false;
  isBroken = false;
  // A worker does not retry a module that failed to load.
  endWorker();
  for (const tell of waitsForLine) tell();
}

/** Subscribes to retries. Returns the unsubscriber. */
export function onHighlightRetry(tell: () => void): () => void {
  waitsForLine.add(tell);
  return () => waitsForLine.delete(tell);
}

function theWorker(): Worker | null {
  if (worker || isBroken || typeof Worker !== "function") return worker;
  worker = new Worker(new URL("./highlight/worker.ts", import.meta.url), { type: "module" });
  worker.addEventListener("message", ({ data }: MessageEvent<FromWorker>) => hear(data));
  worker.addEventListener("error", breakDown);
  worker.addEventListener("messageerror", breakDown);
  return worker;
}

function hear(message: FromWorker): void {
  watch();
  const request = waiting.get(message.id);
  if (request) takeIn(request, message);
  if (waiting.size === 0) unwatch();
}

function takeIn(request: Waiting, message: FromWorker): void {
  if (message.type === "failed") {
    hasFailed = true;
    request.finish(null);
  } else if (message.type === "done") request.finish(request.lines);
  else {
    request.lines.push(...message.lines.map(withClasses));
    request.onLines?.([...request.lines]);
  }
}

function watch(): void {
  unwatch();
  watchdog = setTimeout(endWorker, silentMs);
}

function unwatch(): void {
  if (watchdog !== null) clearTimeout(watchdog);
  watchdog = null;
}

function withClasses(line: CodeLine): HighlightedLine {
  return line.map(([text, kind]) =>
    kind === null ? { text } : { text, className: `code-${kind}` },
  );
}

/** A broken worker is not started again for each code block. */
function breakDown(): void {
  isBroken = true;
  hasFailed = true;
  endWorker();
}

function endWorker(): void {
  unwatch();
  worker?.terminate();
  worker = null;
  for (const { finish } of waiting.values()) finish(null);
}
