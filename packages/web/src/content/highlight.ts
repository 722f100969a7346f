import type { FromWorker, ToWorker } from "./highlight/worker-messages.ts";
import { languageOf } from "./highlight/languages.ts";
import { isTooLong, HighlightCache } from "./highlight/highlight-cache.ts";
import type { CodeLine } from "./highlight/tokenise.ts";

/**
 * Code is coloured in a worker, which starts with the first request. Requests are answered in order; one that was
 * aborted is not answered. A worker that is silent for too long over a request is ended, with all that waits for it;
 * the next request starts another. Whatever fails, the code stays plain, until it is worth another try.
 */

/** A piece of a line, with the class that gives it its colour (code.css). */
export interface HighlightedToken {
  readonly text: string;
  readonly className?: string;
}

export type HighlightedLine = readonly HighlightedToken[];

export interface HighlightOptions {
  readonly signal?: AbortSignal;
  /** Told as they come: all lines so far. */
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
/** The worker or a grammar may not have been loaded, as happens without a line. */
let hasFailed = false;
const waitsForLine = new Set<() => void>();
let watchdog: ReturnType<typeof setTimeout> | null = null;
let lastId = 0;

const silentMs = 15_000;

/** Lines with their tokens; null when the language is unknown, the text too long, or it failed. */
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

/** What was coloured before, at once. */
export function highlighted(
  text: string,
  language: string | null,
): readonly HighlightedLine[] | null {
  const known = languageOf(language);
  return known === null ? null : recent.get(known, text);
}

/** The line is back: what failed without it is asked for again by those who show it. */
export function retryHighlighting(): void {
  if (!hasFailed) return;
  hasFailed = false;
  isBroken = false;
  // A module that could not be loaded stays so for the worker that wanted it.
  endWorker();
  for (const tell of waitsForLine) tell();
}

/** Told when it is worth another try. Returns how to hear no more of it. */
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

/** A worker that can't run is not tried again for each code. */
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
