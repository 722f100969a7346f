import type { Implementation } from "@agentclientprotocol/sdk";
import type { Quirks } from "./agent.ts";
import { gemini } from "./quirks/gemini.ts";

/** What one agent needs that the protocol can't say, and how it is recognised. */
export interface Quirk {
  readonly ids: readonly string[];
  /** By `agentInfo.name`: whatever the user calls it in the config. */
  readonly names: readonly string[];
  readonly needs: Partial<Quirks>;
}

const known: readonly Quirk[] = [gemini];

const none: Quirks = { missingFileIsEmpty: false };

/** By the id in the catalog, and by what the agent says of itself once it is started. */
export function quirksOf(id: string, info: Implementation | null = null): Quirks {
  const needs = known
    .filter(({ ids, names }) => ids.includes(id) || (info !== null && names.includes(info.name)))
    .map((quirk) => quirk.needs);
  return Object.assign({}, none, ...needs) as Quirks;
}
