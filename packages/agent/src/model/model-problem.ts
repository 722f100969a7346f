import { ModelProblem, type ModelProblemReason } from "./model.ts";
import { mentions, readProviderError, type ProviderError } from "./provider-error.ts";
import { displayName, signInHint } from "./known-providers.ts";
import { retryAfterMsOf } from "./retry-after.ts";

/** Maximum characters of a provider's message. The rest is cut. */
const problemCharacters = 600;

interface Diagnosis {
  reason: ModelProblemReason;
  isTransient: boolean;
  /** Texts before and after the provider's message. */
  what: string;
  next: string;
}

/** Converts any failure of a provider. Never throws. */
export function toModelProblem(
  error: unknown,
  model: { provider: string; modelId: string },
): ModelProblem {
  if (error instanceof ModelProblem) return error;
  const providerError = readProviderError(error);
  const providerId = model.provider.split(".")[0] ?? model.provider;
  const diagnosis = diagnose(providerError, { providerId, modelId: model.modelId });
  const words = quote(providerError.message);
  return new ModelProblem(diagnosis.reason, `${diagnosis.what}${words} ${diagnosis.next}`, {
    isTransient: diagnosis.isTransient,
    isTooManyBytes: providerError.status === 413 && !mentions(providerError, /token|context/i),
    retryAfterMs: retryAfterMsOf(providerError),
    cause: error,
  });
}

/** A stream that ended without its last part. */
export function interruptedStream(model: { provider: string }): ModelProblem {
  const name = displayName(model.provider.split(".")[0] ?? model.provider);
  return new ModelProblem(
    "unreachable",
    `The connection to ${name} ended in the middle of the answer. Send the prompt again.`,
    { isTransient: true },
  );
}

type Where = { providerId: string; modelId: string };

function diagnose(providerError: ProviderError, where: Where): Diagnosis {
  const name = displayName(where.providerId);
  return (
    overflow(providerError, name) ??
    outOfCredit(providerError, name) ??
    signIn(providerError, name, where.providerId) ??
    attachment(providerError, name) ??
    refusal(providerError, name) ??
    busy(providerError, name) ??
    unreachable(providerError, name) ??
    unknownModel(providerError, name, where.modelId) ??
    other(providerError, name)
  );
}

const overflowWords =
  /context[_ -]?(length|window|size)|maximum context|prompt is too long|input is too long|too many (input )?tokens|token count .*exceeds|exceeds? the (maximum|model's|available|limit).*(token|context)|reduce the length|request too large|n_ctx|model_max_prompt_tokens|input length and `?max_tokens/i;

function overflow(providerError: ProviderError, name: string): Diagnosis | undefined {
  const tooLarge = providerError.status === 413;
  const said = mentions(providerError, overflowWords) && (providerError.status ?? 400) < 500;
  // A rate limit in tokens per minute mentions tokens too, and is transient.
  const isRate =
    providerError.status === 429 || mentions(providerError, /tokens per (min|day)|\bTPM\b/);
  if (isRate || (!tooLarge && !said)) return undefined;
  return {
    reason: "context-overflow",
    isTransient: false,
    what: `The conversation no longer fits into the model's context at ${name}`,
    next: "Use /compact to shorten it, or choose a model with a larger context.",
  };
}

function outOfCredit(providerError: ProviderError, name: string): Diagnosis | undefined {
  const words =
    /insufficient_quota|credit balance is too low|insufficient (balance|credits|funds)|billing_(hard_limit|not_active)|exceeded your current quota, please check your plan/i;
  if (providerError.status !== 402 && !mentions(providerError, words)) return undefined;
  return {
    reason: "provider-error",
    isTransient: false,
    what: `${name} says that the account has no credit left`,
    next: "Add credit there, or choose another model.",
  };
}

function signIn(
  providerError: ProviderError,
  name: string,
  providerId: string,
): Diagnosis | undefined {
  const { status } = providerError;
  const words =
    /invalid (x-)?api[- ]key|incorrect api key|api key not valid|api_key_invalid|authentication_error|api key is missing|no auth credentials|permission_denied/i;
  const said = mentions(providerError, words) && (status === undefined || status < 500);
  if (status !== 401 && status !== 403 && !said) return undefined;
  return {
    reason: "sign-in-needed",
    isTransient: false,
    what: `${name} did not accept the key`,
    next: signInHint(providerId),
  };
}

const attachmentNouns =
  /\b(image(s|_url)?|pictures?|photos?|pdfs?|documents?|audio|media|attachments?|inline_?data|multimodal)\b/i;
const refusedVerbs =
  /\b(invalid\w*|not (valid|supported|allowed|a valid)|unsupported|could(n't| not)|can(not|'t| not)|unable|fail(ed|s)?|exceeds?|too (large|big|many|small|long)|maximum|at most|corrupt\w*|rejected|blocked|not_?permitted|violat\w+|no endpoints|missing|unknown variant|does(n't| not)|specified using)\b/i;

/** A guess from the message. A caller that sent no attachment treats it as any other failure. */
function attachment(providerError: ProviderError, name: string): Diagnosis | undefined {
  const { status = 400 } = providerError;
  // Local servers answer 500 to an image that they cannot read.
  const isRefusal = [400, 404, 415, 422, 500].includes(status);
  const isSaid = mentions(providerError, attachmentNouns) && mentions(providerError, refusedVerbs);
  if (!isRefusal || !isSaid || providerError.network !== undefined) return undefined;
  return {
    reason: "attachment-refused",
    isTransient: false,
    what: `${name} refused an attachment`,
    next: "Send it smaller or in another format, or choose another model.",
  };
}

function refusal(providerError: ProviderError, name: string): Diagnosis | undefined {
  const words =
    /content[_ ](policy|filter|management)|prohibited_content|flagged as potentially|violat\w+ .*polic|safety (system|setting|filter)|was blocked due to|invalid_prompt/i;
  if (!mentions(providerError, words) || (providerError.status ?? 400) >= 500) return undefined;
  return {
    reason: "refused",
    isTransient: false,
    what: `${name} refused to answer this`,
    next: "Rephrase the prompt, or choose another model.",
  };
}

function busy(providerError: ProviderError, name: string): Diagnosis | undefined {
  const { status } = providerError;
  if (
    status === 429 ||
    mentions(providerError, /rate[_ -]?limit|resource_exhausted|too many requests/i)
  ) {
    return {
      reason: "rate-limited",
      isTransient: true,
      what: `${name} accepts no more requests from this account at the moment`,
      next: "Wait a moment, or choose another model.",
    };
  }
  if (
    status === 529 ||
    status === 503 ||
    mentions(providerError, /overloaded|unavailable|at capacity/i)
  ) {
    return {
      reason: "provider-error",
      isTransient: true,
      what: `${name} is overloaded`,
      next: "Wait a moment, or choose another model.",
    };
  }
  return undefined;
}

function unreachable(providerError: ProviderError, name: string): Diagnosis | undefined {
  if (providerError.network === undefined || providerError.status !== undefined) return undefined;
  const where = providerError.url === undefined ? "" : ` at ${providerError.url}`;
  return {
    reason: "unreachable",
    isTransient: true,
    what: `${name} can't be reached${where}`,
    next:
      providerError.network === "ECONNREFUSED"
        ? "Nothing listens there: start the server, or correct its address in the config."
        : "Check the network, a proxy, or the provider's address in the config.",
  };
}

function unknownModel(
  providerError: ProviderError,
  name: string,
  modelId: string,
): Diagnosis | undefined {
  const words =
    /model[_ ]not[_ ]found|not_found_error|(model|models\/).*(not (found|exist|supported)|does not exist)|no such model|unknown model|not a valid model/i;
  if (
    providerError.status !== 404 &&
    !(mentions(providerError, words) && (providerError.status ?? 400) < 500)
  ) {
    return undefined;
  }
  return {
    reason: "unknown-model",
    isTransient: false,
    what: `${name} does not know the model ${modelId}`,
    next: "Choose another model, or check the provider's address in the config.",
  };
}

function other(providerError: ProviderError, name: string): Diagnosis {
  const { status } = providerError;
  const isTransient =
    providerError.malformed ||
    status === 408 ||
    status === 409 ||
    (status !== undefined && status >= 500);
  const code = status === undefined ? "" : ` (status ${status})`;
  return {
    reason: "provider-error",
    isTransient: isTransient || (status === undefined && providerError.isTransient),
    what: providerError.malformed ? `${name} sent an invalid response` : `${name} failed${code}`,
    next: isTransient ? "Try again in a moment." : "Choose another model, or check the config.",
  };
}

/** The provider's message, truncated and with keys masked. */
function quote(message: string): string {
  const clean = message
    .replaceAll(/\s+/g, " ")
    .replaceAll(/\b(sk|pk|xai|gsk|key|AIza)[-_]?[A-Za-z0-9_*-]{12,}/g, "[key]")
    .trim();
  if (clean === "") return ".";
  const cut = clean.slice(0, problemCharacters);
  return `: “${cut}${cut.length < clean.length ? "…" : ""}”.`;
}
