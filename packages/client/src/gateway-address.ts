import { LandlineError } from "@landline/protocol";
import type { LandlineOptions } from "./contract.ts";

/** The URLs of the gateway and its token. The token is never part of a URL. */
export interface GatewayAddress {
  /** The prefix of this gateway's keys in browser storage. */
  readonly key: string;
  readonly token: string | null;
  readonly socketUrl: string;
  httpUrl(path: string, query?: Query): string;
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** Accepts the address that `landline serve` prints, with its token, or the address of the WebSocket. */
export function gatewayAddress({ url, token }: LandlineOptions): GatewayAddress {
  const base = baseOf(url ?? pageUrl());
  const given = token ?? linkToken(base);
  base.search = "";
  base.hash = "";
  const socket = new URL("ws", base);
  socket.protocol = base.protocol === "https:" ? "wss:" : "ws:";
  return {
    key: base.href,
    token: given,
    socketUrl: socket.href,
    httpUrl: (path, query = {}) => {
      const address = new URL(path, base);
      for (const [name, value] of Object.entries(query)) {
        if (value !== undefined) address.searchParams.set(name, String(value));
      }
      return address.href;
    },
  };
}

/** The token in the fragment of a link, or in the query of a link of an earlier version. */
function linkToken({ hash, searchParams }: URL): string | null {
  const found = /[#?&]token=([^&]+)/.exec(hash)?.[1];
  return found === undefined ? searchParams.get("token") : decodeURIComponent(found);
}

function baseOf(url: string | URL): URL {
  const base = URL.parse(String(url));
  if (!base || !/^(?:http|ws)s?:$/.test(base.protocol)) {
    throw new LandlineError("invalid-params", {
      message: "The url of the gateway is not an http address.",
      help: "Give the address that `landline serve` prints.",
      data: { field: "url" },
    });
  }
  // Not every runtime can change the scheme of a URL object from ws to http.
  const http = new URL(base.href.replace(/^ws/, "http"));
  http.pathname = http.pathname.replace(/\/ws$/, "/");
  if (!http.pathname.endsWith("/")) http.pathname += "/";
  return http;
}

/** The folder of the page's URL, which is the base of the API. */
function pageUrl(): string {
  const page = globalThis.document?.baseURI;
  if (page === undefined) {
    throw new LandlineError("invalid-params", {
      message: "The url of the gateway is required outside a browser page.",
      help: "Give url, the address that `landline serve` prints.",
      data: { field: "url" },
    });
  }
  const folder = new URL(".", page);
  return folder.href;
}
