import { setTimeout as delay } from "node:timers/promises";
import { commandLimits } from "../limits.ts";
import { familyOf, type ProcessRow, readProcessTableNow } from "@landline/system/process-table";
import { ProcessGroup } from "@landline/system/process-group";
import { sendSignal } from "@landline/system/signals";

const pollMs = 20;

/**
 * A command's process, which leads a group and a session of its own, and all that came of it. On Linux
 * also what left the group is found, by the mark in its environment or by its parents; elsewhere the
 * group is all that there is. Nothing else is ever signalled: once the leader is gone and its number
 * belongs to another process, the group is gone too.
 */
export class ProcessTree {
  readonly #pid: number | null;
  readonly #group: ProcessGroup | null;
  readonly #mark: string;

  /** Without a leader, it is everything that carries the mark. Marks below it (`mark.1`) are its own too. */
  constructor(pid: number | null, mark: string) {
    this.#pid = pid;
    this.#group = pid === null ? null : new ProcessGroup(pid);
    this.#mark = mark;
  }

  /** To be told by whoever waited for the leader. */
  leaderExited(): void {
    this.#group?.leaderExited();
  }

  get alive(): boolean {
    // Zombies, for which a group exists too, are not in the table.
    return process.platform === "linux" ? this.#family().length > 0 : this.groupAlive;
  }

  /** Whether there may be something left of the group. */
  get groupAlive(): boolean {
    return this.#group?.alive ?? false;
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
    this.#group?.signal(name);
    for (const { pid, session } of family) if (session !== this.#pid) sendSignal(pid, name);
  }

  async #goneWithin(milliseconds: number): Promise<boolean> {
    const until = performance.now() + milliseconds;
    while (this.alive) {
      if (performance.now() >= until) return false;
      await delay(pollMs);
    }
    return true;
  }

  #family(): ProcessRow[] {
    const pid = this.#group?.isOurs === true ? this.#pid : null;
    return familyOf(
      readProcessTableNow(),
      ({ marks, session }) => session === pid || marks.some((mark) => this.#owns(mark)),
    );
  }

  #owns(mark: string): boolean {
    return mark === this.#mark || mark.startsWith(`${this.#mark}.`);
  }
}
