import { networkInterfaces } from "node:os";

/** The link to the page. Browsers do not send what is behind the `#`: it is in no log on the way. */
export function pageUrl(url: string, token: string): string {
  return `${url}/#token=${encodeURIComponent(token)}`;
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
