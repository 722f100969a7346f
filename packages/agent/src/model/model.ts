import type { LanguageModelV4 } from "@ai-sdk/provider";

/** A model that can be chosen, with what is known without asking its provider. */
export interface ModelInfo {
  /** `provider/model`, as in config and in the model option. */
  id: string;
  name: string;
  provider: string;
  providerName: string;
  /** Tokens. */
  contextTokens: number;
  outputTokens: number;
  /** Dollars per million tokens; absent when unknown, zero when free. */
  cost?: { input: number; output: number; cachedRead?: number; cachedWrite?: number };
  takes: { image: boolean; audio: boolean; document: boolean };
  tools: boolean;
  /** Reasoning levels, lowest first; empty when there are none. */
  efforts: string[];
  /** GPT-5 class models get `apply_patch` instead of `edit` and `write`. */
  prefersPatches: boolean;
}

/** The available models and the default. */
export interface Models {
  /** All models that can be used now: with a key, on a local server, or the demo. */
  list(): ModelInfo[];
  /** The first of configuration, keys, local servers and demo that yields a model (docs/models.md). */
  default(): ModelInfo;
  /** Why it is the default, as text for `/status` and `doctor`. */
  whyDefault(): string;
  /** The model for titles and summaries, of the same provider. */
  small(of: ModelInfo): ModelInfo;
  /** Null for an unknown id; throws ModelProblem `sign-in-needed` when the provider has no key. */
  find(id: string): ModelInfo | null;
  /** Loads the provider's package on first use. */
  open(info: ModelInfo): Promise<LanguageModelV4>;
  /** Provider options of the AI SDK for a reasoning level. */
  effortOptions(
    info: ModelInfo,
    effort: string | undefined,
  ): Record<string, Record<string, unknown>>;
  /** Resolves when the current search for local servers has ended. */
  settled(): Promise<void>;
  /** Problems with the configured models, and what to do. */
  notices(): string[];
  /**
   * Called when local servers were found or lost, or credentials changed. Returns a function that
   * unsubscribes.
   */
  onChange(listener: () => void): () => void;
  close(): void;
}

export type ModelProblemReason =
  | "sign-in-needed"
  | "unknown-model"
  | "unreachable"
  | "rate-limited"
  | "context-overflow"
  | "refused"
  | "attachment-refused"
  | "provider-error";

/** A failure of a model or its provider. The message quotes the provider and says what to do. */
export class ModelProblem extends Error {
  override readonly name = "ModelProblem";
  readonly reason: ModelProblemReason;
  readonly retryAfterMs: number | undefined;
  readonly isTransient: boolean;
  /** The request was too large, usually because of attachments. */
  readonly isTooManyBytes: boolean;
  constructor(
    reason: ModelProblemReason,
    message: string,
    options: {
      retryAfterMs?: number | undefined;
      isTransient?: boolean;
      isTooManyBytes?: boolean;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.reason = reason;
    this.retryAfterMs = options.retryAfterMs;
    this.isTransient = options.isTransient ?? false;
    this.isTooManyBytes = options.isTooManyBytes ?? false;
  }
}
