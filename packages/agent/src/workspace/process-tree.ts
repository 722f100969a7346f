import { spawnSync } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { commandLimits } from "../limits.ts";
import { familyOf, type ProcessRow, readProcessTable } from "./process-table.ts";

const pollMs = 20;

/**
 * A command's process, which leads a group and a session of its own, and all that came of it. On Linux
 * also what left the group is found, by the mark in its environment or by its parents; elsewhere the
 * group is all that there is. Nothing else is ever signalled: once the leader is gone and its number
 * belongs to another process, the group is gone too.
 */
export class ProcessTree {
  readonly #pid: number | null;
  readonly #mark: string;
  #leaderGone = false;

  /** Without a leader, it is everything that carries the mark. Marks below it (`mark.1`) are its own too. */
  constructor(pid: number | null, mark: string) {
    this.#pid = pid;
    this.#mark = mark;
  }

  /** To be told by whoever waited for the leader. */
  leaderExited(): void {
    this.#leaderGone = true;
  }

  get alive(): boolean {
    // Zombies, for which a group exists too, are not in the table.
    return process.platform === "linux" ? this.#family().length > 0 : this.groupAlive;
  }

  /** Whether there may be something left of the group. */
  get groupAlive(): boolean {
    if (this.#pid === null) return false;
    if (process.platform === "win32") return !this.#leaderGone && exists(this.#pid);
    return exists(-this.#pid) && this.#groupIsOurs(this.#pid);
  }

  /** SIGTERM, and after a while SIGKILL. Resolves when nothing of it is left, or nothing more can be done. */
  async end(): Promise<void> {
    this.signal("SIGTERM");
    if (await this.#goneWithin(commandLimits.termMs)) return;
    const deadline = performance.now() + commandLimits.killMs;
    // What is killed may have started something in its last moment.
    do this.signal("SIGKILL");
    while (!(await this.#goneWithin(pollMs)) && performance.now() < deadline);
  }

  /** At once, for when there is no time left. */
  signal(name: "SIGTERM" | "SIGKILL"): void {
    const family = this.#family();
    if (this.#pid !== null && this.groupAlive) send(-this.#pid, name);
    for (const { pid, session } of family) if (session !== this.#pid) send(pid, name);
  }

  async #goneWithin(milliseconds: number): Promise<boolean> {
    const until = performance.now() + milliseconds;
    while (this.alive) {
      if (performance.now() >= until) return false;
      await delay(pollMs);
    }
    return true;
  }

  #groupIsOurs(pid: number): boolean {
    return !(this.#leaderGone && exists(pid));
  }

  #family(): ProcessRow[] {
    const pid = this.#pid !== null && this.#groupIsOurs(this.#pid) ? this.#pid : null;
    return familyOf(
      readProcessTable(),
      ({ marks, session }) => session === pid || marks.some((mark) => this.#owns(mark)),
    );
  }

  #owns(mark: string): boolean {
    return mark === this.#mark || mark.startsWith(`${this.#mark}.`);
  }
}

function send(target: number, name: "SIGTERM" | "SIGKILL"): void {
  if (process.platform === "win32") {
    // There are no signals to groups there; this ends the process and its children at once.
    spawnSync("taskkill", ["/pid", String(Math.abs(target)), "/T", "/F"], { windowsHide: true });
    return;
  }
  try {
    process.kill(target, name);
  } catch {
    // It ended in between.
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
