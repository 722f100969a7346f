import { networkInterfaces } from "node:os";

/** The link to the page. Browsers do not send the part after `#`, so the token appears in no log. */
export function pageUrl(url: string, token: string): string {
  return `${url}/#token=${encodeURIComponent(token)}`;
}

/** A gateway bound to all addresses is reachable at each address of the machine; otherwise at its own. */
export function reachableUrls(url: string, interfaces = networkInterfaces()): string[] {
  const { hostname } = new URL(url);
  if (hostname !== "0.0.0.0" && hostname !== "[::]") return [url];
  return Object.values(interfaces)
    .flatMap((addresses) => addresses ?? [])
    .filter(({ family }) => family === "IPv4")
    .map(({ address }) => url.replace(hostname, address));
}
