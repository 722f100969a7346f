import { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { LandlineError, type Role } from "@landline/protocol";
import type { Addresses } from "./address.ts";
import { cookieOf } from "./cookie.ts";
import type { Services } from "./services.ts";
import type { DeviceKeys } from "./device-keys.ts";
import type { UnauthenticatedConnections } from "./unauthenticated-connections.ts";
import type { Tickets } from "./tickets.ts";
import { commandLine, type TokenSummary } from "./tokens.ts";
import { WrongTokens } from "./wrong-tokens.ts";

/** The authenticated caller. */
export interface Principal {
  /** `by` in events. */
  readonly clientId: string;
  readonly tokenId: string;
  readonly role: Role;
  /** The one session that its token is limited to. */
  readonly onlySession?: string;
}

export interface Auth {
  /**
   * Checks host, origin and token. Throws `forbidden` for host or origin, `unauthorized` for the token, and
   * `rate-limited` after too many wrong tokens from one address.
   */
  authenticate(request: IncomingMessage | Request, socket?: Socket): Promise<Principal>;
  /** Like `authenticate`, for the registration of a key. Only there is the cookie of an earlier version accepted. */
  authenticateOnce(request: IncomingMessage | Request, socket?: Socket): Promise<Principal>;
  /** Responds as to a wrong token. */
  refuse(socket?: Socket): Promise<never>;
  /** Checks only host and origin, for routes that return no data. */
  checkAddress(request: IncomingMessage | Request, socket?: Socket): void;
}

export interface AuthParts {
  readonly addresses: Addresses;
  readonly unauthenticated: Pick<UnauthenticatedConnections, "authenticated">;
  readonly deviceKeys: Pick<DeviceKeys, "find" | "isAccessToken">;
  readonly tickets: Pick<Tickets, "take">;
  /** Reports whether the request came through the local socket of the command line. */
  readonly isLocal: (socket: Socket) => boolean;
}

export function createAuth(
  services: Pick<Services, "tokens" | "address" | "limits" | "logger" | "metrics">,
  { addresses, unauthenticated, deviceKeys, tickets, isLocal }: AuthParts,
): Auth {
  const socketPath = `${services.address.basePath}/ws`;
  const wrongTokens = new WrongTokens(services);
  const admit = async (token: string, socket?: Socket): Promise<Principal> => {
    const isAccess = deviceKeys.isAccessToken(token);
    const found = isAccess ? deviceKeys.find(token) : services.tokens.find(token);
    // An expired access token is not a guess: the page signs in again with its key.
    if (!found && isAccess) throw new LandlineError("unauthorized");
    if (!found) return wrongTokens.refuse(socket?.remoteAddress);
    if (socket) unauthenticated.authenticated(socket);
    return principalOf(found);
  };
  // The token may have been revoked after the ticket was issued.
  const isValid = ({ tokenId }: Principal) =>
    tokenId === commandLine.id || services.tokens.list().some(({ id }) => id === tokenId);
  const useTicket = (ticket: string, sent: SentRequest, socket?: Socket): Promise<Principal> => {
    const { pathname, searchParams } = sent.url;
    searchParams.delete("ticket");
    const query = searchParams.size === 0 ? "" : `?${searchParams.toString()}`;
    const address = pathname.slice(services.address.basePath.length) + query;
    const found = tickets.take(ticket, address);
    if (!found || !isValid(found)) return wrongTokens.refuse(socket?.remoteAddress);
    if (socket) unauthenticated.authenticated(socket);
    return Promise.resolve(found);
  };
  return {
    authenticate: async (request, socket) => {
      if (socket && isLocal(socket)) return principalOf(commandLine);
      const sent = readRequest(request);
      checkPlace(sent, addresses, false);
      const ticket = sent.method === "GET" ? sent.url.searchParams.get("ticket") : null;
      if (ticket !== null) return useTicket(ticket, sent, socket);
      const token = tokenOf(sent, socketPath);
      if (token === null) throw new LandlineError("unauthorized");
      return admit(token, socket);
    },
    authenticateOnce: async (request, socket) => {
      const sent = readRequest(request);
      const token = tokenOf(sent, socketPath);
      const cookie = token === null ? cookieOf(sent.header("cookie"), sent.host) : null;
      checkPlace(sent, addresses, cookie !== null);
      if (token === null && cookie === null) throw new LandlineError("unauthorized");
      return admit(token ?? cookie ?? "", socket);
    },
    refuse: (socket) => wrongTokens.refuse(socket?.remoteAddress),
    checkAddress: (request, socket) =>
      socket && isLocal(socket) ? undefined : checkPlace(readRequest(request), addresses, false),
  };
}

function principalOf({ id, role, session }: TokenSummary): Principal {
  const limit = session === undefined ? {} : { onlySession: session };
  return { clientId: id, tokenId: id, role, ...limit };
}

/** The checked parts of a request, for both request types. */
interface SentRequest {
  readonly method: string;
  readonly url: URL;
  readonly host: string | null;
  header(name: string): string | null;
}

function readRequest(request: IncomingMessage | Request): SentRequest {
  if (!(request instanceof IncomingMessage)) {
    const url = new URL(request.url);
    const header = (name: string) => request.headers.get(name);
    // Without a socket there is no Host header; use the host of the request URL.
    const host = header("host") ?? url.host;
    return { method: request.method, url, host, header };
  }
  const header = (name: string) => {
    const value = request.headers[name];
    return typeof value === "string" ? value : null;
  };
  const url = URL.parse(request.url ?? "/", "http://gateway.invalid");
  if (!url) throw new LandlineError("invalid-request", { message: "The URL is not valid." });
  const { host = null } = request.headers;
  return { method: request.method ?? "GET", url, host, header };
}

/** Only the first token found counts: a second one does not make up for a wrong one. */
function tokenOf(sent: SentRequest, socketPath: string): string | null {
  const authorization = sent.header("authorization");
  if (authorization !== null) return /^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? null;
  const offered = offeredToken(sent.header("sec-websocket-protocol"));
  if (offered !== null) return offered;
  return sent.url.pathname === socketPath ? sent.url.searchParams.get("token") : null;
}

/** `token.<token>`, offered next to the subprotocol. */
function offeredToken(protocols: string | null): string | null {
  for (const protocol of protocols?.split(",") ?? []) {
    const name = protocol.trim();
    if (name.startsWith("token.")) return name.slice("token.".length);
  }
  return null;
}

/** Browsers add cookies automatically, so only the gateway's own page may use one. */
function checkPlace(sent: SentRequest, addresses: Addresses, isByCookie: boolean): void {
  addresses.checkHost(sent.host);
  const origin = sent.header("origin");
  if (origin !== null) addresses.checkOrigin(origin, sent.host ?? "", isByCookie);
  if (isByCookie && origin === null && sent.header("sec-fetch-site") !== "same-origin") {
    throw new LandlineError("forbidden", {
      message: "Only the gateway's own page may authenticate with a cookie.",
      help: "Send the token as `Authorization: Bearer …`.",
    });
  }
}
