import { isIP, isIPv4, isIPv6 } from "node:net";
import type { SandboxNetwork } from "./policy.ts";

/** A host and a port that a program wants to reach. IPv6 addresses have no brackets. */
export interface Target {
  readonly host: string;
  readonly port: number;
}

/** An entry of a host list: "example.com", "*.example.com" (subdomains only), "localhost:3000", "[::1]:80". */
export interface HostPattern {
  readonly host: string;
  /** Null: any port. */
  readonly port: number | null;
  readonly isWildcard: boolean;
}

const portMax = 65_535;
const nameLengthMax = 253;
const authority = /^(?<host>\[[^\]]*\]|[^:[\]]*)(?::(?<port>\d{1,5}))?$/;

export function isHostPattern(text: string): boolean {
  return parseHostPattern(text) !== null;
}

/** Null: the text is not a host pattern. */
export function parseHostPattern(text: string): HostPattern | null {
  if (isIPv6(text)) return parseHostPattern(`[${text}]`);
  const isWildcard = text.startsWith("*.");
  const split = splitAuthority(isWildcard ? text.slice(2) : text);
  const host = split === null ? null : canonicalHost(split.host);
  if (split === null || host === null || (isWildcard && isIP(host) !== 0)) return null;
  return { host, port: split.port, isWildcard };
}

/** Parses "host:port" of a request, which is ASCII. Null: the text is invalid. */
export function parseTarget(text: string, defaultPort: number | null): Target | null {
  const split = /^[\x21-\x7e]+$/.test(text) ? splitAuthority(text) : null;
  const host = split === null ? null : canonicalHost(split.host);
  const port = split?.port ?? defaultPort;
  return host === null || port === null ? null : { host, port };
}

export function formatTarget({ host, port }: Target): string {
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** A port of null matches every port. */
export function matches(
  pattern: HostPattern,
  { host, port }: Pick<HostPattern, "host" | "port">,
): boolean {
  if (pattern.port !== null && pattern.port !== port) return false;
  return pattern.isWildcard ? host.endsWith(`.${pattern.host}`) : host === pattern.host;
}

/** Whether a program can reach a host ("example.com", "example.com:443"). */
export function isOpenTo(network: SandboxNetwork, host: string): boolean {
  if (typeof network === "string") return network === "on";
  const wanted = parseHostPattern(host);
  if (wanted === null || wanted.isWildcard) return false;
  return network.some((text) => {
    const pattern = parseHostPattern(text);
    return pattern !== null && matches(pattern, wanted);
  });
}

/** The network with these hosts added. */
export function withHosts(network: SandboxNetwork, hosts: readonly string[]): SandboxNetwork {
  if (network === "on" || hosts.length === 0) return network;
  return [...new Set([...(network === "off" ? [] : network), ...hosts])];
}

/** Whether the entry allows private addresses: one host with a port, or localhost, or an IP address. */
export function allowsPrivateAddress({ host, port, isWildcard }: HostPattern): boolean {
  return !isWildcard && (port !== null || host === "localhost" || isIP(host) !== 0);
}

/**
 * The entry that allows a requested host. A name does not allow private addresses. Null: the text is not a
 * single host, or it is an address with all ports.
 */
export function openedHost(text: string): string | null {
  const pattern = parseHostPattern(text);
  if (pattern === null || pattern.isWildcard) return null;
  const { host, port } = pattern;
  const isAddress = isIP(host) !== 0 || host === "localhost";
  if (!isAddress) return host;
  return port === null ? null : formatTarget({ host, port });
}

function splitAuthority(text: string): { host: string; port: number | null } | null {
  const { host, port } = authority.exec(text)?.groups ?? {};
  if (host === undefined) return null;
  if (port === undefined) return { host, port: null };
  const number = Number(port);
  return number >= 1 && number <= portMax ? { host, port: number } : null;
}

/**
 * Normalizes a host: lower case, punycode, no trailing dot, IPv4 addresses as four decimal numbers, IPv6 addresses in
 * their shortest form. Null: the text is not a host.
 */
function canonicalHost(text: string): string | null {
  const isAddress = text.startsWith("[");
  if (isAddress ? !isIPv6(text.slice(1, -1)) : !/^[\p{L}\p{M}\p{N}._-]+$/u.test(text)) return null;
  const parsed = URL.parse(`http://${text}`)?.hostname;
  if (parsed === undefined) return null;
  if (isAddress) return parsed.slice(1, -1);
  const name = parsed.endsWith(".") ? parsed.slice(0, -1) : parsed;
  if (isIPv4(name)) return name;
  const isName = name.split(".").every((label) => /^[a-z0-9_-]{1,63}$/.test(label));
  return isName && name.length <= nameLengthMax ? name : null;
}
