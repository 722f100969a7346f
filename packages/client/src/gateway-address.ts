import { LandlineError } from "@landline/protocol";
import type { LandlineOptions } from "./contract.ts";

/** Where the gateway is and how it is told who we are. The token never stands in an address. */
export interface GatewayAddress {
  /** Names the gateway: what is kept in the browser is kept under it. */
  readonly key: string;
  readonly token: string | null;
  readonly socketUrl: string;
  httpUrl(path: string, query?: Query): string;
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * Takes what people have at hand: the address that `landline serve` prints, with its token, and the
 * address of the socket.
 */
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

/** Behind the `#`, as links have it; in the query, as those of earlier versions had it. */
function linkToken({ hash, searchParams }: URL): string | null {
  const found = /[#?&]token=([^&]+)/.exec(hash)?.[1];
  return found === undefined ? searchParams.get("token") : decodeURIComponent(found);
}

function baseOf(url: string | URL): URL {
  const base = URL.parse(String(url));
  if (!base || !/^(?:http|ws)s?:$/.test(base.protocol)) {
    throw new LandlineError("invalid-params", {
      message: "The url of the gateway is no http address.",
      help: "Give the address that `landline serve` prints.",
      data: { field: "url" },
    });
  }
  // The scheme of a URL object can't be set from ws to http in every runtime.
  const http = new URL(base.href.replace(/^ws/, "http"));
  http.pathname = http.pathname.replace(/\/ws$/, "/");
  if (!http.pathname.endsWith("/")) http.pathname += "/";
  return http;
}

/** The folder of the page: what it asks for stands beside it. */
function pageUrl(): string {
  const page = globalThis.document?.baseURI;
  if (page === undefined) {
    throw new LandlineError("invalid-params", {
      message: "There is no page here, so the url of the gateway is needed.",
      help: "Give url, the address that `landline serve` prints.",
      data: { field: "url" },
    });
  }
  const folder = new URL(".", page);
  return folder.href;
}
