import { isIP } from "node:net";
import { LandlineError } from "@landline/protocol";
import { isLoopbackHost } from "@landline/system/loopback";
import type { AddressPolicy } from "./services.ts";

/** The address that the server listens on. */
export interface BoundAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * Host names of this gateway. With DNS rebinding, another site can resolve its name to this machine, but it cannot
 * change the Host and Origin headers. Requests with a foreign host or origin are therefore refused, even with a valid
 * token.
 */
export class Addresses {
  readonly #hosts: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;
  #bound: string | null = null;
  #isSecure = false;

  constructor(policy: AddressPolicy) {
    const origins = policy.origins.map((origin) => origin.toLowerCase().replace(/\/$/, ""));
    this.#origins = new Set(origins);
    this.#hosts = new Set([
      ...policy.hosts.map((host) => host.toLowerCase()),
      ...origins.flatMap((origin) => originHost(origin) ?? []),
    ]);
  }

  bind({ host }: BoundAddress, isSecure = false): void {
    this.#bound = host.toLowerCase();
    this.#isSecure = isSecure;
  }

  checkHost(host: string | null): void {
    if (host === null || !this.#isOurs(host)) {
      throw refusal("The Host header does not name this gateway.");
    }
  }

  /**
   * A page on this machine may send requests with an explicit token. Browsers add cookies automatically, so only the
   * gateway's own page may use one.
   */
  checkOrigin(origin: string, host: string, needsSame: boolean): void {
    if (this.isConfigured(origin)) return;
    const asking = originHost(origin.toLowerCase());
    if (asking === null || !this.#isOurs(asking) || (needsSame && asking !== host.toLowerCase())) {
      throw refusal("Pages of this origin may not use this gateway.");
    }
  }

  /** Reports whether the configuration names this origin. */
  isConfigured(origin: string): boolean {
    return this.#origins.has(origin.toLowerCase());
  }

  /** Reports whether this host name is served over TLS. */
  isSecure(host: string): boolean {
    return this.#isSecure || this.#origins.has(`https://${host.toLowerCase()}`);
  }

  #isOurs(host: string): boolean {
    const name = nameOf(host);
    if (name === null) return false;
    if (this.#hosts.has(host.toLowerCase()) || isLoopbackHost(name)) return true;
    if (this.#bound === null) return false;
    // When bound to all addresses, any IP address is valid: DNS rebinding needs a name.
    return isEvery(this.#bound) ? isIP(name) !== 0 : name === this.#bound;
  }
}

function isEvery(address: string): boolean {
  return address === "0.0.0.0" || address === "::";
}

/** `example.org:80` → `example.org`; `[::1]:80` → `::1`; null for an invalid host. */
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
