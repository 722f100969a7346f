import type { UsageReading } from "../update-reading.ts";
import type { Draft } from "./draft.ts";
import type { Where } from "./lookup.ts";
import { changeThread } from "./thread.ts";

/** Sets the context usage and cost. An update without a cost keeps the known one. */
export function foldUsage(draft: Draft, where: Where, { used, size, cost }: UsageReading): void {
  const thread = changeThread(draft, where);
  if (thread === undefined) return;
  thread.usage = { used, size, cost: cost === undefined ? (thread.usage?.cost ?? null) : cost };
}
