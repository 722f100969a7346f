import { BlockList, isIP } from "node:net";

/**
 * Addresses that are not of the public internet: this machine, the network that it is in, the services of the
 * cloud that it runs in.
 */
const privateAddresses = new BlockList();
for (const [network, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 3],
] as const) {
  privateAddresses.addSubnet(network, bits, "ipv4");
}
for (const [network, bits] of [
  ["::", 96],
  ["64:ff9b::", 32],
  ["100::", 64],
  ["2002::", 16],
  ["fc00::", 7],
  ["fe80::", 10],
  ["fec0::", 10],
  ["ff00::", 8],
] as const) {
  privateAddresses.addSubnet(network, bits, "ipv6");
}

/** Also true for what is no address at all. IPv4 inside of IPv6 counts as what it is. */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 0) return true;
  return privateAddresses.check(address, family === 6 ? "ipv6" : "ipv4");
}

/** Whether a name by itself says that it is not of the public internet. */
export function isPrivateName(hostname: string): boolean {
  const name = hostname.replace(/\.$/, "").toLowerCase();
  if (isIP(bareAddress(name)) !== 0) return isPrivateAddress(bareAddress(name));
  return !name.includes(".") || /\.(?:localhost|local|internal|lan|home|intranet)$/.test(name);
}

/** `[::1]` is `::1` to everything but an URL. */
export function bareAddress(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, "$1");
}
