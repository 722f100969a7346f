import { setTimeout as delay } from "node:timers/promises";

const POLL_MS = 20;

/**
 * A process that leads its own group, and everything in that group. Signals go to the group for as long as
 * it is known to be ours: once the leader is gone and its number belongs to another process, the
 * group is gone too.
 */
export class ProcessGroup {
  readonly #pid: number;
  readonly #killSignals: readonly NodeJS.Signals[];
  #leaderGone = false;
  #gone = false;

  /** `killSignals` make the group end at once, with everything that a supervisor among it watches over. */
  constructor(pid: number, killSignals: readonly NodeJS.Signals[]) {
    this.#pid = pid;
    this.#killSignals = killSignals;
  }

  /** To be told by whoever waited for the leader. */
  leaderExited(): void {
    this.#leaderGone = true;
  }

  get alive(): boolean {
    if (this.#gone) return false;
    this.#gone = (this.#leaderGone && exists(this.#pid)) || !exists(-this.#pid);
    return !this.#gone;
  }

  /** At once. */
  kill(): void {
    for (const name of this.#killSignals) this.#signal(name);
  }

  /** SIGTERM, and after `graceMs` the kill. Resolves when nothing of it is left, or nothing more can be done. */
  async end(graceMs: number): Promise<void> {
    this.#signal("SIGTERM");
    await this.#untilGone(graceMs);
    this.kill();
    await this.#untilGone(graceMs);
    this.#signal("SIGKILL");
  }

  #signal(name: NodeJS.Signals): void {
    if (!this.alive) return;
    try {
      process.kill(-this.#pid, name);
    } catch {
      // It ended in between.
    }
  }

  async #untilGone(milliseconds: number): Promise<void> {
    const until = performance.now() + milliseconds;
    while (this.alive && performance.now() < until) await delay(POLL_MS);
  }
}

/** A process or, by a negative number, a group. One that may not be signalled exists too. */
function exists(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
