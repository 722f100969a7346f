import { setTimeout as delay } from "node:timers/promises";
import { exists, signalGroup } from "./signals.ts";

const pollMs = 20;

/**
 * A process that leads its own group, and everything in that group. Signals go to the group for as long as it is known to
 * be ours. The system gives the leader's number to no other process while the group exists: once the leader was awaited
 * and its number is in use, the group is gone.
 */
export class ProcessGroup {
  readonly #pid: number;
  readonly #killSignals: readonly NodeJS.Signals[];
  #leaderGone = false;
  #gone = false;

  /** `killSignals` make the group end at once, with everything that a supervisor among it watches over. */
  constructor(pid: number, killSignals: readonly NodeJS.Signals[] = ["SIGKILL"]) {
    this.#pid = pid;
    this.#killSignals = killSignals;
  }

  /** To be told by whoever waited for the leader. */
  leaderExited(): void {
    this.#leaderGone = true;
  }

  /** False when the leader's number belongs to another process now. */
  get isOurs(): boolean {
    return !(this.#leaderGone && exists(this.#pid));
  }

  /** Whether there may be something left of it. A zombie counts: a group exists until its members were awaited. */
  get alive(): boolean {
    if (!this.#gone) this.#gone = !this.isOurs || !this.#exists();
    return !this.#gone;
  }

  signal(name: NodeJS.Signals): void {
    if (this.alive) signalGroup(this.#pid, name);
  }

  /** At once. */
  kill(): void {
    for (const name of this.#killSignals) this.signal(name);
  }

  /** SIGTERM, and after `graceMs` the kill. Resolves when nothing of it is left, or nothing more can be done. */
  async end(graceMs: number): Promise<void> {
    this.signal("SIGTERM");
    await this.#untilGone(graceMs);
    this.kill();
    await this.#untilGone(graceMs);
    this.signal("SIGKILL");
  }

  /** Windows has no groups: there, it is the leader alone. */
  #exists(): boolean {
    return process.platform === "win32"
      ? !this.#leaderGone && exists(this.#pid)
      : exists(-this.#pid);
  }

  async #untilGone(milliseconds: number): Promise<void> {
    const until = performance.now() + milliseconds;
    while (this.alive && performance.now() < until) await delay(pollMs);
  }
}
