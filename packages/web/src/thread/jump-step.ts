import type { SessionSnapshot } from "@landline/client";
import { eventBefore } from "./thread-parts.ts";

/** What to do next to show the event with this number. */
export type JumpStep =
  | { readonly do: "wait" }
  | { readonly do: "load" }
  | { readonly do: "show"; readonly start: number }
  | { readonly do: "give-up" };

/** So many items before it are shown too. */
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

/** The event from which on everything is there. What a shortened view has before the rest does not count. */
function firstKnown({ view, older }: SessionSnapshot): number {
  for (const { items } of older) if (items[0]) return items[0].first;
  return view?.trimmed?.before ?? view?.items[0]?.first ?? Number.POSITIVE_INFINITY;
}
