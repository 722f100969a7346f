import type { Limits } from "@landline/protocol";
import type { Logger } from "../telemetry/logger.ts";
import { signalGroup } from "@landline/system/signals";
import { within } from "@landline/system/within";

export interface LadderOptions {
  /** The leader of a process group. */
  readonly pid: number;
  /** What makes it and everything that it started end at once. */
  readonly killSignals: readonly NodeJS.Signals[];
  readonly limits: Limits;
  readonly logger: Pick<Logger, "warn">;
  /** The first rung: it is asked to end by itself. */
  ask(): void;
  /** Ends what else carries its mark. */
  sweep(): Promise<void>;
}

interface Patience {
  readonly inputMs: number;
  readonly termMs: number;
}

/**
 * How a process that leads a group is made to end: it is asked, then SIGTERM to the group, then SIGKILL to
 * the group. Each rung is left out when the process is gone. However it ended, its group is killed and what
 * else carries its mark is swept.
 */
export class Ladder<Exit> {
  /** True once it was made to end, rather than asked. */
  forced = false;
  /** When the process is gone, by itself or not; null when the system did not end it and it was given up. */
  readonly gone: Promise<Exit | null>;
  readonly swept: Promise<void>;
  readonly #options: LadderOptions;
  /** Resolved when a rung may take no longer. */
  readonly #inputOver = Promise.withResolvers<void>();
  readonly #termOver = Promise.withResolvers<void>();
  readonly #givenUp = Promise.withResolvers<null>();
  #climbing: Promise<void> | undefined;

  constructor(exited: Promise<Exit>, options: LadderOptions) {
    this.#options = options;
    this.gone = Promise.race([exited, this.#givenUp.promise]);
    this.swept = this.gone.then(() => {
      this.signal("SIGKILL");
      return options.sweep();
    });
  }

  /** Resolves when the process is gone. */
  stop(): Promise<void> {
    const { agentInputMs: inputMs, agentTermMs: termMs } = this.#options.limits;
    this.#climbing ??= this.#climb({ inputMs, termMs });
    return this.#climbing;
  }

  /** As `stop`, with less patience, since the gateway itself is ending. */
  async shutDown(): Promise<void> {
    const { shutdownInputMs: inputMs, shutdownTermMs: termMs } = this.#options.limits;
    this.#climbing ??= this.#climb({ inputMs, termMs });
    // One that was being stopped already is not waited for longer than the others.
    if (!(await within(this.gone, inputMs))) this.#inputOver.resolve();
    if (!(await within(this.gone, termMs))) this.#termOver.resolve();
    await this.#climbing;
  }

  /** To the whole group. */
  signal(signal: NodeJS.Signals): void {
    signalGroup(this.#options.pid, signal);
  }

  async #climb({ inputMs, termMs }: Patience): Promise<void> {
    this.#options.ask();
    if (await this.#goneWithin(inputMs, this.#inputOver.promise)) return;
    this.forced = true;
    this.signal("SIGTERM");
    if (await this.#goneWithin(termMs, this.#termOver.promise)) return;
    const { limits, logger, pid, killSignals } = this.#options;
    for (const signal of killSignals) this.signal(signal);
    if (await within(this.gone, limits.agentKillMs)) return;
    logger.warn("The system does not end the agent's process; it is given up.", { pid });
    this.#givenUp.resolve(null);
  }

  async #goneWithin(limitMs: number, over: Promise<void>): Promise<boolean> {
    let gone = false;
    const exit = this.gone.then(() => (gone = true));
    await within(Promise.race([exit, over]), limitMs);
    return gone;
  }
}
