import type { LanguageModelV4 } from "@ai-sdk/provider";

/** A model that can be chosen, and what is known of it without asking its provider. */
export interface ModelInfo {
  /** `provider/model`, as in config and in the model option. */
  id: string;
  name: string;
  provider: string;
  providerName: string;
  /** Tokens. */
  contextTokens: number;
  outputTokens: number;
  /** Dollars for a million tokens; absent when unknown, zero when free. */
  cost?: { input: number; output: number; cachedRead?: number; cachedWrite?: number };
  takes: { image: boolean; audio: boolean; document: boolean };
  tools: boolean;
  /** Levels of reasoning that it offers, lowest first; empty when it offers none. */
  efforts: string[];
  /** GPT-5-class models are given `apply_patch` in place of `edit` and `write`. */
  prefersPatches: boolean;
}

/** The one place that knows which models there are and which is meant. */
export interface Models {
  /** All that can be used now: with a key, found on this machine, or the demo. */
  list(): ModelInfo[];
  /** Config, keys, local servers, demo: the first that gives one (docs/models.md). */
  default(): ModelInfo;
  /** Why that one is the default, in words for `/status` and `doctor`. */
  whyDefault(): string;
  /** For titles and summaries; the default's own provider. */
  small(of: ModelInfo): ModelInfo;
  /** Null when there is none of that id; throws ModelProblem `sign-in-needed` when its provider has no key. */
  find(id: string): ModelInfo | null;
  /** Loads the provider's package on first use. */
  open(info: ModelInfo): Promise<LanguageModelV4>;
  /** Provider options of a level of reasoning, in the AI SDK's shape. */
  effortOptions(
    info: ModelInfo,
    effort: string | undefined,
  ): Record<string, Record<string, unknown>>;
  /** Resolves when the search for servers on this machine is over; at once when there is none. */
  settled(): Promise<void>;
  /** What is wrong with the choice of models, and what to do. */
  notices(): string[];
  /** Calls back when local servers were found or lost, or credentials changed. Returns how to stop. */
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

/** A failure of a model or its provider, with the provider's own words in the message and what to do. */
export class ModelProblem extends Error {
  override readonly name = "ModelProblem";
  readonly reason: ModelProblemReason;
  readonly retryAfterMs: number | undefined;
  readonly mayPass: boolean;
  /** The request had too many bytes, which attachments make far more often than words. */
  readonly isTooManyBytes: boolean;
  constructor(
    reason: ModelProblemReason,
    message: string,
    options: {
      retryAfterMs?: number | undefined;
      mayPass?: boolean;
      isTooManyBytes?: boolean;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.reason = reason;
    this.retryAfterMs = options.retryAfterMs;
    this.mayPass = options.mayPass ?? false;
    this.isTooManyBytes = options.isTooManyBytes ?? false;
  }
}
