import { isIP } from "node:net";
import { LandlineError } from "@landline/protocol";
import type { AddressPolicy } from "./services.ts";

/** The address that the server listens on. */
export interface BoundAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * The names that we answer to. A page of somebody else's can make a browser resolve *its* name to this
 * machine; what it can't do is make the browser say another name. So a request that asks for a name
 * that is not ours, or comes from a page that is not ours, is refused whatever else it carries.
 */
export class Addresses {
  readonly #hosts: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;
  #bound: string | null = null;

  constructor(policy: AddressPolicy) {
    const origins = policy.origins.map((origin) => origin.toLowerCase().replace(/\/$/, ""));
    this.#origins = new Set(origins);
    this.#hosts = new Set([
      ...policy.hosts.map((host) => host.toLowerCase()),
      ...origins.flatMap((origin) => originHost(origin) ?? []),
    ]);
  }

  bind({ host }: BoundAddress): void {
    this.#bound = host.toLowerCase();
  }

  checkHost(host: string | null): void {
    if (host === null || !this.#isOurs(host)) {
      throw refusal("The request asks for a host name that this gateway does not go by.");
    }
  }

  /**
   * With a token that a program put there, a page on this machine may ask. With a cookie, which the
   * browser adds by itself, only our own page may.
   */
  checkOrigin(origin: string, host: string, needsSame: boolean): void {
    const name = origin.toLowerCase();
    if (this.#origins.has(name)) return;
    const asking = originHost(name);
    if (asking === null || !this.#isOurs(asking) || (needsSame && asking !== host.toLowerCase())) {
      throw refusal("The request comes from a page that may not use this gateway.");
    }
  }

  /** Whether it is reached over TLS by that name. */
  isSecure(host: string): boolean {
    return this.#origins.has(`https://${host.toLowerCase()}`);
  }

  #isOurs(host: string): boolean {
    const name = nameOf(host);
    if (name === null) return false;
    if (this.#hosts.has(host.toLowerCase()) || isLoopback(name)) return true;
    if (this.#bound === null) return false;
    // Bound to every address, it is reached by any of them; an address is no name that could be rebound.
    return isEvery(this.#bound) ? isIP(name) !== 0 : name === this.#bound;
  }
}

function isLoopback(name: string): boolean {
  return name === "localhost" || name === "::1" || (isIP(name) === 4 && name.startsWith("127."));
}

function isEvery(address: string): boolean {
  return address === "0.0.0.0" || address === "::";
}

/** `example.org:80` → `example.org`; `[::1]:80` → `::1`; null for anything that is no host. */
function nameOf(host: string): string | null {
  const parts = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::\d{1,5})?$/.exec(host.toLowerCase());
  return parts?.[1] ?? parts?.[2] ?? null;
}

function originHost(origin: string): string | null {
  return /^https?:\/\/([^/?#@\s]+)$/.exec(origin)?.[1] ?? null;
}

function refusal(message: string): LandlineError {
  return new LandlineError("forbidden", {
    message,
    help: "Use the address that `landline serve` printed, or name this one with --public-url.",
  });
}
