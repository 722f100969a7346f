import { setTimeout as delay } from "node:timers/promises";
import { hasRunningMember } from "./process-table.ts";
import { processExists, signalGroup } from "./signals.ts";
import { finishedWithin } from "./finished-within.ts";

const pollMs = 20;

export interface GroupOptions<Exit> {
  /** The end of the leader, after it was awaited. */
  readonly exited: Promise<Exit>;
  /** What the leader leaves behind in its group is killed at once, or runs on until the group is ended. */
  readonly leftovers: "end" | "stay";
  /** Make the group end at once, with everything that a supervisor among it watches over. */
  readonly killSignals?: readonly NodeJS.Signals[];
}

/** The steps of an end, and how long each may take. */
export interface EndSteps {
  /** Asks the leader to end by itself. */
  readonly ask?: () => void;
  readonly askMs?: number;
  readonly termMs: number;
  readonly killMs: number;
}

/**
 * A process that leads its own group, and everything in that group. Signals go to the group for as long as it is known to
 * be ours. The system gives the leader's number to no other process while the group exists: once the leader was awaited
 * and its number is in use, the group is gone.
 *
 * The leader is awaited by its exit and not by the close of its pipes, which something that it started may hold for ever.
 */
export class ProcessGroup<Exit = unknown> {
  readonly pid: number;
  /** The end of the leader, by itself or not; null when the system did not end it and it was given up. */
  readonly gone: Promise<Exit | null>;
  readonly #leftovers: "end" | "stay";
  readonly #killSignals: readonly NodeJS.Signals[];
  readonly #givenUp = Promise.withResolvers<null>();
  #stepsTaken = 0;
  #leaderGone = false;
  #gone = false;

  constructor(pid: number, { exited, leftovers, killSignals }: GroupOptions<Exit>) {
    this.pid = pid;
    this.#leftovers = leftovers;
    this.#killSignals = killSignals ?? ["SIGKILL"];
    this.gone = Promise.race([exited, this.#givenUp.promise]);
    void exited.then(() => this.#leaderExited());
  }

  /** Whether there may be something left of it. */
  get alive(): boolean {
    if (!this.#gone) this.#gone = !this.#isOurs || !this.#exists();
    return !this.#gone;
  }

  /** Whether it was made to end, rather than asked. */
  get isForced(): boolean {
    return this.#stepsTaken > 1;
  }

  signal(name: NodeJS.Signals): void {
    if (this.alive) signalGroup(this.pid, name);
  }

  /** At once. */
  kill(): void {
    for (const name of this.#killSignals) this.signal(name);
  }

  /**
   * Asks, sends SIGTERM, then kills. Each step is left out when it is gone, or when somebody who ends it at the same time
   * has taken it: the least patient one sets the pace. False when the system does not end it, and it is given up.
   */
  async end({ ask, askMs = 0, termMs, killMs }: EndSteps): Promise<boolean> {
    const steps = [
      [ask, askMs],
      [() => this.signal("SIGTERM"), termMs],
      [() => this.kill(), killMs],
    ] as const;
    for (const [index, [take, waitMs]] of steps.entries()) {
      if (!this.#isLeft) return true;
      if (this.#stepsTaken <= index) {
        this.#stepsTaken = index + 1;
        take?.();
      }
      if (take !== undefined && (await this.#goneWithin(waitMs))) return true;
    }
    // Of a supervisor that does not answer, at least itself and its program end.
    this.signal("SIGKILL");
    this.#givenUp.resolve(null);
    return false;
  }

  #leaderExited(): void {
    this.#leaderGone = true;
    if (this.#leftovers === "end") this.signal("SIGKILL");
  }

  /** False when the leader's number belongs to another process now. */
  get #isOurs(): boolean {
    return !(this.#leaderGone && processExists(this.pid));
  }

  /** Without its leader, a group may consist of zombies. Windows has no groups: there, it is the leader alone. */
  #exists(): boolean {
    if (process.platform === "win32") return !this.#leaderGone && processExists(this.pid);
    return processExists(-this.pid) && (!this.#leaderGone || hasRunningMember(this.pid));
  }

  get #isLeft(): boolean {
    return this.#leftovers === "end" ? !this.#leaderGone : this.alive;
  }

  async #goneWithin(milliseconds: number): Promise<boolean> {
    if (this.#leftovers === "end") return finishedWithin(this.gone, milliseconds);
    const until = performance.now() + milliseconds;
    while (this.alive && performance.now() < until) await delay(pollMs);
    return !this.alive;
  }
}
