import { createHmac, createPublicKey, randomBytes, timingSafeEqual, verify } from "node:crypto";
import type { Limits } from "@landline/protocol";
import { hashOf } from "./tokens-file.ts";
import type { TokenSummary, Tokens } from "./tokens.ts";

/** Distinguishes an expired access token from a wrong token: its page can sign in again with its key. */
const accessPrefix = "ll_access-";

export interface SignedChallenge {
  readonly keyId: string;
  readonly challenge: string;
  /** The origin of the page that signs. */
  readonly origin: string;
  /** Signature of `signedText`: ECDSA over P-256 with SHA-256, as WebCrypto creates it, in base64url. */
  readonly signature: string;
}

export interface AccessToken {
  readonly token: string;
  readonly expiresInMs: number;
}

/**
 * Authentication of pages. A page signs a challenge with a non-extractable key and gets a token that is valid for
 * `accessTokenMs` and held in memory only. A challenge is valid once, for `challengeMs`.
 */
export class DeviceKeys implements Disposable {
  readonly #tokens: Tokens;
  readonly #limits: Limits;
  readonly #now: () => number;
  readonly #secret = randomBytes(32);
  readonly #used = new Map<string, number>();
  readonly #access = new Map<string, { tokenId: string; expiresAt: number }>();
  readonly #revocations: Disposable;

  constructor(tokens: Tokens, limits: Limits, now: () => number = Date.now) {
    this.#tokens = tokens;
    this.#limits = limits;
    this.#now = now;
    this.#revocations = tokens.watch((id) => {
      for (const [hash, { tokenId }] of this.#access) if (tokenId === id) this.#access.delete(hash);
    });
  }

  [Symbol.dispose](): void {
    this.#revocations[Symbol.dispose]();
  }

  /** An unused challenge takes no memory, so that requests cannot fill it. */
  challenge(): string {
    const expiresAt = this.#now() + this.#limits.challengeMs;
    const text = `${expiresAt.toString(36)}.${randomBytes(16).toString("base64url")}`;
    return `${text}.${this.#mark(text)}`;
  }

  /** Returns null when any part is wrong. */
  signIn(signed: SignedChallenge): AccessToken | null {
    const key = this.#tokens.key(signed.keyId);
    if (!key || !this.#isOpen(signed.challenge) || !isSigned(signed, key.publicKey)) return null;
    this.#used.set(signed.challenge, this.#now() + this.#limits.challengeMs);
    return this.#issue(key.tokenId);
  }

  find(token: string): TokenSummary | null {
    const known = this.#access.get(hashOf(token));
    if (!known || known.expiresAt <= this.#now()) return null;
    return this.#tokens.list().find(({ id }) => id === known.tokenId) ?? null;
  }

  /** Reports whether this is an access token, possibly expired or of an earlier gateway process. */
  isAccessToken(token: string): boolean {
    return token.startsWith(accessPrefix);
  }

  #issue(tokenId: string): AccessToken {
    const { accessTokenMs: expiresInMs, accessTokensKept } = this.#limits;
    const now = this.#now();
    for (const [hash, { expiresAt }] of this.#access)
      if (expiresAt <= now || this.#access.size >= accessTokensKept) this.#access.delete(hash);
    const token = `${accessPrefix}${randomBytes(32).toString("base64url")}`;
    this.#access.set(hashOf(token), { tokenId, expiresAt: now + expiresInMs });
    return { token, expiresInMs };
  }

  #isOpen(challenge: string): boolean {
    const now = this.#now();
    for (const [used, until] of this.#used) if (until <= now) this.#used.delete(used);
    const [at = "", nonce = "", mark = ""] = challenge.split(".");
    const expected = Buffer.from(this.#mark(`${at}.${nonce}`));
    const given = Buffer.from(mark);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false;
    return Number.parseInt(at, 36) > now && !this.#used.has(challenge);
  }

  #mark(text: string): string {
    return createHmac("sha256", this.#secret).update(text).digest("base64url");
  }
}

/** The text that a page signs. It contains the origin, so that a signature for one page is invalid for another. */
export function signedText({
  keyId,
  challenge,
  origin,
}: Omit<SignedChallenge, "signature">): string {
  return `landline access\n${origin}\n${keyId}\n${challenge}`;
}

function isSigned(signed: SignedChallenge, publicKey: string): boolean {
  try {
    const key = publicKeyOf(publicKey);
    const signature = Buffer.from(signed.signature, "base64url");
    const data = Buffer.from(signedText(signed));
    return verify("sha256", data, { key, dsaEncoding: "ieee-p1363" }, signature);
  } catch {
    return false;
  }
}

/** Throws unless it is a P-256 key: SubjectPublicKeyInfo in base64url. */
export function publicKeyOf(text: string) {
  const key = createPublicKey({
    key: Buffer.from(text, "base64url"),
    format: "der",
    type: "spki",
  });
  if (key.asymmetricKeyDetails?.namedCurve !== "prime256v1") throw new Error("another curve");
  return key;
}
