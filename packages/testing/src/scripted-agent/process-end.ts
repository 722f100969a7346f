/** How the program exits: on the end of stdin, on SIGTERM, and in a crash, as the scenario defines. */
import { fstatSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { Playing } from "./play-scenario.ts";
import type { ExitHabit, Scenario } from "./scenario.ts";
import { writeStderr } from "./stderr.ts";
import type { Host } from "./step-context.ts";

/** How long the program waits for a reader that does not read. */
const flushLimitMs = 2000;
const usualStrayLimitMs = 60_000;

export class ProcessEnd {
  readonly host: Host;
  readonly #habits: Scenario["process"] & {};
  readonly #playings: () => Iterable<Playing>;

  constructor(scenario: Scenario, playings: () => Iterable<Playing>) {
    this.#habits = scenario.process ?? {};
    this.#playings = playings;
    this.host = {
      environment: process.env,
      writeStderr,
      exit: ({ code, signal }) => {
        if (signal === undefined) process.exit(code ?? 1);
        process.kill(process.pid, signal);
      },
    };
    const { sigterm } = this.#habits;
    if (sigterm !== undefined) {
      process.on("SIGTERM", () => {
        void this.#end(sigterm);
      });
    }
  }

  /** On stdio, the end of stdin ends the agent, unless the scenario says otherwise. */
  watch(playing: Playing): void {
    const { stdinClose = "exit", stdinCloseBusy = stdinClose } = this.#habits;
    playing.ended.then(
      () => this.#end(playing.busy ? stdinCloseBusy : stdinClose),
      (error: unknown) => {
        process.stderr.write(`${String(error)}\n`);
        return this.#end("exit");
      },
    );
  }

  /** On TCP, the end of a piped stdin means that the parent process has ended. */
  watchParent(): void {
    const stdin = fstatSync(0);
    if (!stdin.isFIFO() && !stdin.isSocket()) return;
    process.stdin.resume();
    process.stdin.once("end", () => {
      void this.#end("exit");
    });
  }

  async #end(habit: ExitHabit): Promise<void> {
    const stay = this.#habits.strayLimitMs ?? usualStrayLimitMs;
    const { afterMs = 0, code = 0 } =
      habit === "exit" ? {} : habit === "stay" ? { afterMs: stay } : habit;
    if (afterMs > 0) await delay(afterMs);
    const playings = [...this.#playings()];
    for (const playing of playings) playing.stop();
    const flushed = Promise.all(playings.map((playing) => playing.flushed()));
    await Promise.race([flushed, delay(flushLimitMs)]);
    process.exit(code);
  }
}
