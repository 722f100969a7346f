import type { LastChoice, Limits } from "@landline/protocol";
import type { Catalog } from "../agents/catalog.ts";
import type { Logger } from "../telemetry/logger.ts";
import type { PerAgentFile } from "../data-folder/per-agent-file.ts";
import { lastingChoice, type Options } from "./options.ts";

export interface LastChoicesOptions {
  readonly kept: PerAgentFile<readonly LastChoice[]>;
  readonly catalog: Pick<Catalog, "learned">;
  readonly limits: Pick<Limits, "choicesKept" | "idLength" | "titleLength">;
  readonly logger: Pick<Logger, "warn">;
}

/**
 * What people chose last with each agent, for the next conversation with it; the catalog is told. They are people's and
 * not a browser's: what was chosen on the phone counts on the laptop.
 */
export class LastChoices {
  readonly #options: LastChoicesOptions;

  constructor(options: LastChoicesOptions) {
    this.#options = options;
    for (const [agentId, lastChoices] of options.kept.entries())
      options.catalog.learned(agentId, { lastChoices });
  }

  /** The option is set to that now. What is not to last is not noted. */
  async note(agentId: string, configId: string, options: Options): Promise<void> {
    const { kept, limits } = this.#options;
    const choice = lastingChoice(options, configId);
    if (!choice || String(choice.value).length > limits.idLength) return;
    const others = (kept.of(agentId) ?? []).filter((one) => one.configId !== configId);
    const named = { ...choice, name: choice.name.slice(0, limits.titleLength) };
    // The model first: which efforts there are may depend on it.
    const all = [...others, named]
      .slice(Math.max(0, others.length + 1 - limits.choicesKept))
      .toSorted(byCategory);
    this.#tell(agentId, all);
    await this.#keep(agentId, kept.note(agentId, all));
  }

  async forget(agentId: string): Promise<void> {
    this.#tell(agentId, []);
    await this.#keep(agentId, this.#options.kept.forget(agentId));
  }

  #tell(agentId: string, lastChoices: readonly LastChoice[]): void {
    this.#options.catalog.learned(agentId, { lastChoices });
  }

  async #keep(agentId: string, keeping: Promise<void>): Promise<void> {
    await keeping.catch((error: unknown) =>
      this.#options.logger.warn("What was chosen with an agent is not kept.", {
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
