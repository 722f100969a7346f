import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { PendingWork } from "@landline/system/pending-work";
import { sweepNow } from "@landline/system/process-sweep";
import { endMarked, LocalCommand } from "./local-command.ts";
import { CommandProblem, type RunningCommand, type StartedCommand } from "./workspace.ts";

/**
 * Owns local commands: ends everything that they started when it is closed or this process exits. (After a
 * SIGKILL, the gateway finds the processes by their marks.)
 */
export class CommandOwner implements AsyncDisposable {
  readonly #mark = randomUUID();
  readonly #starting = new PendingWork();
  /** Running commands, and those with background processes. */
  readonly #live = new Set<LocalCommand>();
  #count = 0;
  #closing: Promise<void> | undefined;

  async start(options: StartedCommand): Promise<RunningCommand> {
    if (this.#closing !== undefined) {
      await options.call.close?.();
      throw new CommandProblem("The session is closed: it runs no more commands.");
    }
    this.#count += 1;
    endOnExit(this);
    const marks = [this.#mark, `${this.#mark}.${this.#count}`] as const;
    const starting = LocalCommand.start(options, marks).then((command) => {
      this.#live.add(command);
      return command;
    });
    const command = await this.#starting.add(starting);
    void this.#forgetWhenOver(command);
    return command;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Synchronously, while the process exits. */
  killNow(): void {
    for (const command of this.#live) command.group.kill();
    sweepNow(new Set([this.#mark]));
  }

  async #forgetWhenOver(command: LocalCommand): Promise<void> {
    await command.ended;
    if (!(await isGone(command))) {
      await command.silent;
      // Background processes without output end with this owner.
      if (!(await isGone(command))) return;
    }
    if (this.#live.delete(command)) await command.close();
  }

  async #close(): Promise<void> {
    await this.#starting.ended();
    const live = [...this.#live];
    await Promise.all(live.map((command) => command.kill()));
    if (this.#count > 0) await endMarked(this.#mark);
    const left = live.filter((command) => this.#live.delete(command));
    await Promise.all(left.map((command) => command.close()));
    owners.delete(this);
  }
}

/** The last process of a sandbox may end seconds after its command on a busy machine. */
async function isGone({ group }: LocalCommand): Promise<boolean> {
  for (let waitMs = 20; waitMs < 3_000; waitMs *= 2) {
    if (!group.alive) return true;
    await delay(waitMs, undefined, { ref: false });
  }
  return false;
}

/** One exit listener for all owners. */
const owners = new Set<CommandOwner>();
let listening = false;

function endOnExit(owner: CommandOwner): void {
  owners.add(owner);
  if (listening) return;
  listening = true;
  process.on("exit", () => {
    for (const each of owners) each.killNow();
  });
}
