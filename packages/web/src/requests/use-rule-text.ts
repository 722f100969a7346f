import type { Api } from "@landline/client";
import { useLandline } from "@landline/client/react";
import { useEffect, useSyncExternalStore } from "react";
import { useOnlySession } from "../state/session.tsx";

/**
 * The descriptions of rules by id. Loaded when an unknown id appears, at most once in `askedAgainMs`; a deleted
 * rule has none.
 */
const askedAgainMs = 10_000;

let words: ReadonlyMap<string, string> = new Map();
let askedAt = Number.NEGATIVE_INFINITY;
const listeners = new Set<() => void>();

export function useRuleText(ruleId: string | null): string | null {
  const { api } = useLandline();
  const known = useSyncExternalStore(subscribe, () => words);
  const text = ruleId === null ? null : (known.get(ruleId) ?? null);
  // The rules of the gateway are not shown to who has a link to one session.
  const isLimited = useOnlySession() !== null;
  const isMissing = ruleId !== null && text === null && !isLimited;
  useEffect(() => {
    if (isMissing) void ask(api);
  }, [api, isMissing]);
  return text;
}

async function ask(api: Api): Promise<void> {
  const now = performance.now();
  if (now - askedAt < askedAgainMs) return;
  askedAt = now;
  try {
    const { rules } = await api.listRules();
    words = new Map(rules.map((rule) => [rule.id, rule.text]));
    for (const listener of listeners) listener();
  } catch {
    // The row still says that a rule settled it.
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
