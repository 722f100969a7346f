import type { ProviderConfig } from "../config/config.ts";
import type { ModelInfo } from "./model.ts";

type Options = Record<string, Record<string, unknown>>;

/**
 * Provider options of a level of reasoning, in the AI SDK's shape. Without a level, the provider's own;
 * thoughts are asked for where they can be shown. A level that the model does not offer counts as none.
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

/** Tokens of thought for models that want a number, well below what they may put out. */
const budgets: Record<string, number> = {
  minimal: 1_024,
  low: 4_096,
  medium: 12_288,
  high: 24_576,
};

const budgeted = /claude-(opus|sonnet|haiku)-4-[015](-|$)|claude-(opus|sonnet)-4-2|claude-3/;
/** The first that think by themselves: they always show their thoughts, and know no other word for it. */
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

/** The history is ours: nothing is kept at OpenAI, and thoughts come back encrypted instead. */
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
