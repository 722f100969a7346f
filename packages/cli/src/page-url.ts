import { networkInterfaces } from "node:os";

/** The address of the page, with the token that it trades for a cookie. */
export function pageUrl(url: string, token: string): string {
  return `${url}/?token=${encodeURIComponent(token)}`;
}

/** Bound to every address, it is reached by each that the machine has; otherwise by its own. */
export function reachableUrls(url: string, interfaces = networkInterfaces()): string[] {
  const { hostname } = new URL(url);
  if (hostname !== "0.0.0.0" && hostname !== "[::]") return [url];
  return Object.values(interfaces)
    .flatMap((addresses) => addresses ?? [])
    .filter(({ family }) => family === "IPv4")
    .map(({ address }) => url.replace(hostname, address));
}
