import type { Socket } from "node:net";
import type { HttpBindings } from "@hono/node-server";
import type { Context, Hono } from "hono";
import type { Addresses } from "./address.ts";
import type { Auth, Principal } from "./auth.ts";
import type { DeviceKeys } from "./device-keys.ts";
import type { EventStreams } from "./events.ts";
import type { Rates } from "./rates.ts";
import type { ResponseSlots } from "./response-slots.ts";
import { requestSocket } from "./secure-server.ts";
import type { Services } from "./services.ts";
import type { Sockets } from "./socket.ts";
import type { Tickets } from "./tickets.ts";

/** Dependencies of every HTTP route. */
export interface ServerContext extends PageContext {
  readonly services: Services;
  readonly auth: Auth;
  readonly deviceKeys: DeviceKeys;
  readonly tickets: Tickets;
  readonly rates: Rates;
  readonly streams: EventStreams;
  /** ACP connections over HTTP are among the clients of sockets. */
  readonly sockets: Pick<Sockets, "server">;
  /** Limits the views, pages of events and long texts being sent. */
  readonly views: ResponseSlots;
  readonly exports: ResponseSlots;
  /** Aborted when the server closes, to end long polls and exports. */
  readonly closing: AbortSignal;
}

/** Dependencies of the routes of the page. */
export interface PageContext {
  readonly services: Pick<Services, "address" | "limits">;
  readonly addresses: Addresses;
  /** The builds of the page that existed when the gateway started, newest first. */
  readonly pages: readonly string[];
}

export interface ServerEnvironment {
  Bindings: Partial<HttpBindings>;
  Variables: {
    principal: Principal;
    /** For the request log: the opened session and the error of the response. */
    sessionId?: string;
    errorCode?: string;
  };
}

/** The connection's Node objects; absent when a test calls the app without a socket. */
export function connectionOf(request: ServerRequest): Partial<HttpBindings> {
  return request.env ?? {};
}

export function socketOf(request: ServerRequest): Socket | undefined {
  const { incoming } = connectionOf(request);
  return incoming && requestSocket(incoming);
}

export type ServerApp = Hono<ServerEnvironment>;
export type ServerRequest = Context<ServerEnvironment>;
