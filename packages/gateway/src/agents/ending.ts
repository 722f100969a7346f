import type { Limits } from "@landline/protocol";
import type { Logger } from "../observe/logger.ts";
import type { AgentExit } from "./agent.ts";
import type { AgentConnection } from "./connection/connection.ts";
import type { AgentProcess } from "./process.ts";
import type { StderrRing } from "./stderr-ring.ts";
import type { Transport } from "./transport.ts";
import { within } from "./within.ts";

/**
 * The end of an agent's process, whoever brings it about. Asked to stop, it goes up a ladder: the close
 * of stdin, SIGTERM to the group, SIGKILL to the group. Each rung is left out when the process is gone.
 * However it ended, its group is killed and what else carries its mark is swept.
 *
 * The process is awaited by its exit and not by the close of its pipes, which something that it started
 * may hold for ever.
 */
export interface EndingOptions {
  readonly child: AgentProcess;
  readonly connection: AgentConnection;
  readonly limits: Limits;
  readonly stderr: StderrRing;
  readonly logger: Pick<Logger, "warn">;
  /** Ends what else carries the agent's mark. */
  sweep(): Promise<void>;
}

interface Patience {
  readonly inputMs: number;
  readonly termMs: number;
}

export class ProcessEnding implements Transport {
  readonly connection: AgentConnection;
  readonly exited: Promise<AgentExit>;
  readonly done: Promise<unknown>;
  forced = false;
  readonly #options: EndingOptions;
  readonly #gone = Promise.withResolvers<Omit<AgentExit, "stderr">>();
  /** Resolved when a rung of the ladder may take no longer. */
  readonly #inputOver = Promise.withResolvers<void>();
  readonly #termOver = Promise.withResolvers<void>();
  readonly #swept: Promise<void>;
  #stopping: Promise<AgentExit> | undefined;

  constructor(options: EndingOptions) {
    this.#options = options;
    this.connection = options.connection;
    const { child } = options;
    const closed = new Promise<void>((resolve) => {
      child.once("close", () => resolve());
    });
    child.once("exit", (code, signal) => {
      this.#gone.resolve({ code, signal });
    });
    this.#swept = this.#gone.promise.then(() => {
      this.#signal("SIGKILL");
      return options.sweep();
    });
    this.exited = this.#gone.promise.then((exit) => this.#drain(exit, closed));
    this.done = Promise.all([this.#swept, this.exited]);
  }

  stderr(): string {
    return this.#options.stderr.text();
  }

  stop(): Promise<AgentExit> {
    const { agentInputMs, agentTermMs } = this.#options.limits;
    this.#stopping ??= this.#climb({ inputMs: agentInputMs, termMs: agentTermMs });
    return this.#stopping;
  }

  async shutDown(): Promise<AgentExit> {
    const { shutdownInputMs: inputMs, shutdownTermMs: termMs } = this.#options.limits;
    this.#stopping ??= this.#climb({ inputMs, termMs });
    // One that was being stopped already is not waited for longer than the others.
    if (!(await within(this.#gone.promise, inputMs))) this.#inputOver.resolve();
    if (!(await within(this.#gone.promise, termMs))) this.#termOver.resolve();
    return this.#stopping;
  }

  async #climb({ inputMs, termMs }: Patience): Promise<AgentExit> {
    this.connection.end();
    if (!(await this.#goneWithin(inputMs, this.#inputOver.promise))) {
      this.forced = true;
      this.#signal("SIGTERM");
      if (!(await this.#goneWithin(termMs, this.#termOver.promise))) await this.#kill();
    }
    const exit = await this.exited;
    await this.done;
    return exit;
  }

  async #kill(): Promise<void> {
    const { child, limits, logger } = this.#options;
    this.#signal("SIGKILL");
    if (await within(this.#gone.promise, limits.agentKillMs)) return;
    logger.warn("The system does not end the agent's process; it is given up.", {
      pid: child.pid,
    });
    this.#gone.resolve({ code: null, signal: null });
  }

  async #goneWithin(limitMs: number, over: Promise<void>): Promise<boolean> {
    let gone = false;
    const exit = this.#gone.promise.then(() => (gone = true));
    await within(Promise.race([exit, over]), limitMs);
    return gone;
  }

  /** The sweep ends whoever else holds the pipes: then they close, and are read to their end. */
  async #drain(exit: Omit<AgentExit, "stderr">, closed: Promise<unknown>): Promise<AgentExit> {
    const { child, limits, stderr } = this.#options;
    // Nobody will read what was waiting for the agent, so it must not keep us from reading.
    this.connection.release("outbox");
    await within(closed, limits.agentDrainMs);
    this.connection.destroy();
    child.stderr.destroy();
    return { ...exit, stderr: stderr.text() };
  }

  /** To the whole group. That it is gone already is what we want. */
  #signal(signal: NodeJS.Signals): void {
    const { child } = this.#options;
    try {
      if (process.platform === "win32") child.kill(signal);
      else process.kill(-child.pid, signal);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // macOS answers EPERM for a group whose members have all ended and are not yet awaited.
      if (code !== "ESRCH" && code !== "EPERM") throw error;
    }
  }
}
