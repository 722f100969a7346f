import type { SessionSnapshot } from "@landline/client";
import { eventBefore } from "./thread-parts.ts";

/** The next step towards showing the event with this sequence number. */
export type JumpStep =
  | { readonly do: "wait" }
  | { readonly do: "load" }
  | { readonly do: "show"; readonly start: number }
  | { readonly do: "give-up" };

/** This many items before the target are shown too. */
const itemsBefore = 20;

export function jumpStep(snapshot: SessionSnapshot, at: number): JumpStep {
  const { view, older, history } = snapshot;
  if (view === null || history === "loading") return { do: "wait" };
  const known = firstKnown(snapshot);
  if (known <= at || history === "whole") {
    return { do: "show", start: eventBefore(older, view, at, itemsBefore) };
  }
  return { do: history === "more" ? "load" : "give-up" };
}

/** The event from which on all items are loaded. Items that a trimmed view keeps ahead of its window do not count. */
function firstKnown({ view, older }: SessionSnapshot): number {
  for (const { items } of older) if (items[0]) return items[0].first;
  return view?.trimmed?.before ?? view?.items[0]?.first ?? Number.POSITIVE_INFINITY;
}
