import type { Socket } from "node:net";
import type { HttpBindings } from "@hono/node-server";
import type { Context, Hono } from "hono";
import type { Addresses } from "./address.ts";
import type { Auth, Principal } from "./auth.ts";
import type { DeviceKeys } from "./device-keys.ts";
import type { EventStreams } from "./events.ts";
import type { Rates } from "./rates.ts";
import type { Slots } from "./slots.ts";
import type { Services } from "./services.ts";
import type { Tickets } from "./tickets.ts";

/** What every HTTP route can use. */
export interface ServerContext extends PageContext {
  readonly services: Services;
  readonly auth: Auth;
  readonly deviceKeys: DeviceKeys;
  readonly tickets: Tickets;
  readonly rates: Rates;
  readonly streams: EventStreams;
  /** Views, pages of events and long texts that are being sent. */
  readonly views: Slots;
  readonly exports: Slots;
  /** Aborted when the server closes, to end long polls and exports. */
  readonly closing: AbortSignal;
}

/** What the routes of the page use. */
export interface PageContext {
  readonly services: Pick<Services, "address" | "limits">;
  readonly addresses: Addresses;
  /** The builds of the page, the newest first: those that were there when the gateway started. */
  readonly pages: readonly string[];
}

export interface ServerEnvironment {
  Bindings: Partial<HttpBindings>;
  Variables: {
    principal: Principal;
    /** The session that was opened, and the error that was answered: for the log of requests. */
    sessionId?: string;
    errorCode?: string;
  };
}

/** The objects of the connection; none where a test asks the app without a socket. */
export function connectionOf(request: ServerRequest): Partial<HttpBindings> {
  return request.env ?? {};
}

export function socketOf(request: ServerRequest): Socket | undefined {
  return connectionOf(request).incoming?.socket;
}

export type ServerApp = Hono<ServerEnvironment>;
export type ServerRequest = Context<ServerEnvironment>;
