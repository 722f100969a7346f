import { isIP } from "node:net";
import { isPublicAddress } from "@landline/sandbox/public-address";

/** Whether a name by itself says that it is not of the public internet. */
export function isPrivateName(hostname: string): boolean {
  const name = hostname.replace(/\.$/, "").toLowerCase();
  if (isIP(bareAddress(name)) !== 0) return !isPublicAddress(bareAddress(name));
  return !name.includes(".") || /\.(?:localhost|local|internal|lan|home|intranet)$/.test(name);
}

/** `[::1]` is `::1` to everything but an URL. */
export function bareAddress(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, "$1");
}
