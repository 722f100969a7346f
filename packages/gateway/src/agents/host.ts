import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { LandlineError, type Limits } from "@landline/protocol";
import type { DataFolder } from "../folder/folder.ts";
import type { Logger } from "../observe/logger.ts";
import type {
  AgentHost,
  EndpointAgent,
  ProcessAgent,
  RunningAgent,
  StartOptions,
} from "./agent.ts";
import { AgentConnection, type ConnectionOptions } from "./connection/connection.ts";
import { ProcessEnding } from "./ending.ts";
import { dial, SocketTransport } from "./endpoint.ts";
import { agentEnvironment, markFor } from "./environment.ts";
import { initialize } from "./initialize.ts";
import { AgentJournal } from "./journal.ts";
import { startProcess } from "./process.ts";
import { startTimeOf } from "./process-table.ts";
import { quirksOf } from "./quirks.ts";
import { startFailure } from "./start-failure.ts";
import { StderrRing } from "./stderr-ring.ts";
import { sweepStrays } from "./strays.ts";
import { Sweeper } from "./sweep.ts";
import { WireTrace } from "./trace.ts";
import type { Transport } from "./transport.ts";
import { WireLog } from "./wire-log.ts";

type HostLogger = Pick<Logger, "info" | "warn">;

export interface HostOptions {
  /** Where the journal of agents is kept. */
  readonly folder: Pick<DataFolder, "path">;
  readonly limits: Limits;
  readonly logger?: HostLogger;
  /** What agents inherit, less what is ours. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Where the wire of a session's agent is written down; not at all without. */
  readonly traceOf?: (sessionId: string) => string;
  /** Where each message between us and an agent is told of; not at all without. */
  readonly wireLogger?: Pick<Logger, "debug">;
}

/**
 * Starts agents and owns what they leave behind. Before the first one is started, what an earlier gateway
 * left in this folder is ended. After `close`, nothing that was started here runs.
 */
export function createAgentHost(options: HostOptions): AgentHost {
  return new Host(options);
}

/** What is made for an agent before it is reached. */
interface Berth extends StartOptions {
  readonly id: string;
  readonly mark: string;
  readonly connecting: ConnectionOptions;
}

class Host implements AgentHost {
  /** Unguessable, so that nothing carries a mark of ours by chance or by design. */
  readonly #id = randomUUID();
  readonly #logger: HostLogger;
  readonly #environment: Readonly<Record<string, string | undefined>>;
  readonly #traceOf: HostOptions["traceOf"];
  readonly #wireLogger: Pick<Logger, "debug"> | undefined;
  readonly #journal: AgentJournal;
  readonly #sweeper = new Sweeper();
  readonly #ready: Promise<void>;
  readonly #transports = new Set<Transport>();
  readonly #starting = new Set<Promise<unknown>>();
  #started = 0;
  #closing: Promise<void> | undefined;

  constructor({ folder, limits, environment = process.env, ...options }: HostOptions) {
    this.#logger = options.logger ?? { info: () => {}, warn: () => {} };
    this.#environment = environment;
    this.#traceOf = options.traceOf;
    this.#wireLogger = options.wireLogger;
    this.#journal = new AgentJournal(join(folder.path, "agents.ndjson"), limits.journalLines);
    this.#ready = sweepStrays(this.#journal, this.#sweeper, limits, this.#logger).catch(
      (error: unknown) =>
        this.#logger.warn("What an earlier gateway left could not be looked for.", { error }),
    );
  }

  async start(options: StartOptions): Promise<RunningAgent> {
    const starting = this.#start(options);
    this.#starting.add(starting);
    try {
      return await starting;
    } finally {
      this.#starting.delete(starting);
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    await this.#ready;
    // What is just being started is stopped as soon as it is there.
    const starting = Promise.allSettled(this.#starting);
    await Promise.all([...this.#transports].map((transport) => transport.shutDown()));
    await starting;
    await this.#journal.written();
  }

  async #start(options: StartOptions): Promise<RunningAgent> {
    await this.#ready;
    this.#refuseWhenClosing();
    const { entry, limits } = options;
    const id = `${this.#id}.${++this.#started}`;
    const mark = markFor(id, this.#environment);
    const connecting = { limits, ...this.#tap(options) };
    const transport = await this.#reach({ ...options, id, mark, connecting });
    try {
      const { connection } = transport;
      const token = "token" in entry ? entry.token : undefined;
      const introduction = await initialize(connection, options.clientCapabilities, limits, token);
      return {
        ...introduction,
        connection,
        quirks: { ...entry.quirks, ...quirksOf(entry.id, introduction.info) },
        mark,
        exited: transport.exited,
        stderr: () => transport.stderr(),
        stop: () => transport.stop(),
      };
    } catch (error) {
      const exit = await transport.stop();
      throw startFailure(entry, error, exit, transport.forced);
    }
  }

  /** Nothing looks at the lines unless somebody wants to see them. */
  #tap({ entry, sessionId, limits }: StartOptions): Pick<ConnectionOptions, "tap"> {
    const path = sessionId === undefined ? undefined : this.#traceOf?.(sessionId);
    const report = (error: unknown) =>
      this.#logger.warn("The trace of a session goes no further.", { sessionId, error });
    const trace = path === undefined ? null : new WireTrace({ path, limits, report });
    const owner = { agent: entry.id, ...(sessionId === undefined ? {} : { sessionId }) };
    const log = this.#wireLogger && new WireLog(this.#wireLogger, owner, limits);
    if (!trace && !log) return {};
    return {
      tap: (direction, line) => {
        trace?.add(direction, line);
        log?.add(direction, line);
      },
    };
  }

  #refuseWhenClosing(): void {
    if (this.#closing)
      throw new LandlineError("agent-start-failed", {
        message: "The gateway is ending, and starts no further agent.",
        help: "Start the gateway again.",
      });
  }

  async #reach(berth: Berth): Promise<Transport> {
    const { entry, id } = berth;
    await this.#noteDown(berth);
    let transport: Transport;
    try {
      transport =
        entry.kind === "process"
          ? await this.#startProcess(entry, berth)
          : await this.#dial(entry, berth);
    } catch (error) {
      await this.#journalled(this.#journal.ended(id));
      throw error;
    }
    this.#transports.add(transport);
    void transport.done.then(() => {
      this.#transports.delete(transport);
      return this.#journalled(this.#journal.ended(id));
    });
    if (this.#closing) await transport.shutDown();
    this.#refuseWhenClosing();
    return transport;
  }

  async #startProcess(entry: ProcessAgent, berth: Berth): Promise<Transport> {
    const { limits, handlers, id, mark, connecting } = berth;
    const env = agentEnvironment(this.#environment, entry.env, mark);
    const child = await startProcess(entry, entry.cwd ?? berth.cwd, env);
    const stderr = new StderrRing(limits.stderrBytes);
    child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
    // A pipe that breaks is the end of what can be read from it, and of nothing else.
    child.stderr.on("error", () => {});
    const connection = new AgentConnection(child.stdout, child.stdin, handlers, connecting);
    const logger = this.#logger;
    const sweeping = () => this.#sweep(berth);
    const ending = new ProcessEnding({
      child,
      connection,
      limits,
      stderr,
      logger,
      sweep: sweeping,
    });
    const startTime = await startTimeOf(child.pid);
    await this.#journalled(this.#journal.started(id, child.pid, startTime));
    return ending;
  }

  async #dial(entry: EndpointAgent, berth: Berth): Promise<Transport> {
    const { limits, handlers, connecting } = berth;
    const socket = await dial(entry, limits);
    const connection = new AgentConnection(socket, socket, handlers, connecting);
    return new SocketTransport(socket, connection, limits, () => this.#sweep(berth));
  }

  async #sweep({ entry, id, limits }: Berth): Promise<void> {
    const agent = entry.id;
    try {
      const { left } = await this.#sweeper.sweep({
        marks: new Set([id]),
        limitMs: limits.sweepMs,
      });
      if (left.length > 0)
        this.#logger.warn("Processes that the agent started do not end.", { agent, left });
    } catch (error) {
      this.#logger.warn("What the agent left could not be looked for.", { agent, error });
    }
  }

  /** Nothing is started that could not be found again. */
  async #noteDown({ entry, id }: Berth): Promise<void> {
    try {
      await this.#journal.starting(id, entry.id);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new LandlineError("agent-start-failed", {
        message: `${entry.name} was not started: the data folder can't be written to (${code}).`,
        help: "Make room on the disk, or give Landline the right to write there.",
        data: { agent: entry.id, exitCode: null, signal: null, stderr: "" },
        cause: error,
      });
    }
  }

  async #journalled(writing: Promise<void>): Promise<void> {
    try {
      await writing;
    } catch (error) {
      this.#logger.warn("The journal of agents could not be written.", { error });
    }
  }
}
