type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Variables with the keys of the model providers that the built-in agent supports; the first one that is set is used.
 */
export const providerKeyVariables = {
  anthropic: ["ANTHROPIC_API_KEY"],
  openai: ["OPENAI_API_KEY"],
  google: ["GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
  openrouter: ["OPENROUTER_API_KEY"],
  deepseek: ["DEEPSEEK_API_KEY"],
  xai: ["XAI_API_KEY"],
  mistral: ["MISTRAL_API_KEY"],
  groq: ["GROQ_API_KEY"],
} as const satisfies Record<string, readonly string[]>;

type KnownProviderId = keyof typeof providerKeyVariables;
export type ProviderKeyVariable = (typeof providerKeyVariables)[KnownProviderId][number];

/** Those of other agents, and of providers that only other agents support. */
const otherKeyVariables = (
  "ANTHROPIC_AUTH_TOKEN CLAUDE_CODE_OAUTH_TOKEN CODEX_API_KEY AZURE_OPENAI_API_KEY GOOGLE_API_KEY CODESTRAL_API_KEY " +
  "CEREBRAS_API_KEY TOGETHER_API_KEY TOGETHER_AI_API_KEY FIREWORKS_API_KEY COHERE_API_KEY PERPLEXITY_API_KEY " +
  "MOONSHOT_API_KEY KIMI_API_KEY DASHSCOPE_API_KEY QWEN_API_KEY ZAI_API_KEY ZHIPU_API_KEY MINIMAX_API_KEY " +
  "DEEPINFRA_API_KEY NVIDIA_API_KEY HUGGINGFACE_API_KEY AI_GATEWAY_API_KEY OPENCODE_API_KEY CURSOR_API_KEY AMP_API_KEY " +
  "FACTORY_API_KEY VENICE_API_KEY SAMBANOVA_API_KEY"
).split(" ");

const names = new Set<string>([
  ...Object.values(providerKeyVariables).flat(),
  ...otherKeyVariables,
]);

/** Whether a variable holds the key of a model provider, by its name alone. */
export function isProviderKeyVariable(name: string): boolean {
  return names.has(name.toUpperCase());
}

/** Shorter values are placeholders such as `none` or `ollama`, which other variables may also have. */
const keyLengthMin = 8;

/** The trimmed value; null if it is too short to be a key. */
export function keyIn(value: string): string | null {
  const key = value.trim();
  return key.length < keyLengthMin ? null : key;
}

/** The keys of model providers in an environment, to find the same values in other variables. */
export function providerKeysOf(environment: Environment): Set<string> {
  const keys = Object.entries(environment).flatMap(([name, value = ""]) =>
    isProviderKeyVariable(name) ? (keyIn(value) ?? []) : [],
  );
  return new Set(keys);
}
