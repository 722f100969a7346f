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
 * Tickets for downloads, which a browser requests without a token: valid for one address, once, within `ticketMs`. The
 * ticket is in the URL, so it must be useless to anyone who reads the URL later.
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

  /** Returns null unless the ticket is for this address. It is used up in any case. */
  take(ticket: string, address: string): Principal | null {
    const hash = hashOf(ticket);
    const found = this.#open.get(hash);
    this.#open.delete(hash);
    const isGood = found?.address === address && found.expiresAt > this.#now();
    return isGood ? found.principal : null;
  }

  /** Reports whether tickets exist for this kind of address. */
  static isFor(address: string): boolean {
    return /^\/api\/sessions\/[\w-]{1,128}\/export(?:\?[\w=&]*)?$/.test(address);
  }
}
