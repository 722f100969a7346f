import type { Implementation } from "@agentclientprotocol/sdk";
import type { Quirks } from "./agent.ts";
import { gemini } from "./quirks/gemini.ts";

/** Deviations of one agent from ACP, and how it is recognised. */
export interface Quirk {
  readonly ids: readonly string[];
  /** Values of `agentInfo.name`, because users choose the ids in their config. */
  readonly names: readonly string[];
  readonly needs: Partial<Quirks>;
}

const known: readonly Quirk[] = [gemini];

const none: Quirks = { missingFileIsEmpty: false, relativePaths: false };

/** The given quirks, and those of the agent's id or of its `agentInfo.name`. */
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
