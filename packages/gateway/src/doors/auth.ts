import { IncomingMessage } from "node:http";
import { LandlineError } from "@landline/protocol";
import type { Addresses } from "./address.ts";
import { cookieOf } from "./cookie.ts";
import type { Services } from "./services.ts";
import type { TokenSummary } from "./tokens.ts";

/** Who is asking. */
export interface Principal {
  /** Stands as `by` in the log. */
  readonly clientId: string;
  readonly tokenId: string;
  readonly role: "control" | "watch";
}

export interface Auth {
  /** Checks host, origin and token. Throws `forbidden` for the first two and `unauthorized` for the third. */
  authenticate(request: IncomingMessage | Request): Principal;
  /** Host and origin alone: for what holds no data. */
  checkAddress(request: IncomingMessage | Request): void;
}

export function createAuth(
  services: Pick<Services, "tokens" | "address">,
  addresses: Addresses,
): Auth {
  const socketPath = `${services.address.basePath}/ws`;
  return {
    authenticate: (request) => {
      const sent = readRequest(request);
      const credential = credentialOf(sent, socketPath);
      checkPlace(sent, addresses, credential?.isAmbient ?? false);
      const token = credential && services.tokens.find(credential.token);
      if (!token) throw new LandlineError("unauthorized");
      return principalOf(token);
    },
    checkAddress: (request) => checkPlace(readRequest(request), addresses, false),
  };
}

/** Throws `forbidden` for a token that may only watch. */
export function requireControl({ role }: Principal): void {
  if (role === "control") return;
  throw new LandlineError("forbidden", { message: "This token may watch, and not act." });
}

function principalOf({ id, role }: TokenSummary): Principal {
  return { clientId: id, tokenId: id, role };
}

/** What is looked at of a request, whichever kind of object it came as. */
interface SentRequest {
  readonly method: string;
  readonly url: URL;
  readonly host: string | null;
  readonly isUpgrade: boolean;
  header(name: string): string | null;
}

function readRequest(request: IncomingMessage | Request): SentRequest {
  if (!(request instanceof IncomingMessage)) {
    const url = new URL(request.url);
    const header = (name: string) => request.headers.get(name);
    // Without a socket there is no Host header: the address of the request says the same.
    const host = header("host") ?? url.host;
    return { method: request.method, url, host, isUpgrade: false, header };
  }
  const header = (name: string) => {
    const value = request.headers[name];
    return typeof value === "string" ? value : null;
  };
  const url = URL.parse(request.url ?? "/", "http://gateway.invalid");
  if (!url) throw new LandlineError("invalid-request", { message: "The address can't be read." });
  const { host = null } = request.headers;
  const isUpgrade = header("upgrade") !== null;
  return { method: request.method ?? "GET", url, host, isUpgrade, header };
}

interface Credential {
  readonly token: string;
  /** Added by the browser itself, so that it proves nothing about who asked. */
  readonly isAmbient: boolean;
}

/** The first that is there counts: a wrong token is not made good by a cookie. */
function credentialOf(sent: SentRequest, socketPath: string): Credential | null {
  const authorization = sent.header("authorization");
  if (authorization !== null) {
    const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
    return token === undefined ? null : { token, isAmbient: false };
  }
  const offered = offeredToken(sent.header("sec-websocket-protocol"));
  if (offered !== null) return { token: offered, isAmbient: false };
  const asked = sent.url.pathname === socketPath ? sent.url.searchParams.get("token") : null;
  if (asked !== null) return { token: asked, isAmbient: false };
  const cookie = cookieOf(sent.header("cookie"), sent.host);
  return cookie === null ? null : { token: cookie, isAmbient: true };
}

/** `token.<token>`, offered beside the subprotocol that is spoken. */
function offeredToken(protocols: string | null): string | null {
  for (const protocol of protocols?.split(",") ?? []) {
    const name = protocol.trim();
    if (name.startsWith("token.")) return name.slice("token.".length);
  }
  return null;
}

const safeMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

function checkPlace(sent: SentRequest, addresses: Addresses, isAmbient: boolean): void {
  addresses.checkHost(sent.host);
  const origin = sent.header("origin");
  if (origin !== null) addresses.checkOrigin(origin, sent.host ?? "", isAmbient);
  if (!isAmbient || origin !== null) return;
  const site = sent.header("sec-fetch-site");
  const acts = sent.isUpgrade || !safeMethods.has(sent.method);
  // Another page on this machine counts as the same site, and gets the cookie sent along.
  const isForeign = site !== null && site !== "same-origin" && site !== "none";
  const isVisit = sent.header("sec-fetch-mode") === "navigate" && !acts;
  if ((acts && site !== "same-origin") || (isForeign && !isVisit)) {
    throw new LandlineError("forbidden", {
      message: "With a cookie, only our own page may do that.",
      help: "Send the token as `Authorization: Bearer …`.",
    });
  }
}
