import { BlockList, isIP } from "node:net";
import { networkInterfaces } from "node:os";

/** IPv4 networks that are not on the internet, from the IANA registry. */
const private4: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];

/** Exceptions inside 2000::/3, the range of the internet: documentation, and tunnels that end at any IPv4 address. */
const private6: readonly (readonly [string, number])[] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
];

const notPublic = new BlockList();
for (const [network, bits] of private4) notPublic.addSubnet(network, bits, "ipv4");
for (const [network, bits] of private6) notPublic.addSubnet(network, bits, "ipv6");

const internet6 = new BlockList();
internet6.addSubnet("2000::", 3, "ipv6");

/** IPv4 addresses in IPv6 form: mapped, and translated (NAT64). Some networks have only the latter. */
const embedding = new BlockList();
embedding.addSubnet("::ffff:0:0", 96, "ipv6");
embedding.addSubnet("64:ff9b::", 96, "ipv6");

/**
 * Whether an address is on the internet: not this machine, its network, or a special range. False for text that is not
 * an address.
 */
export function isPublicAddress(text: string, interfaces = networkInterfaces()): boolean {
  const [address = ""] = text.split("%");
  const family = isIP(address);
  const own = ownNetworks(interfaces);
  const isPublic4 = (one: string) => !notPublic.check(one, "ipv4") && !own.check(one, "ipv4");
  if (family !== 6) return family === 4 && isPublic4(address);
  if (embedding.check(address, "ipv6")) return isPublic4(embeddedAddress(address));
  const isOwn = notPublic.check(address, "ipv6") || own.check(address, "ipv6");
  return internet6.check(address, "ipv6") && !isOwn;
}

/** The network of one site is not larger. */
const networkBitsMin = 48;

/**
 * Machines also have internet addresses. With IPv6, so do the other devices in their network, such as a router or a
 * printer.
 */
function ownNetworks(interfaces: ReturnType<typeof networkInterfaces>): BlockList {
  const own = new BlockList();
  for (const { address, family, cidr } of Object.values(interfaces).flatMap((some) => some ?? [])) {
    const bits = Math.max(networkBitsMin, Number(cidr?.split("/")[1] ?? 128));
    if (family === "IPv4") own.addAddress(address, "ipv4");
    else own.addSubnet(address, bits, "ipv6");
  }
  return own;
}

/** The last 32 bits. */
function embeddedAddress(address: string): string {
  const hostname = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [high = 0, low = 0] = hostname
    .replace(/::$/, "::0:0")
    .split(":")
    .slice(-2)
    .map((group) => Number.parseInt(group || "0", 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}
