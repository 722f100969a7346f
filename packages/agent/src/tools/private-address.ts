import { isIP } from "node:net";
import { isPublicAddress } from "@landline/sandbox/public-address";

/** Whether a host name is evidently not on the public internet. */
export function isPrivateName(hostname: string): boolean {
  const name = hostname.replace(/\.$/, "").toLowerCase();
  if (isIP(bareAddress(name)) !== 0) return !isPublicAddress(bareAddress(name));
  return !name.includes(".") || /\.(?:localhost|local|internal|lan|home|intranet)$/.test(name);
}

/** Removes the brackets of an IPv6 address in a URL. */
export function bareAddress(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, "$1");
}
