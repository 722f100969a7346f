import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { PendingWork } from "@landline/system/pending-work";
import { sweepNow } from "@landline/system/process-sweep";
import { endMarked, LocalCommand } from "./local-command.ts";
import { CommandProblem, type RunningCommand, type StartedCommand } from "./workspace.ts";

/**
 * The owner of the commands that run on this machine: nothing that they started is left when it is closed,
 * or when this process ends. (Of a process that is killed at once, whoever started it finds them by their
 * marks.)
 */
export class Commands implements AsyncDisposable {
  readonly #mark = randomUUID();
  readonly #starting = new PendingWork();
  /** Those that run, and those that left something in the background. */
  readonly #live = new Set<LocalCommand>();
  #count = 0;
  #closing: Promise<void> | undefined;

  async start(options: StartedCommand): Promise<RunningCommand> {
    if (this.#closing !== undefined) {
      await options.call.close?.();
      throw new CommandProblem("The session is closed: it runs no more commands.");
    }
    this.#count += 1;
    endWithProcess(this);
    const marks = [this.#mark, `${this.#mark}.${this.#count}`] as const;
    const starting = LocalCommand.start(options, marks).then((command) => {
      this.#live.add(command);
      return command;
    });
    const command = await this.#starting.add(starting);
    void this.#forgetWhenOver(command);
    return command;
  }

  /** Ends all of them. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** At once, while the process exits. */
  killNow(): void {
    for (const command of this.#live) command.group.kill();
    sweepNow(new Set([this.#mark]));
  }

  async #forgetWhenOver(command: LocalCommand): Promise<void> {
    await command.ended;
    if (!(await isGone(command))) {
      await command.silent;
      // What is left without an output ends with this owner.
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

/** The last process of a sandbox ends a moment after its command: on a busy machine, some seconds. */
async function isGone({ group }: LocalCommand): Promise<boolean> {
  for (let waitMs = 20; waitMs < 3_000; waitMs *= 2) {
    if (!group.alive) return true;
    await delay(waitMs, undefined, { ref: false });
  }
  return false;
}

/** One listener for all owners, however many sessions there are. */
const owners = new Set<Commands>();
let listening = false;

function endWithProcess(owner: Commands): void {
  owners.add(owner);
  if (listening) return;
  listening = true;
  process.on("exit", () => {
    for (const each of owners) each.killNow();
  });
}
