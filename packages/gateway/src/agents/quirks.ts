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

const none: Quirks = { missingFileIsEmpty: false, relativePaths: false };

/** Those that were given, and those known by the agent's id in the catalog or by the name that it says itself. */
export function quirksOf(
  id: string,
  info: Implementation | null = null,
  given: Partial<Quirks> = {},
): Quirks {
  const needs = known
    .filter(({ ids, names }) => ids.includes(id) || (info !== null && names.includes(info.name)))
    .map((quirk) => quirk.needs);
  return Object.assign({}, none, given, ...needs) as Quirks;
}
