import { ModelProblem, type ModelProblemReason } from "./model.ts";
import { mentions, readFailure, type Failure } from "./provider-error.ts";
import { displayName, signInHint } from "./known-providers.ts";
import { retryAfterMsOf } from "./retry-after.ts";

/** A provider's own words in a problem. Longer ones are cut. */
const problemCharacters = 600;

interface Verdict {
  reason: ModelProblemReason;
  mayPass: boolean;
  /** What happened and what to do, around the provider's own words. */
  what: string;
  next: string;
}

/** Every failure of a provider, in one form: its own words, and what to do. Total: it never throws. */
export function toModelProblem(
  error: unknown,
  model: { provider: string; modelId: string },
): ModelProblem {
  if (error instanceof ModelProblem) return error;
  const failure = readFailure(error);
  const providerId = model.provider.split(".")[0] ?? model.provider;
  const verdict = judge(failure, { providerId, modelId: model.modelId });
  const words = quote(failure.message);
  return new ModelProblem(verdict.reason, `${verdict.what}${words} ${verdict.next}`, {
    mayPass: verdict.mayPass,
    isTooManyBytes: failure.status === 413 && !mentions(failure, /token|context/i),
    retryAfterMs: retryAfterMsOf(failure),
    cause: error,
  });
}

/** A stream that ended without its end: what came so far is all that there is. */
export function cutShort(model: { provider: string }): ModelProblem {
  const name = displayName(model.provider.split(".")[0] ?? model.provider);
  return new ModelProblem(
    "unreachable",
    `The connection to ${name} ended in the middle of the answer. Send the prompt again.`,
    { mayPass: true },
  );
}

type Where = { providerId: string; modelId: string };

function judge(failure: Failure, where: Where): Verdict {
  const name = displayName(where.providerId);
  return (
    overflow(failure, name) ??
    outOfCredit(failure, name) ??
    signIn(failure, name, where.providerId) ??
    attachment(failure, name) ??
    refusal(failure, name) ??
    busy(failure, name) ??
    unreachable(failure, name) ??
    unknownModel(failure, name, where.modelId) ??
    other(failure, name)
  );
}

const overflowWords =
  /context[_ -]?(length|window|size)|maximum context|prompt is too long|input is too long|too many (input )?tokens|token count .*exceeds|exceeds? the (maximum|model's|available|limit).*(token|context)|reduce the length|request too large|n_ctx|model_max_prompt_tokens|input length and `?max_tokens/i;

function overflow(failure: Failure, name: string): Verdict | undefined {
  const tooLarge = failure.status === 413;
  const said = mentions(failure, overflowWords) && (failure.status ?? 400) < 500;
  // A rate limit in tokens a minute speaks of tokens too, and passes.
  const isRate = failure.status === 429 || mentions(failure, /tokens per (min|day)|\bTPM\b/);
  if (isRate || (!tooLarge && !said)) return undefined;
  return {
    reason: "context-overflow",
    mayPass: false,
    what: `The conversation no longer fits into the model's context at ${name}`,
    next: "Use /compact to shorten it, or choose a model with a larger context.",
  };
}

function outOfCredit(failure: Failure, name: string): Verdict | undefined {
  const words =
    /insufficient_quota|credit balance is too low|insufficient (balance|credits|funds)|billing_(hard_limit|not_active)|exceeded your current quota, please check your plan/i;
  if (failure.status !== 402 && !mentions(failure, words)) return undefined;
  return {
    reason: "provider-error",
    mayPass: false,
    what: `${name} says that the account has no credit left`,
    next: "Add credit there, or choose another model.",
  };
}

function signIn(failure: Failure, name: string, providerId: string): Verdict | undefined {
  const { status } = failure;
  const words =
    /invalid (x-)?api[- ]key|incorrect api key|api key not valid|api_key_invalid|authentication_error|api key is missing|no auth credentials|permission_denied/i;
  const said = mentions(failure, words) && (status === undefined || status < 500);
  if (status !== 401 && status !== 403 && !said) return undefined;
  return {
    reason: "sign-in-needed",
    mayPass: false,
    what: `${name} did not accept the key`,
    next: signInHint(providerId),
  };
}

const attachmentNouns =
  /\b(image(s|_url)?|pictures?|photos?|pdfs?|documents?|audio|media|attachments?|inline_?data|multimodal)\b/i;
const refusedVerbs =
  /\b(invalid\w*|not (valid|supported|allowed|a valid)|unsupported|could(n't| not)|can(not|'t| not)|unable|fail(ed|s)?|exceeds?|too (large|big|many|small|long)|maximum|at most|corrupt\w*|rejected|blocked|not_?permitted|violat\w+|no endpoints|missing|unknown variant|does(n't| not)|specified using)\b/i;

/** Words about an attachment are a guess until one was sent; whoever sent none treats it as any failure. */
function attachment(failure: Failure, name: string): Verdict | undefined {
  const { status = 400 } = failure;
  // Servers on people's own machines answer 500 to a picture that they can't read.
  const isRefusal = [400, 404, 415, 422, 500].includes(status);
  const isSaid = mentions(failure, attachmentNouns) && mentions(failure, refusedVerbs);
  if (!isRefusal || !isSaid || failure.network !== undefined) return undefined;
  return {
    reason: "attachment-refused",
    mayPass: false,
    what: `${name} refused an attachment`,
    next: "Send it smaller or in another format, or choose another model.",
  };
}

function refusal(failure: Failure, name: string): Verdict | undefined {
  const words =
    /content[_ ](policy|filter|management)|prohibited_content|flagged as potentially|violat\w+ .*polic|safety (system|setting|filter)|was blocked due to|invalid_prompt/i;
  if (!mentions(failure, words) || (failure.status ?? 400) >= 500) return undefined;
  return {
    reason: "refused",
    mayPass: false,
    what: `${name} refused to answer this`,
    next: "Ask in other words, or choose another model.",
  };
}

function busy(failure: Failure, name: string): Verdict | undefined {
  const { status } = failure;
  if (
    status === 429 ||
    mentions(failure, /rate[_ -]?limit|resource_exhausted|too many requests/i)
  ) {
    return {
      reason: "rate-limited",
      mayPass: true,
      what: `${name} takes no more requests from this account for the moment`,
      next: "Wait a little, or choose another model.",
    };
  }
  if (
    status === 529 ||
    status === 503 ||
    mentions(failure, /overloaded|unavailable|at capacity/i)
  ) {
    return {
      reason: "provider-error",
      mayPass: true,
      what: `${name} is overloaded`,
      next: "Wait a little, or choose another model.",
    };
  }
  return undefined;
}

function unreachable(failure: Failure, name: string): Verdict | undefined {
  if (failure.network === undefined || failure.status !== undefined) return undefined;
  const where = failure.url === undefined ? "" : ` at ${failure.url}`;
  return {
    reason: "unreachable",
    mayPass: true,
    what: `${name} can't be reached${where}`,
    next:
      failure.network === "ECONNREFUSED"
        ? "Nothing listens there: start the server, or correct its address in the config."
        : "Check the network, a proxy, or the provider's address in the config.",
  };
}

function unknownModel(failure: Failure, name: string, modelId: string): Verdict | undefined {
  const words =
    /model[_ ]not[_ ]found|not_found_error|(model|models\/).*(not (found|exist|supported)|does not exist)|no such model|unknown model|not a valid model/i;
  if (failure.status !== 404 && !(mentions(failure, words) && (failure.status ?? 400) < 500)) {
    return undefined;
  }
  return {
    reason: "unknown-model",
    mayPass: false,
    what: `${name} does not know the model ${modelId}`,
    next: "Choose another model, or check the provider's address in the config.",
  };
}

function other(failure: Failure, name: string): Verdict {
  const { status } = failure;
  const mayPass =
    failure.garbled || status === 408 || status === 409 || (status !== undefined && status >= 500);
  const code = status === undefined ? "" : ` (status ${status})`;
  return {
    reason: "provider-error",
    mayPass: mayPass || (status === undefined && failure.mayPass),
    what: failure.garbled ? `${name} sent something that can't be read` : `${name} failed${code}`,
    next: mayPass ? "Try again in a moment." : "Choose another model, or check the config.",
  };
}

/** The words of the provider, cut and without anything that looks like a key. */
function quote(message: string): string {
  const clean = message
    .replaceAll(/\s+/g, " ")
    .replaceAll(/\b(sk|pk|xai|gsk|key|AIza)[-_]?[A-Za-z0-9_*-]{12,}/g, "[key]")
    .trim();
  if (clean === "") return ".";
  const cut = clean.slice(0, problemCharacters);
  return `: “${cut}${cut.length < clean.length ? "…" : ""}”.`;
}
