import { randomBytes } from "node:crypto";
import type { Limits } from "@landline/protocol";
import type { Principal } from "./auth.ts";
import { hashOf } from "./tokens-file.ts";

interface Ticket {
  readonly principal: Principal;
  readonly address: string;
  readonly expiresAt: number;
}

/**
 * For what a browser fetches itself and can show no token for: one download of one address, once, within `ticketMs`. It
 * stands in the address, so it is worth nothing to whoever reads that later.
 */
export class Tickets {
  readonly #limits: Limits;
  readonly #now: () => number;
  readonly #open = new Map<string, Ticket>();

  constructor(limits: Limits, now: () => number = Date.now) {
    this.#limits = limits;
    this.#now = now;
  }

  issue(principal: Principal, address: string): string {
    const now = this.#now();
    for (const [hash, { expiresAt }] of this.#open)
      if (expiresAt <= now || this.#open.size >= this.#limits.ticketsOpen) this.#open.delete(hash);
    const ticket = `ll_ticket-${randomBytes(32).toString("base64url")}`;
    this.#open.set(hashOf(ticket), { principal, address, expiresAt: now + this.#limits.ticketMs });
    return ticket;
  }

  /** Null unless it is for this address. It is used up in any case. */
  take(ticket: string, address: string): Principal | null {
    const hash = hashOf(ticket);
    const found = this.#open.get(hash);
    this.#open.delete(hash);
    const isGood = found?.address === address && found.expiresAt > this.#now();
    return isGood ? found.principal : null;
  }

  /** Which addresses there are tickets for. */
  static isFor(address: string): boolean {
    return /^\/api\/sessions\/[\w-]{1,128}\/export(?:\?[\w=&]*)?$/.test(address);
  }
}
