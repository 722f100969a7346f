import type { Cost } from "@agentclientprotocol/sdk";
import type { Draft } from "./draft.ts";
import type { Where } from "./lookup.ts";
import { changeThread } from "./thread.ts";
import { numberOf, recordOf, type Raw } from "./value.ts";

/** How full the context is, and what it has cost; a cost that is not named again stands. */
export function foldUsage(draft: Draft, where: Where, update: Raw): boolean {
  const used = numberOf(update["used"]);
  const size = numberOf(update["size"]);
  const thread = changeThread(draft, where);
  if (used === null || size === null || thread === undefined) return false;
  const cost = update["cost"] === undefined ? (thread.usage?.cost ?? null) : costOf(update["cost"]);
  thread.usage = { used, size, cost };
  return true;
}

function costOf(value: unknown): Cost | null {
  const cost = recordOf(value);
  return typeof cost?.["amount"] === "number" && typeof cost["currency"] === "string"
    ? (cost as unknown as Cost)
    : null;
}
