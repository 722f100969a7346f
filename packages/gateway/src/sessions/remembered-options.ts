import type { LastChoice, Limits } from "@landline/protocol";
import type { Catalog } from "../agents/catalog.ts";
import type { Logger } from "../telemetry/logger.ts";
import type { PerAgentFile } from "../data-folder/per-agent-file.ts";
import { lastingChoice, type Options } from "./options.ts";

export interface RememberedOptionsParts {
  readonly kept: PerAgentFile<readonly LastChoice[]>;
  readonly catalog: Pick<Catalog, "learned">;
  readonly limits: Pick<Limits, "choicesKept" | "idLength" | "titleLength">;
  readonly logger: Pick<Logger, "warn">;
}

/**
 * The last choices for each agent, as defaults for the next session. They are shared by all devices and reported to
 * the catalog.
 */
export class RememberedOptions {
  readonly #options: RememberedOptionsParts;

  constructor(options: RememberedOptionsParts) {
    this.#options = options;
    for (const [agentId, lastChoices] of options.kept.entries())
      options.catalog.learned(agentId, { lastChoices });
  }

  /** Stores the current value of an option, if it is one that lasts. */
  async note(agentId: string, configId: string, options: Options): Promise<void> {
    const { kept, limits } = this.#options;
    const choice = lastingChoice(options, configId);
    if (!choice || String(choice.value).length > limits.idLength) return;
    const others = (kept.of(agentId) ?? []).filter((one) => one.configId !== configId);
    const named = { ...choice, name: choice.name.slice(0, limits.titleLength) };
    // The model comes first, because the available efforts may depend on it.
    const all = [...others, named]
      .slice(Math.max(0, others.length + 1 - limits.choicesKept))
      .toSorted(byCategory);
    this.#report(agentId, all);
    await this.#stored(agentId, kept.note(agentId, all));
  }

  async forget(agentId: string): Promise<void> {
    this.#report(agentId, []);
    await this.#stored(agentId, this.#options.kept.forget(agentId));
  }

  #report(agentId: string, lastChoices: readonly LastChoice[]): void {
    this.#options.catalog.learned(agentId, { lastChoices });
  }

  async #stored(agentId: string, storing: Promise<void>): Promise<void> {
    await storing.catch((error: unknown) =>
      this.#options.logger.warn("Could not store the last choices for an agent.", {
        agent: agentId,
        error,
      }),
    );
  }
}

function byCategory(one: LastChoice, other: LastChoice): number {
  return Number(one.category !== "model") - Number(other.category !== "model");
}

export function areChoices(value: unknown): value is readonly LastChoice[] {
  return Array.isArray(value) && value.every((one) => isChoice(one));
}

function isChoice(value: unknown): value is LastChoice {
  if (typeof value !== "object" || value === null) return false;
  const { configId, value: chosen, category, name } = value as Readonly<Record<string, unknown>>;
  return (
    typeof configId === "string" &&
    typeof name === "string" &&
    (typeof chosen === "string" || typeof chosen === "boolean") &&
    (category === "model" || category === "thought_level")
  );
}
