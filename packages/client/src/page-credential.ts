import type { Credential } from "./credential.ts";
import type { GatewayAddress } from "./gateway-address.ts";
import { refusalOf, unreachableError } from "./http-refusal.ts";
import { KeyStorage, type KeptKey } from "./key-storage.ts";
import { isRecord } from "@landline/protocol";

interface Access {
  readonly token: string;
  readonly expiresAt: number;
}

/** A token is renewed this long before it expires. */
const spareMs = 30_000;

/**
 * Authenticates a page that the gateway serves. On the first visit, the page registers a key with the token in the
 * fragment of its link. Afterwards it signs a challenge with the key and gets a short-lived token, kept in memory.
 * Nothing is sent to another origin or port.
 */
export class PageCredential implements Credential {
  readonly #address: GatewayAddress;
  readonly #keys: KeyStorage;
  #link: string | null;
  #access: Access | null = null;
  #renewing: Promise<string | null> | null = null;
  /** Whether the exchange of an earlier version's cookie was tried. */
  #hasTraded = false;

  constructor(address: GatewayAddress, link: string | null) {
    this.#address = address;
    this.#keys = new KeyStorage(address.key);
    this.#link = link;
  }

  token(): string | null | Promise<string | null> {
    const access = this.#access;
    if (access && access.expiresAt > Date.now() + spareMs) return access.token;
    this.#renewing ??= this.#renew().finally(() => (this.#renewing = null));
    return this.#renewing;
  }

  refused(token: string | null): boolean {
    // Another request may have renewed the token already.
    if (this.#access && this.#access.token !== token) return true;
    const hadAccess = this.#access !== null;
    this.#access = null;
    return hadAccess;
  }

  doubt(): void {
    this.#access = null;
  }

  async #renew(): Promise<string | null> {
    const key = (await this.#registered()) ?? (await this.#tradedCookie());
    if (!key) return null;
    if ("secret" in key) return key.secret;
    this.#access = await this.#signIn(key.keyId, key.privateKey);
    return this.#access?.token ?? null;
  }

  /** The key of this page. Creates one if there is a link to register it with. */
  async #registered(): Promise<KeptKey | null> {
    const kept = await this.#keys.get();
    if (this.#link === null) return kept;
    const made = await this.#register(this.#link, kept);
    // An invalid link does not remove an existing key.
    this.#link = null;
    forgetLink(this.#address.key);
    return made ?? kept;
  }

  async #tradedCookie(): Promise<KeptKey | null> {
    if (this.#hasTraded) return null;
    this.#hasTraded = true;
    return this.#register(null, null);
  }

  async #register(link: string | null, kept: KeptKey | null): Promise<KeptKey | null> {
    // Browsers have `crypto.subtle` in secure contexts only.
    const pair = globalThis.crypto?.subtle
      ? await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, false, ["sign"])
      : null;
    const body = {
      ...(kept ? { keyId: kept.keyId } : {}),
      ...(pair ? { publicKey: await publicKeyOf(pair) } : {}),
    };
    const headers = link === null ? {} : { authorization: `Bearer ${link}` };
    const answer = await this.#post("access/keys", body, headers);
    const { keyId, secret } = answer ?? {};
    if (typeof keyId !== "string") return null;
    if (kept?.keyId === keyId) return kept;
    const made =
      pair && secret === undefined
        ? { keyId, privateKey: pair.privateKey }
        : { keyId, secret: String(secret) };
    await this.#keys.put(made);
    return made;
  }

  async #signIn(keyId: string, privateKey: CryptoKey): Promise<Access | null> {
    const { challenge } = (await this.#post("access/challenge", {})) ?? {};
    if (typeof challenge !== "string") return null;
    const { origin } = new URL(this.#address.key);
    const text = new TextEncoder().encode(`landline access\n${origin}\n${keyId}\n${challenge}`);
    const algorithm = { name: "ECDSA", hash: "SHA-256" };
    const signature = base64url(await crypto.subtle.sign(algorithm, privateKey, text));
    const answer = await this.#post("access/token", { keyId, challenge, origin, signature });
    const { token, expiresInMs } = answer ?? {};
    if (typeof token !== "string" || typeof expiresInMs !== "number") return null;
    return { token, expiresAt: Date.now() + expiresInMs };
  }

  /** Null when the gateway refuses. */
  async #post(
    path: string,
    body: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Readonly<Record<string, unknown>> | null> {
    const response = await fetch(this.#address.httpUrl(path), {
      method: "POST",
      cache: "no-store",
      headers: { ...headers, "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify(body),
    }).catch((error: unknown) => {
      throw unreachableError(error);
    });
    if (response.status === 401 || response.status === 403) return null;
    if (!response.ok) throw await refusalOf(response);
    const answer: unknown = await response.json();
    return isRecord(answer) ? answer : null;
  }
}

const linkKey = (gateway: string) => `landline-link ${gateway}`;

/**
 * Takes the token out of the fragment of the page's address, so that it does not stay in the history. Session storage
 * keeps it until the page is registered, so that a reload does not lose it.
 */
export function takeLink({ key }: GatewayAddress): string | null {
  const { location, history } = globalThis;
  const found = location === undefined ? null : /[#?&]token=([^&]+)/.exec(location.hash);
  if (!found?.[1]) return keptLink(key);
  const rest = location.hash.replace(found[0], "");
  history.replaceState(history.state, "", location.pathname + location.search + rest);
  const token = decodeURIComponent(found[1]);
  try {
    sessionStorage.setItem(linkKey(key), token);
  } catch {
    // Storage is not available; a reload loses the token.
  }
  return token;
}

function keptLink(key: string): string | null {
  try {
    return sessionStorage.getItem(linkKey(key));
  } catch {
    return null;
  }
}

function forgetLink(key: string): void {
  try {
    sessionStorage.removeItem(linkKey(key));
  } catch {
    // Storage is not available.
  }
}

async function publicKeyOf(pair: CryptoKeyPair): Promise<string> {
  return base64url(await crypto.subtle.exportKey("spki", pair.publicKey));
}

function base64url(bytes: ArrayBuffer): string {
  const text = btoa(String.fromCodePoint(...new Uint8Array(bytes)));
  return text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}
