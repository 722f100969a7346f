/**
 * How the service worker handles a request. `page`: network first, then cache. `asset`: cache first, because the
 * name contains a hash. `leave`: not handled, which includes all data (API, WebSocket, sign-in).
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
