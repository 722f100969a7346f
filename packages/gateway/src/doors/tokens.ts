import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { unwatchFile, watchFile } from "node:fs";
import { LandlineError, limitsOf, type Limits } from "@landline/protocol";
import {
  changeTokens,
  readTokens,
  removeTokenDrafts,
  type KeptToken,
  type Role,
} from "./tokens-file.ts";

export interface TokenSummary {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly madeAt: number;
}

/**
 * Who may come in. The file is the truth: a command that makes or revokes a token changes the file, and
 * a running gateway takes it over within `tokensCheckMs`. Whoever watches is told of each revoked token
 * once, after it has stopped being valid, and of the names when there are others.
 */
export interface Tokens extends Disposable {
  /** The token to put into the URL that is printed; null when its text is not known. */
  readonly shown: string | null;
  list(): readonly TokenSummary[];
  /** Compares in constant time. */
  find(token: string): TokenSummary | null;
  /** The token itself is told here and never again. */
  create(wanted: NewToken): Promise<{ readonly token: string; readonly summary: TokenSummary }>;
  revoke(id: string): Promise<void>;
  watch(listener: (revokedId: string) => void): Disposable;
  watchNames(listener: (names: Names) => void): Disposable;
  /** What they are called, by the ids that stand in the log. */
  readonly names: Names;
}

export type Names = Readonly<Record<string, string>>;

export interface NewToken {
  readonly name: string;
  readonly role: Role;
}

export interface TokensOptions {
  readonly limits?: Limits;
  /** LANDLINE_TOKEN: valid beside those in the file, never written down, and the one that is shown. */
  readonly fixed?: string;
  /** A change of the file could not be read; what was valid before stays so. */
  readonly onProblem?: (error: unknown) => void;
  readonly now?: () => number;
}

/** Opens the file of tokens, and makes one to be shown when there is none: at the first start, mostly. */
export async function openTokens(path: string, options: TokensOptions = {}): Promise<Tokens> {
  const fixed = options.fixed === undefined ? null : fixedToken(options.fixed);
  await removeTokenDrafts(path, options.limits ?? limitsOf("default"));
  const tokens = new FileTokens(path, fixed, options);
  await tokens.reload();
  if (tokens.shown === null) await tokens.createShown();
  tokens.follow();
  return tokens;
}

interface FixedToken {
  readonly text: string;
  readonly kept: KeptToken;
}

class FileTokens implements Tokens {
  readonly #path: string;
  readonly #fixed: FixedToken | null;
  readonly #limits: Limits;
  readonly #now: () => number;
  readonly #onProblem: (error: unknown) => void;
  readonly #listeners = new Set<(revokedId: string) => void>();
  readonly #nameListeners = new Set<(names: Names) => void>();
  #kept: readonly KeptToken[] = [];
  #shown: string | null = null;
  #last: Promise<void> = Promise.resolve();

  constructor(path: string, fixed: FixedToken | null, options: TokensOptions) {
    this.#path = path;
    this.#fixed = fixed;
    this.#limits = options.limits ?? limitsOf("default");
    this.#now = options.now ?? Date.now;
    this.#onProblem = options.onProblem ?? (() => {});
  }

  get shown(): string | null {
    return this.#fixed?.text ?? this.#shown;
  }

  list(): readonly TokenSummary[] {
    return this.#all().map(summaryOf);
  }

  get names(): Names {
    return Object.fromEntries(this.#all().map(({ id, name }) => [id, name]));
  }

  find(token: string): TokenSummary | null {
    const hash = Buffer.from(hashOf(token), "hex");
    let found: KeptToken | null = null;
    // Every one is compared, so that the time says nothing about which one was close.
    for (const kept of this.#all()) {
      if (timingSafeEqual(hash, Buffer.from(kept.hash, "hex"))) found = kept;
    }
    return found && summaryOf(found);
  }

  async create(wanted: NewToken) {
    const made = makeToken(wanted, this.#now());
    await changeTokens(this.#path, this.#limits, (content) => {
      if (content.tokens.length >= this.#limits.tokensKept) throw tooMany(this.#limits.tokensKept);
      return { content: { ...content, tokens: [...content.tokens, made.kept] }, result: null };
    });
    await this.reload();
    return { token: made.text, summary: summaryOf(made.kept) };
  }

  async createShown(): Promise<void> {
    const { text, kept } = makeToken(
      { name: "the gateway’s computer", role: "control" },
      this.#now(),
    );
    await changeTokens(this.#path, this.#limits, (content) => ({
      content:
        content.shown === null ? { shown: text, tokens: [...content.tokens, kept] } : content,
      result: null,
    }));
    await this.reload();
  }

  async revoke(id: string): Promise<void> {
    if (id === this.#fixed?.kept.id) throw fixedStays();
    await changeTokens(this.#path, this.#limits, ({ shown, tokens }) => {
      const revoked = tokens.find((token) => token.id === id);
      if (!revoked) throw noSuchToken();
      const isShown = shown !== null && hashOf(shown) === revoked.hash;
      const rest = tokens.filter((token) => token !== revoked);
      return { content: { shown: isShown ? null : shown, tokens: rest }, result: null };
    });
    await this.reload();
  }

  watch(listener: (revokedId: string) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  watchNames(listener: (names: Names) => void): Disposable {
    this.#nameListeners.add(listener);
    return { [Symbol.dispose]: () => void this.#nameListeners.delete(listener) };
  }

  /** One after the other: what was read earlier must not take the place of what was read later. */
  reload(): Promise<void> {
    const reloaded = this.#last.then(() => this.#read());
    this.#last = reloaded.catch(() => {});
    return reloaded;
  }

  async #read(): Promise<void> {
    const { shown, tokens } = await readTokens(this.#path);
    const gone = this.#kept.filter(({ id }) => !tokens.some((token) => token.id === id));
    const before = JSON.stringify(this.names);
    this.#kept = tokens;
    this.#shown = shown;
    for (const { id } of gone) for (const listener of this.#listeners) listener(id);
    const { names } = this;
    if (JSON.stringify(names) === before) return;
    for (const listener of this.#nameListeners) listener(names);
  }

  follow(): void {
    const interval = this.#limits.tokensCheckMs;
    watchFile(this.#path, { interval, persistent: false }, this.#onChange);
  }

  [Symbol.dispose](): void {
    unwatchFile(this.#path, this.#onChange);
    this.#listeners.clear();
    this.#nameListeners.clear();
  }

  readonly #onChange = (): void => {
    this.reload().catch(this.#onProblem);
  };

  #all(): readonly KeptToken[] {
    return this.#fixed ? [...this.#kept, this.#fixed.kept] : this.#kept;
  }
}

/** Unguessable, and made of characters that fit into a URL, a header and a subprotocol. */
function makeToken({ name, role }: NewToken, madeAt: number) {
  const text = `ll_${randomBytes(32).toString("base64url")}`;
  const kept: KeptToken = { id: idFor(name), name: nameOf(name), role, madeAt, hash: hashOf(text) };
  return { text, kept };
}

/** Stands as `by` in the log, and names the device when it is gone (`personName`). */
function idFor(name: string): string {
  const plain = name.normalize("NFKD").replaceAll(/[\p{M}'’]/gu, "");
  const slug = plain.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  const word = slug.replaceAll(/^-|-$/g, "").slice(0, 24) || "token";
  return `${word}-${randomBytes(4).toString("hex")}`;
}

function nameOf(name: string): string {
  // Control characters have no place in what a terminal will print.
  const clean = name
    .replaceAll(/\p{Cc}/gu, " ")
    .trim()
    .slice(0, 100);
  return clean === "" ? "token" : clean;
}

function fixedToken(text: string): FixedToken {
  if (!/^[\x21-\x7e]{1,1024}$/.test(text)) {
    throw new LandlineError("invalid-params", {
      message: "LANDLINE_TOKEN must be 1 to 1024 printable ASCII characters without spaces.",
      help: "Set it to a long random text, or leave it out: then a token is made.",
    });
  }
  const kept = { id: "environment", name: "LANDLINE_TOKEN", role: "control", madeAt: 0 } as const;
  return { text, kept: { ...kept, hash: hashOf(text) } };
}

function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

function summaryOf({ id, name, role, madeAt }: KeptToken): TokenSummary {
  return { id, name, role, madeAt };
}

function tooMany(most: number): LandlineError {
  return new LandlineError("invalid-params", {
    message: `There are ${most} tokens already.`,
    help: "Revoke one that is not used: `landline token list`, then `landline token revoke ID`.",
  });
}

function noSuchToken(): LandlineError {
  return new LandlineError("invalid-params", {
    message: "There is no token with that id.",
    help: "Look for it with `landline token list`.",
  });
}

function fixedStays(): LandlineError {
  return new LandlineError("invalid-params", {
    message: "This token comes from LANDLINE_TOKEN and can't be revoked.",
    help: "Start the gateway without LANDLINE_TOKEN, or with another one.",
  });
}
