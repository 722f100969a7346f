import { LandlineError, type LimitName, type Limits } from "@landline/protocol";
import { connectionOf, type ServerRequest } from "./context.ts";

/** Retry time of a refused request: most responses take less. */
const RETRY_MS = 1_000;

/** Limits the large responses that one token receives at the same time. */
export class ResponseSlots {
  readonly #limit: Extract<LimitName, "viewsPerToken" | "exportsPerToken">;
  readonly #most: number;
  readonly #what: string;
  readonly #taken = new Map<string, number>();

  constructor(
    limit: Extract<LimitName, "viewsPerToken" | "exportsPerToken">,
    limits: Limits,
    what: string,
  ) {
    this.#limit = limit;
    this.#most = limits[limit];
    this.#what = what;
  }

  /** Takes a slot until the response was sent or the client disconnects. Throws `rate-limited`. */
  take(request: ServerRequest): void {
    const { tokenId } = request.var.principal;
    const taken = this.#taken.get(tokenId) ?? 0;
    if (taken >= this.#most) {
      throw new LandlineError("rate-limited", {
        message: `This token is already receiving ${this.#most} ${this.#what}.`,
        help: "Wait until one of them is complete.",
        retryAfterMs: RETRY_MS,
        data: { limit: this.#limit },
      });
    }
    const { outgoing } = connectionOf(request);
    // Without a socket, the end of the response is unknown.
    if (!outgoing || outgoing.destroyed) return;
    this.#taken.set(tokenId, taken + 1);
    outgoing.once("close", () => this.#release(tokenId));
  }

  #release(tokenId: string): void {
    const left = (this.#taken.get(tokenId) ?? 1) - 1;
    if (left > 0) this.#taken.set(tokenId, left);
    else this.#taken.delete(tokenId);
  }
}
