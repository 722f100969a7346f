import { useCallback, useSyncExternalStore } from "react";
import { browserStorage } from "../state/kept-list.ts";
import { keepDraft, readDraft, type Draft } from "./draft.ts";
import type { Mention } from "./mention.ts";

const keptAfterMs = 300;
const hereMost = 30;

/** Those that are shown, and those that the browser does not keep: the latest, as long as the page lives. */
const here = new Map<string, Draft>();
const notKept = new Set<string>();
const timers = new Map<string, ReturnType<typeof setTimeout>>();
const listeners = new Map<string, Set<() => void>>();

/** What is written at a place; the same wherever that is shown. */
export function useDraft(place: string): Draft {
  const subscribe = useCallback((listener: () => void) => listen(place, listener), [place]);
  return useSyncExternalStore(subscribe, () => draftOf(place));
}

export function draftOf(place: string): Draft {
  const known = here.get(place);
  if (known) return known;
  const draft = readDraft(place, browserStorage());
  putHere(place, draft);
  return draft;
}

/** Kept a moment after it was written, and when the page or the place is left. */
export function writeDraft(place: string, draft: Draft): void {
  putHere(place, draft);
  clearTimeout(timers.get(place));
  timers.set(
    place,
    setTimeout(() => keepNow(place), keptAfterMs),
  );
  for (const listener of listeners.get(place) ?? []) listener();
}

/** Other words; a mention that came with them stays known. */
export function writeText(place: string, text: string, mention?: Mention): void {
  const { mentions } = draftOf(place);
  writeDraft(place, { text, mentions: mention ? [...mentions, mention] : mentions });
}

function listen(place: string, listener: () => void): () => void {
  const all = listeners.get(place) ?? new Set();
  listeners.set(place, all.add(listener));
  return () => {
    all.delete(listener);
    if (all.size > 0) return;
    listeners.delete(place);
    keepNow(place);
    forgetKept(place);
  };
}

function keepNow(place: string): void {
  const draft = here.get(place);
  if (!draft || !timers.has(place)) return;
  clearTimeout(timers.get(place));
  timers.delete(place);
  if (keepDraft(place, draft, browserStorage())) notKept.delete(place);
  else notKept.add(place);
  forgetKept(place);
}

/** Another tab may go on with it: whoever comes back reads it again. */
function forgetKept(place: string): void {
  if (!listeners.has(place) && !timers.has(place) && !notKept.has(place)) here.delete(place);
}

function putHere(place: string, draft: Draft): void {
  here.delete(place);
  here.set(place, draft);
  const [oldest] = here.keys();
  if (here.size <= hereMost || oldest === undefined) return;
  keepNow(oldest);
  here.delete(oldest);
  notKept.delete(oldest);
}

addEventListener("pagehide", () => {
  for (const place of timers.keys()) keepNow(place);
});
