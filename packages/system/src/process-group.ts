import { setTimeout as delay } from "node:timers/promises";
import { hasRunningMember } from "./process-table.ts";
import { processExists, signalGroup } from "./signals.ts";
import { finishedWithin } from "./finished-within.ts";

const pollMs = 20;

export interface GroupOptions<Exit> {
  /** Resolves when the leader has exited and was reaped. */
  readonly exited: Promise<Exit>;
  /**
   * Whether processes that the leader leaves in its group are killed when it exits, or stay until the group is ended.
   */
  readonly leftovers: "end" | "stay";
  /** The signals that kill the group and everything below a supervisor in it. */
  readonly killSignals?: readonly NodeJS.Signals[];
}

/** The steps of ending a group, and the time limit of each. */
export interface EndSteps {
  /** Asks the leader to exit. */
  readonly ask?: () => void;
  readonly askMs?: number;
  readonly termMs: number;
  readonly killMs: number;
}

/**
 * A process group and its leader. Signals go to the group only while its id is certainly ours: the system does not
 * reuse the leader's pid while the group exists, so if the leader was reaped and its pid is in use, the group is gone.
 * Waits for the exit of the leader, not for the close of its pipes, which its children may keep open.
 */
export class ProcessGroup<Exit = unknown> {
  readonly pid: number;
  /** Resolves with the exit of the leader; null if it could not be ended. */
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

  /** Whether processes of the group may still exist. */
  get alive(): boolean {
    if (!this.#gone) this.#gone = !this.#isOurs || !this.#exists();
    return !this.#gone;
  }

  /** Whether it was sent a signal, and not only asked to exit. */
  get isForced(): boolean {
    return this.#stepsTaken > 1;
  }

  signal(name: NodeJS.Signals): void {
    if (this.alive) signalGroup(this.pid, name);
  }

  /** Kills the group immediately. */
  kill(): void {
    for (const name of this.#killSignals) this.signal(name);
  }

  /**
   * Asks, sends SIGTERM, then kills. Skips steps if the group is gone, or if a concurrent call has taken them. Returns
   * false if the group could not be ended.
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
    // Ends at least an unresponsive supervisor and its program.
    this.signal("SIGKILL");
    this.#givenUp.resolve(null);
    return false;
  }

  #leaderExited(): void {
    this.#leaderGone = true;
    if (this.#leftovers === "end") this.signal("SIGKILL");
  }

  /** False if the leader's pid belongs to another process now. */
  get #isOurs(): boolean {
    return !(this.#leaderGone && processExists(this.pid));
  }

  /** A group without its leader may consist of zombies. Windows has no groups, only the leader. */
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
