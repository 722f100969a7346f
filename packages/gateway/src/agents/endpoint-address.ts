import { LandlineError } from "@landline/protocol";
import { isLoopbackHost } from "@landline/system/loopback";

/** Where an agent that is already running is reached. */
export type EndpointAddress =
  | { readonly kind: "tcp"; readonly host: string; readonly port: number }
  | { readonly kind: "web-socket" | "http"; readonly url: string };

export const endpointForms =
  "tcp://host:port, ws://host/path, wss://host/path, https://host/path, or http:// on loopback";

/** Null if it is not the address of an agent. Secrets do not belong into it: it is shown in lists and errors. */
export function endpointAddress(endpoint: string): EndpointAddress | null {
  const url = URL.parse(endpoint);
  if (!url || url.hostname === "" || `${url.username}${url.password}${url.hash}` !== "")
    return null;
  switch (url.protocol) {
    case "tcp:": {
      const port = Number(url.port);
      if (!(port > 0) || !["", "/"].includes(url.pathname) || url.search !== "") return null;
      return { kind: "tcp", host: url.hostname.replace(/^\[|\]$/g, ""), port };
    }
    case "ws:":
    case "wss:":
      return { kind: "web-socket", url: url.href };
    case "http:":
      return isLoopbackHost(url.hostname) ? { kind: "http", url: url.href } : null;
    case "https:":
      return { kind: "http", url: url.href };
    default:
      return null;
  }
}

/** Throws `invalid-params`. */
export function readEndpoint(endpoint: string): EndpointAddress {
  const address = endpointAddress(endpoint);
  if (address) return address;
  throw new LandlineError("invalid-params", {
    message: `"${endpoint.slice(0, 200)}" is not the address of an agent.`,
    help: `Write it as ${endpointForms}.`,
  });
}

/** The environment variable for the token of an agent at an address: LANDLINE_AGENT_TOKEN_ and its id. */
export function tokenVariable(agentId: string): string {
  return `LANDLINE_AGENT_TOKEN_${agentId.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}`;
}
