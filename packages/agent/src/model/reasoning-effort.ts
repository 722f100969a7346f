import type { ProviderConfig } from "../config/config.ts";
import type { ModelInfo } from "./model.ts";

type Options = Record<string, Record<string, unknown>>;

/**
 * Provider options of the AI SDK for a reasoning level. Without a level, or with one that the model does not
 * offer, the provider's default applies. Reasoning is requested where it can be shown.
 */
export function effortOptions(
  info: Pick<ModelInfo, "id" | "efforts">,
  kind: NonNullable<ProviderConfig["kind"]>,
  level: string | undefined,
): Options {
  const effort = level !== undefined && info.efforts.includes(level) ? level : undefined;
  switch (kind) {
    case "anthropic":
      return info.efforts.length === 0 ? {} : anthropic(info.id, effort);
    case "openai":
      return openai(info.efforts.length > 0, effort);
    case "google":
      return info.efforts.length === 0 ? {} : google(info.id, effort);
    default:
      return effort === undefined ? {} : { openaiCompatible: { reasoningEffort: effort } };
  }
}

/** Reasoning tokens for models that expect a number, well below their output limit. */
const budgets: Record<string, number> = {
  minimal: 1_024,
  low: 4_096,
  medium: 12_288,
  high: 24_576,
};

const budgeted = /claude-(opus|sonnet|haiku)-4-[015](-|$)|claude-(opus|sonnet)-4-2|claude-3/;
/** The first models with adaptive thinking always show it and reject `display`. */
const alwaysShown = /claude-(opus|sonnet)-4-6/;

function anthropic(id: string, effort: string | undefined): Options {
  if (budgeted.test(id)) {
    const budgetTokens = effort === undefined ? undefined : budgets[effort];
    return budgetTokens === undefined
      ? {}
      : { anthropic: { thinking: { type: "enabled", budgetTokens } } };
  }
  const display = alwaysShown.test(id) ? {} : { display: "summarized" };
  return {
    anthropic: {
      thinking: { type: "adaptive", ...display },
      ...(effort === undefined ? {} : { effort }),
    },
  };
}

/** `store: false`: OpenAI keeps nothing, and returns reasoning encrypted. */
function openai(reasons: boolean, effort: string | undefined): Options {
  return {
    openai: {
      store: false,
      ...(reasons ? { reasoningSummary: "auto" } : {}),
      ...(effort === undefined ? {} : { reasoningEffort: effort }),
    },
  };
}

function google(id: string, effort: string | undefined): Options {
  const level = /gemini-[12]/.test(id)
    ? effort === undefined
      ? {}
      : { thinkingBudget: budgets[effort] ?? 12_288 }
    : effort === undefined
      ? {}
      : { thinkingLevel: effort };
  return { google: { thinkingConfig: { includeThoughts: true, ...level } } };
}
