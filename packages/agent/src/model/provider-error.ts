/** What an error of a provider's package contains, whatever its class. */
export interface ProviderError {
  message: string;
  status: number | undefined;
  headers: Record<string, string>;
  /** All texts of the error, to search for codes. */
  text: string;
  body: unknown;
  /** The system error code of a failed connection. */
  network: string | undefined;
  url: string | undefined;
  /** The response could not be parsed. */
  malformed: boolean;
  isTransient: boolean;
}

const networkCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EPIPE",
  "ETIMEDOUT",
  "UND_ERR_BODY_TIMEOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_SOCKET",
  "CERT_HAS_EXPIRED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

const malformedNames = new Set([
  "AI_JSONParseError",
  "AI_TypeValidationError",
  "AI_InvalidResponseDataError",
  "AI_EmptyResponseBodyError",
  "AI_NoContentGeneratedError",
  "AI_NoOutputGeneratedError",
  "SyntaxError",
]);

/** Characters of each text that are searched: some servers answer with a whole page. */
const LOOKED_AT = 4_000;

/** The message of Anthropic's package when the first line of a stream is not JSON. */
const malformedText = /expected a normalized \w+ stream error/i;

export function readProviderError(error: unknown): ProviderError {
  const chain = causesOf(error);
  const fields = chain.map((each) => each as Record<string, unknown>);
  const first = <Value>(key: string, is: (value: unknown) => value is Value) =>
    fields.map((each) => each[key]).find(is);
  const body = first("responseBody", isText);
  const data = fields.map((each) => each["data"]).find((value) => value !== undefined);
  const codes = fields.flatMap((each) => [each["code"], each["type"]]).filter(isText);
  const message = messageOf(error, chain);
  return {
    message,
    status: first("statusCode", isStatus) ?? first("status", isStatus),
    headers: first("responseHeaders", isHeaders) ?? {},
    text: [message, body ?? "", stringified(data), ...codes]
      .map((text) => text.slice(0, LOOKED_AT))
      .join("\n"),
    body: data ?? parsed(body),
    network: networkCodeOf(fields, message),
    url: originOf(first("url", isText)),
    malformed:
      fields.some((each) => isText(each["name"]) && malformedNames.has(each["name"])) ||
      malformedText.test(message),
    isTransient: first("isRetryable", isBoolean) ?? false,
  };
}

export function mentions(providerError: ProviderError, words: RegExp): boolean {
  return words.test(providerError.text);
}

/** The chain of causes, each once. */
function causesOf(error: unknown): object[] {
  const chain: object[] = [];
  let current = error;
  while (typeof current === "object" && current !== null && !chain.includes(current)) {
    chain.push(current);
    const { cause, lastError } = current as { cause?: unknown; lastError?: unknown };
    current = lastError ?? cause;
  }
  return chain;
}

function messageOf(error: unknown, chain: readonly object[]): string {
  if (typeof error === "string") return error;
  for (const each of chain) {
    const { message, error: inner } = each as { message?: unknown; error?: unknown };
    if (isText(message) && message !== "") return message;
    if (typeof inner === "object" && inner !== null) return messageOf(inner, [inner]);
  }
  return chain.length === 0 ? String(error) : "";
}

function networkCodeOf(fields: Record<string, unknown>[], message: string): string | undefined {
  const code = fields
    .map((each) => each["code"])
    .find((each) => isText(each) && networkCodes.has(each));
  if (isText(code)) return code;
  const isCut = /^terminated$|socket hang up|other side closed|fetch failed|cannot connect to api/i;
  return isCut.test(message) ? "UND_ERR_SOCKET" : undefined;
}

/** The path may contain a key. */
function originOf(url: string | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined;
  return new URL(url).origin;
}

function stringified(value: unknown): string {
  try {
    return value === undefined ? "" : (JSON.stringify(value) ?? "");
  } catch {
    return "";
  }
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isText = (value: unknown): value is string => typeof value === "string";
const isBoolean = (value: unknown): value is boolean => typeof value === "boolean";
const isStatus = (value: unknown): value is number =>
  // A stream that broke later carries status 200.
  typeof value === "number" && value >= 400 && value <= 599;
const isHeaders = (value: unknown): value is Record<string, string> =>
  typeof value === "object" && value !== null;
