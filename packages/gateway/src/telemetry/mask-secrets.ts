import { maskOwnTokens } from "./mask-tokens.ts";

/**
 * Masks secrets in output for people: logs, traces, the audit, exports. Does not modify its input and runs in linear
 * time. If in doubt, it masks.
 */
export const masked = "[masked]";

/** Deeper levels are omitted: nothing that people read nests deeper. */
const DEPTH = 64;

/** Returns the value with its secrets masked. Parts without secrets are the same objects. */
export function maskSecrets(value: unknown): unknown {
  return isPlain(value) ? value : new Masking().value(value, DEPTH);
}

type RawRecord = Readonly<Record<string, unknown>>;

/** Fast path for most log lines: numbers, ids and short words, without the name of a secret. */
function isPlain(value: unknown): boolean {
  if (!isComplex(value) || Array.isArray(value) || value instanceof Error) return false;
  return Object.entries(value).every(
    ([name, inner]: [string, unknown]) =>
      !secretStem.test(name) &&
      (typeof inner === "string"
        ? plain.test(inner) && !secretStem.test(inner)
        : !isComplex(inner)),
  );
}

function isComplex(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

class Masking {
  /** Ancestors of the current object, to stop at cycles. */
  readonly #open = new Set<object>();

  value(value: unknown, depth: number): unknown {
    if (typeof value === "string") return maskText(value);
    if (typeof value !== "object" || value === null) return value;
    return this.#within(value, depth, () =>
      Array.isArray(value) ? this.#list(value, depth) : this.#object(value, depth),
    );
  }

  #within(value: object, depth: number, look: () => unknown): unknown {
    if (depth <= 0 || this.#open.has(value)) return "[…]";
    this.#open.add(value);
    try {
      return look();
    } finally {
      this.#open.delete(value);
    }
  }

  /** Keeps the structure and the names, so that a reader sees what was set. */
  #all(value: unknown, depth: number): unknown {
    if (value === null || value === undefined || value === "") return value;
    if (typeof value !== "object") return masked;
    const pair = namedValue(value);
    return this.#within(value, depth, () =>
      Array.isArray(value)
        ? value.map((item: unknown) => this.#all(item, depth - 1))
        : Object.fromEntries(
            Object.entries(value).map(([name, inner]: [string, unknown]) => [
              name,
              pair !== null && name === "name" ? inner : this.#all(inner, depth - 1),
            ]),
          ),
    );
  }

  /** Includes command arguments: `--token`, `x` and `--token=x`. */
  #list(list: readonly unknown[], depth: number): unknown {
    const copy = list.map((item, index) => {
      const isNamed = typeof item === "string" && isSecretFlag(list[index - 1]);
      return isNamed ? masked : maskFlag(this.value(item, depth - 1));
    });
    return copy.every((item, index) => item === list[index]) ? list : copy;
  }

  #object(object: object, depth: number): unknown {
    if (object instanceof Error) return this.#error(object, depth);
    if (object instanceof Date) return object;
    if (object instanceof URL) return maskText(object.href);
    if (ArrayBuffer.isView(object)) return `[${object.byteLength} bytes]`;
    const fields = this.#fields(object, depth);
    const isSame = fields.every(([name, kept]) => Object.is(kept, (object as RawRecord)[name]));
    return isSame ? object : Object.fromEntries(fields);
  }

  #fields(object: object, depth: number): readonly [string, unknown][] {
    const pair = namedValue(object);
    return Object.entries(object).map(([name, inner]: [string, unknown]) => {
      const isSecret = isSecretName(pair !== null && name === "value" ? pair : name);
      return [name, isSecret ? this.#all(inner, depth - 1) : this.#field(name, inner, depth - 1)];
    });
  }

  #field(name: string, inner: unknown, depth: number): unknown {
    return isBag(name) && typeof inner === "object"
      ? this.#all(inner, depth)
      : this.value(inner, depth);
  }

  #error(error: Error, depth: number): unknown {
    return {
      name: error.name,
      ...Object.fromEntries(this.#fields(error, depth)),
      message: maskText(error.message),
      ...(error.stack === undefined ? {} : { stack: maskText(error.stack) }),
      ...(error.cause === undefined ? {} : { cause: this.value(error.cause, depth - 1) }),
    };
  }
}

/** `env`, `headers`, `cookies`: names are shown, values are masked. */
function isBag(name: string): boolean {
  return bags.has(name.toLowerCase());
}

const bags: ReadonlySet<string> = new Set(["env", "environment", "headers", "cookies"]);

/** `{name, value}`, as MCP represents variables and headers. */
function namedValue(object: object): string | null {
  const { name, value } = object as { name?: unknown; value?: unknown };
  return typeof name === "string" && typeof value === "string" ? name : null;
}

function isSecretFlag(item: unknown): boolean {
  return typeof item === "string" && /^--?[A-Za-z][\w-]{0,100}$/.test(item) && isSecretName(item);
}

function maskFlag(item: unknown): unknown {
  if (typeof item !== "string" || !item.startsWith("-")) return item;
  const name = item.slice(0, item.indexOf("=") + 1);
  return name !== "" && isSecretFlag(name.slice(0, -1)) ? name + masked : item;
}

/** Matches whole words of a name: `apiKey`, `API_KEY`, `x-api-key`, but not `keyboard` or `totalTokens`. */
export function isSecretName(name: string): boolean {
  if (name.length > 200 || !secretStem.test(name)) return false;
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  if (describing.has(words.at(-1) ?? "")) return false;
  return words.some((word, index) => secretWords.has(word) || isSecretKey(word, words[index - 1]));
}

/** Matches every word below; a quick test, because most names have none of them. */
const secretStem = /auth|token|secret|passw|passphrase|cookie|credential|key/i;

/** `tokenId` and `tokenCount` describe a token and do not contain it. */
const describing: ReadonlySet<string> = new Set(["id", "count", "name", "type", "limit", "usage"]);

const secretWords: ReadonlySet<string> = new Set([
  "authorization",
  "token",
  "secret",
  "password",
  "passwd",
  "passphrase",
  "cookie",
  "credential",
  "credentials",
  "apikey",
  "apitoken",
  "accesstoken",
  "authtoken",
  "privatekey",
]);

/** `key` is secret only after one of these words: a plain `key` names an entry. */
function isSecretKey(word: string, before: string | undefined): boolean {
  return word === "key" && before !== undefined && keyKinds.has(before);
}

const keyKinds: ReadonlySet<string> = new Set([
  "api",
  "access",
  "private",
  "secret",
  "signing",
  "encryption",
  "auth",
  "account",
  "subscription",
]);

/** Masks what looks like a secret. Returns the same string if there is nothing to mask. */
export function maskText(text: string): string {
  if (plain.test(text)) return text;
  let kept = text.includes(keyStart) ? maskKeys(text) : text;
  kept = maskOwnTokens(kept);
  for (const [pattern, replacement] of formats) kept = kept.replace(pattern, replacement);
  return kept;
}

/** Ids and short words, which most log values are: too short for any format below. */
const plain = /^(?:[0-9a-f-]*|[a-z0-9.-]{0,12})$/;

/**
 * Each pattern starts with fixed characters, followed by bounded or greedy classes, so that no text causes
 * backtracking. A value that could be a plain word must contain a digit, so that `token: string` stays.
 */
const formats: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  // Command-line flags. A value without quotes or "=" may be prose; variables and `<token>` are not secret.
  [
    /(?<![\w-])(--?[\w-]{0,64}(?:api[-_]?key|token|secret|password|passwd|passphrase)(?:=|[ \t]{1,3}))(?:"(?![\s$<])(?:[^"\\\n]|\\.){1,1000}"|'(?![\s<])[^'\n]{1,1000}'|(?![-$%<[{(\\])(?:(?<==)|(?=[^\s\d"'`|;&<>]{0,200}\d))[^\s"'`|;&<>]+)/gi,
    `$1${masked}`,
  ],
  [/\b(sk|pk|rk)([-_])[A-Za-z0-9_-]{16,}/g, `$1$2${masked}`],
  [/\b(gh[opsur]_|github_pat_|glpat-|npm_|hf_|xai-|gsk_|AIza|ya29\.)[\w-]{16,}/g, `$1${masked}`],
  [/\b(xox[abeoprs]-|xapp-)[A-Za-z0-9-]{8,}/g, `$1${masked}`],
  [/\b(AKIA|ASIA)[A-Z0-9]{16}\b/g, `$1${masked}`],
  [/\beyJ[\w-]{16,}(?:\.[\w-]+){0,4}/g, masked],
  [/\b(Bearer {1,3})(?=[^\s\d]{0,200}\d)[\w.~+/=-]{8,}/gi, `$1${masked}`],
  [
    /\b(Authorization["']?\s{0,3}[:=]\s{0,3}["']?(?:[A-Za-z]{1,20} {1,3})?)[\w.~+/=-]{8,}/gi,
    `$1${masked}`,
  ],
  [/(:\/\/[^\s:@/]{0,100}:)[^\s@/]{1,200}@/g, `$1${masked}@`],
  [/\b(token\.)[\w-]{16,}/g, `$1${masked}`],
  [
    /([?&#](?:token|ticket|access_token|api_key|apikey|key|secret|password|signature|sig)=)[^\s&#"'<>]+/gi,
    `$1${masked}`,
  ],
  [
    /\b(\w{0,64}(?:api_?key|token|secret|password|passwd)["']?\s{0,3}[=:]\s{0,3}["']?)(?=[^\s\d]{0,200}\d)[\w.~+/=-]{8,}/gi,
    `$1${masked}`,
  ],
];

const keyStart = "-----BEGIN ";
const keyEnd = "-----END ";

/** PEM private keys: up to the END line or, if it is missing, as far as the text can be a key. */
function maskKeys(text: string): string {
  const head = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----/g;
  let kept = "";
  let done = 0;
  let endAt = 0;
  for (let found = head.exec(text); found !== null; found = head.exec(text)) {
    const start = head.lastIndex;
    if (endAt !== -1 && endAt < start) endAt = text.indexOf(keyEnd, start);
    const stop = endAt === -1 ? endOfKey(text, start) : endOfLine(text, endAt);
    kept += text.slice(done, start) + (stop - start >= 16 ? masked : text.slice(start, stop));
    done = stop;
    head.lastIndex = stop;
  }
  return kept + text.slice(done);
}

function endOfKey(text: string, start: number): number {
  const body = /[\sA-Za-z0-9+/=]*/y;
  body.lastIndex = start;
  body.test(text);
  return body.lastIndex;
}

function endOfLine(text: string, start: number): number {
  const end = text.indexOf("\n", start);
  return end === -1 ? text.length : end;
}
