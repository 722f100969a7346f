/**
 * What the service worker does with a request. `page`: the network first, then what was kept. `asset`: what
 * was kept first, since its name changes with its content. `leave`: it goes its way as if there were no worker,
 * which is so for everything that is data: the API, the socket, how a page comes in.
 */
export type FetchStrategy = "page" | "asset" | "leave";

export interface FetchedRequest {
  readonly method: string;
  readonly mode: string;
  readonly url: string;
}

export function fetchStrategy({ method, mode, url }: FetchedRequest, scope: string): FetchStrategy {
  const asked = new URL(url);
  const { origin, pathname } = new URL(scope);
  if (method !== "GET" || asked.origin !== origin) return "leave";
  if (mode === "navigate") {
    return asked.pathname === pathname && asked.search === "" ? "page" : "leave";
  }
  return asked.pathname.startsWith(`${pathname}assets/`) ? "asset" : "leave";
}
