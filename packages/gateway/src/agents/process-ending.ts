import type { Confinement, Limits } from "@landline/protocol";
import type { Logger } from "../telemetry/logger.ts";
import type { AgentExit } from "./agent.ts";
import type { AgentPlaces } from "./agent-places.ts";
import type { AgentCall } from "./agent-sandbox.ts";
import type { AgentConnection } from "../acp-connection/connection.ts";
import { endGroup, type GroupEnd } from "./end-process-group.ts";
import type { StartedAgent } from "./process.ts";
import type { Transport } from "./transport.ts";
import type { ByteTail } from "@landline/system/byte-tail";
import type { ProgramExit } from "@landline/system/start-program";
import { finishedWithin } from "@landline/system/finished-within";

/** Ends an agent's process. Closing its stdin asks it to exit. */
export interface EndingOptions {
  readonly started: StartedAgent;
  readonly connection: AgentConnection;
  readonly limits: Limits;
  readonly stderr: ByteTail;
  readonly logger: Pick<Logger, "warn">;
  /** How it was started. Closed after all its processes have ended. */
  readonly call: Pick<AgentCall, "close" | "confinement" | "places" | "permits">;
  /** Ends other processes with the agent's mark. */
  sweep(): Promise<void>;
}

const unknownExit: ProgramExit = { code: null, signal: null };

export class ProcessEnding implements Transport {
  readonly connection: AgentConnection;
  readonly confinement: Confinement | null;
  readonly places: AgentPlaces | null;
  readonly permits: AgentCall["permits"];
  readonly exited: Promise<AgentExit>;
  readonly done: Promise<unknown>;
  readonly #options: EndingOptions;
  readonly #end: GroupEnd;

  constructor(options: EndingOptions) {
    this.#options = options;
    this.connection = options.connection;
    const { limits, logger, call } = options;
    this.confinement = call.confinement;
    this.places = call.places;
    this.permits = call.permits;
    const { group, closed } = options.started;
    this.#end = { group, limits, logger, ask: () => this.connection.end() };
    const swept = group.gone.then(() => options.sweep());
    this.exited = group.gone.then((exit) => this.#drain(exit ?? unknownExit, closed));
    this.done = Promise.all([swept, this.exited]).then(() => call.close());
  }

  get forced(): boolean {
    return this.#end.group.isForced;
  }

  stderr(): string {
    return this.#options.stderr.read({ ended: false }).text;
  }

  async stop(): Promise<AgentExit> {
    await endGroup(this.#end, "stop");
    return this.#over();
  }

  async shutDown(): Promise<AgentExit> {
    await endGroup(this.#end, "shutdown");
    return this.#over();
  }

  async #over(): Promise<AgentExit> {
    const exit = await this.exited;
    await this.done;
    return exit;
  }

  /** The sweep ends other processes that hold the pipes. The pipes then close and are read to their end. */
  async #drain(exit: ProgramExit, closed: Promise<unknown>): Promise<AgentExit> {
    const { started, limits } = this.#options;
    // The agent no longer reads, so unsent output must not pause reading.
    this.connection.release("outbox");
    await finishedWithin(closed, limits.agentDrainMs);
    this.connection.destroy();
    started.child.stderr.destroy();
    return { ...exit, stderr: this.stderr() };
  }
}
