import { randomBytes, scryptSync, timingSafeEqual } from "node:crypto";
import { unwatchFile, watchFile } from "node:fs";
import { LandlineError, limitsOf, type Limits, type Role } from "@landline/protocol";
import {
  accessPath,
  changeTokens,
  removeTokenTexts,
  hashOf,
  readTokens,
  removeTokenDrafts,
  type KeptKey,
  type StoredToken,
} from "./tokens-file.ts";
import { fixedToken, makeToken, type FixedToken, type NewToken } from "./make-token.ts";
import { isDiskFull } from "@landline/system/error-code";
import { readAudit } from "../data-folder/audit-file.ts";
import type { AuditEntry } from "../index/audit-table.ts";

export interface TokenSummary {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly madeAt: number;
  /** The session that the token is limited to. */
  readonly session?: string;
}

/**
 * Access tokens. The file is the source of truth: commands change it, and a running gateway applies the change within
 * `tokensCheckMs`. Listeners are called once for each revoked token, after it became invalid, and when names change.
 */
export interface Tokens extends Disposable {
  /** The token of the printed link: of this start, only in memory. Null without `showsLink`. */
  readonly shown: string | null;
  /** Returns `shown`, or a new token if it was revoked. */
  link(): Promise<string>;
  list(): readonly TokenSummary[];
  /** Compares in constant time. */
  find(token: string): TokenSummary | null;
  /** Returns the token's text, which is not available later. */
  create(
    wanted: NewToken,
    by?: string,
  ): Promise<{ readonly token: string; readonly summary: TokenSummary }>;
  revoke(id: string, by?: string): Promise<void>;
  /** Registers a key or secret for a page of the token and returns its id. */
  addKey(tokenId: string, key: NewKey): Promise<string>;
  /** The key with which a page signs; null for an invalid one. */
  key(keyId: string): { readonly tokenId: string; readonly publicKey: string } | null;
  /** The audit of created and revoked tokens, oldest first. */
  history(): Promise<readonly AuditEntry[]>;
  watch(listener: (revokedId: string) => void): Disposable;
  watchNames(listener: (names: Names) => void): Disposable;
  /** Display names by client id. */
  readonly names: Names;
  /** The names that a token of one session may see: of tokens that may act in it, and of tokens limited to it. */
  namesIn(sessionId: string): Names;
}

/** A client of the local socket in the data folder, which only the user can open: the command line. */
export const commandLine: TokenSummary = {
  id: "command-line",
  name: "the command line",
  role: "admin",
  madeAt: 0,
};

export type Names = Readonly<Record<string, string>>;

export type NewKey = { readonly publicKey: string } | { readonly secret: string };

export interface TokensOptions {
  readonly limits?: Limits;
  /** LANDLINE_TOKEN: valid besides the tokens of the file, never stored, and shown in the link. */
  readonly fixed?: string;
  /** Creates the link that the start prints. */
  readonly showsLink?: boolean;
  /** Called when a changed file cannot be read. Earlier tokens stay valid. */
  readonly onProblem?: (error: unknown) => void;
  readonly now?: () => number;
}

/** Opens the tokens file. */
export async function openTokens(path: string, options: TokensOptions = {}): Promise<Tokens> {
  const fixed = options.fixed === undefined ? null : fixedToken(options.fixed);
  await removeTokenDrafts(path, options.limits ?? limitsOf("default"));
  const tokens = new FileTokens(path, fixed, options);
  await tokens.reload();
  if (options.showsLink === true) {
    await removeTokenTexts(path, options.limits ?? limitsOf("default"));
    await tokens.link();
  }
  tokens.follow();
  return tokens;
}

class FileTokens implements Tokens {
  readonly #path: string;
  readonly #fixed: FixedToken | null;
  readonly #limits: Limits;
  readonly #now: () => number;
  readonly #onProblem: (error: unknown) => void;
  readonly #listeners = new Set<(revokedId: string) => void>();
  readonly #nameListeners = new Set<(names: Names) => void>();
  #kept: readonly StoredToken[] = [];
  #keys: readonly KeptKey[] = [];
  #ofFixed: string | null = null;
  #shown: string | null = null;
  /** The link of this start if the disk was full. It is valid until the gateway ends. */
  #unsaved: StoredToken | null = null;
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

  async link(): Promise<string> {
    return this.shown ?? this.#createLink();
  }

  list(): readonly TokenSummary[] {
    return this.#all().map(summaryOf);
  }

  get names(): Names {
    return namesOf([...this.#all(), commandLine]);
  }

  namesIn(sessionId: string): Names {
    return namesOf(
      [...this.#all(), commandLine].filter(({ role, session }) =>
        session === undefined ? role !== "watch" : session === sessionId,
      ),
    );
  }

  find(token: string): TokenSummary | null {
    const hash = Buffer.from(hashOf(token), "hex");
    let found: StoredToken | null = null;
    // Compare all of them, so that the time does not reveal a near match.
    for (const kept of this.#all()) {
      for (const one of [kept.hash, ...(kept.links ?? [])])
        if (timingSafeEqual(hash, Buffer.from(one, "hex"))) found = kept;
    }
    for (const { secretHash, tokenId } of this.#keys) {
      if (secretHash !== undefined && timingSafeEqual(hash, Buffer.from(secretHash, "hex")))
        found = this.#all().find(({ id }) => id === tokenId) ?? null;
    }
    return found && summaryOf(found);
  }

  key(keyId: string) {
    const found = this.#keys.find(({ id }) => id === keyId);
    if (found?.publicKey === undefined) return null;
    if (!this.#all().some(({ id }) => id === found.tokenId)) return null;
    return { tokenId: found.tokenId, publicKey: found.publicKey };
  }

  async addKey(tokenId: string, key: NewKey): Promise<string> {
    const isFixed = tokenId === this.#fixed?.kept.id;
    const kept: KeptKey = {
      id: randomBytes(12).toString("base64url"),
      tokenId,
      madeAt: this.#now(),
      ...("publicKey" in key ? { publicKey: key.publicKey } : { secretHash: hashOf(key.secret) }),
      ...(isFixed ? { of: this.#markOfFixed() } : {}),
    };
    await changeTokens(
      this.#path,
      this.#limits,
      (content) => {
        const { tokens, keys } = content;
        if (!isFixed && !tokens.some(({ id }) => id === tokenId)) throw noSuchToken();
        const own = keys.filter((one) => one.tokenId === tokenId);
        const dropped = new Set(
          own.slice(0, Math.max(0, own.length + 1 - this.#limits.keysPerToken)),
        );
        return { tokens, keys: [...keys.filter((one) => !dropped.has(one)), kept] };
      },
      { at: this.#now(), what: "key-made", detail: { token: tokenId, key: kept.id } },
    );
    await this.reload();
    return kept.id;
  }

  /** Keys of LANDLINE_TOKEN become void when it changes. */
  #markOfFixed(): string {
    this.#ofFixed ??= scryptSync(this.#fixed?.text ?? "", "landline keys", 32).toString("hex");
    return this.#ofFixed;
  }

  #isValid({ of }: KeptKey): boolean {
    return of === undefined || (this.#fixed !== null && of === this.#markOfFixed());
  }

  async create(wanted: NewToken, by = commandLine.id) {
    if (wanted.session !== undefined && wanted.role === "admin") throw adminOfOneSession();
    const made = makeToken(wanted, this.#now());
    const summary = summaryOf(made.kept);
    await changeTokens(
      this.#path,
      this.#limits,
      ({ tokens, keys }) => {
        if (tokens.length >= this.#limits.tokensKept) throw tooMany(this.#limits.tokensKept);
        return { tokens: [...tokens, made.kept], keys };
      },
      this.#madeEntry(summary, by),
    );
    await this.reload();
    return { token: made.text, summary };
  }

  /** Creates a new link for the token of the gateway's own computer, and that token if it does not exist. */
  async #createLink(): Promise<string> {
    const { text, kept } = makeToken(
      { name: "the gateway’s computer", role: "admin" },
      this.#now(),
    );
    const { startLinksKept } = this.#limits;
    await this.reload();
    const isNew = !this.#kept.some(({ links }) => links !== undefined);
    await changeTokens(
      this.#path,
      this.#limits,
      ({ tokens, keys }) => ({ tokens: withLink(tokens, kept, startLinksKept), keys }),
      isNew ? this.#madeEntry(summaryOf(kept), commandLine.id) : null,
    ).catch((error: Error) => {
      // The gateway must start, so that sessions can be deleted.
      if (!isDiskFull(error.cause)) throw error;
      this.#unsaved = kept;
      this.#onProblem(error);
    });
    this.#shown = text;
    await this.reload();
    return text;
  }

  async revoke(id: string, by = commandLine.id): Promise<void> {
    if (id === this.#fixed?.kept.id) throw fixedStays();
    const known = this.#kept.find((token) => token.id === id);
    await changeTokens(
      this.#path,
      this.#limits,
      ({ tokens, keys }) => {
        if (!tokens.some((token) => token.id === id)) throw noSuchToken();
        return {
          tokens: tokens.filter((token) => token.id !== id),
          keys: keys.filter(({ tokenId }) => tokenId !== id),
        };
      },
      {
        at: this.#now(),
        what: "token-revoked",
        detail: { id, ...(known && { name: known.name, role: known.role }), by },
      },
    );
    await this.reload();
  }

  history(): Promise<readonly AuditEntry[]> {
    return readAudit(accessPath(this.#path));
  }

  #madeEntry({ madeAt: at, ...made }: TokenSummary, by: string) {
    return { at, what: "token-made" as const, detail: { ...made, by } };
  }

  watch(listener: (revokedId: string) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  watchNames(listener: (names: Names) => void): Disposable {
    this.#nameListeners.add(listener);
    return { [Symbol.dispose]: () => void this.#nameListeners.delete(listener) };
  }

  /** Reloads run in sequence, so that an older read never replaces a newer one. */
  reload(): Promise<void> {
    const reloaded = this.#last.then(() => this.#read());
    this.#last = reloaded.catch(() => {});
    return reloaded;
  }

  async #read(): Promise<void> {
    const { tokens, keys } = await readTokens(this.#path);
    const gone = this.#kept.filter(({ id }) => !tokens.some((token) => token.id === id));
    const before = JSON.stringify(this.names);
    this.#kept = tokens;
    this.#keys = keys.filter((key) => this.#isValid(key));
    if (this.#shown !== null && this.find(this.#shown) === null) this.#shown = null;
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

  #all(): readonly StoredToken[] {
    const kept = this.#unsaved === null ? this.#kept : withLink(this.#kept, this.#unsaved);
    return this.#fixed ? [...kept, this.#fixed.kept] : kept;
  }
}

/** With one more link for the token of the gateway's own computer, which is created if it does not exist. */
function withLink(
  tokens: readonly StoredToken[],
  link: StoredToken,
  linksKept = Infinity,
): readonly StoredToken[] {
  const own = tokens.find(({ links }) => links !== undefined);
  if (!own) return [...tokens, { ...link, links: [] }];
  const links = [...(own.links ?? []), link.hash].slice(-linksKept);
  return tokens.map((token) => (token === own ? { ...own, links } : token));
}

function namesOf(tokens: readonly Pick<TokenSummary, "id" | "name">[]): Names {
  return Object.fromEntries(tokens.map(({ id, name }) => [id, name]));
}

function summaryOf({ id, name, role, madeAt, session }: StoredToken): TokenSummary {
  return { id, name, role, madeAt, ...(session === undefined ? {} : { session }) };
}

function adminOfOneSession(): LandlineError {
  return new LandlineError("invalid-params", {
    message: "A token that is limited to one session can't have the role admin.",
    help: "Give it the role watch or control.",
    data: { field: "role" },
  });
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
