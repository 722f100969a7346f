import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { LandlineError, type Limits, type LimitsProfile } from "@landline/protocol";
import type { ProgramCall } from "@landline/sandbox";
import type { DataFolder } from "../data-folder/data-folder.ts";
import type { Logger } from "../telemetry/logger.ts";
import type {
  AgentHost,
  EndpointAgent,
  OpenTerminalOptions,
  ProcessAgent,
  RunningAgent,
  StartOptions,
} from "./agent.ts";
import { homeFolder } from "@landline/system/home-folders";
import { ByteTail } from "@landline/system/byte-tail";
import { isLoaderVariable, withVariables } from "@landline/system/loader-variables";
import { PendingWork } from "@landline/system/pending-work";
import { gatewayDataName, markValue } from "@landline/system/process-mark";
import { killSignalsOf } from "@landline/system/start-program";
import { findSupervisor, type Supervisor } from "@landline/system/supervisor";
import { type AgentCall, AgentSandboxes } from "./agent-sandbox.ts";
import type { ConnectionOptions } from "../acp-connection/connection.ts";
import { connectAgent } from "./connect-agent.ts";
import { ProcessEnding } from "./process-ending.ts";
import { dial, dialFailure, SocketTransport } from "./endpoint.ts";
import { agentEnvironment } from "./environment.ts";
import { initialize } from "./initialize.ts";
import { AgentJournal } from "./journal.ts";
import { startProcess } from "./process.ts";
import { startTimeOf } from "@landline/system/process-table";
import { quirksOf } from "./quirks.ts";
import { startFailure } from "./start-failure.ts";
import { endOrphans } from "./orphan-processes.ts";
import { Sweeper } from "@landline/system/process-sweep";
import { AgentTerminal } from "./terminal.ts";
import { loadTerminals, startTerminal, type Terminals } from "./terminal-process.ts";
import { WireTrace } from "./trace.ts";
import type { Transport } from "./transport.ts";
import { WireLog } from "./wire-log.ts";

type HostLogger = Pick<Logger, "info" | "warn">;

export interface HostOptions {
  /** The folder of the agent journal. */
  readonly folder: Pick<DataFolder, "path">;
  readonly limits: Limits;
  /** With `spec`, responses to agents have the error codes of seed 003. */
  readonly profile?: LimitsProfile;
  readonly logger?: HostLogger;
  /** The environment that agents inherit, before Landline's variables are removed. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The trace file of a session. Absent: no traces. */
  readonly traceOf?: (sessionId: string) => string;
  /** Logs each message between the gateway and an agent. Absent: no messages are logged. */
  readonly wireLogger?: Pick<Logger, "debug">;
  /** Loads the terminal library when the first terminal opens. */
  readonly loadTerminals?: () => Terminals;
}

/**
 * Starts agents and cleans up after them. Processes that an earlier gateway left in this folder end before the first
 * start. After `close`, nothing that was started here runs.
 */
export function createAgentHost(options: HostOptions): AgentHost {
  return new Host(options);
}

/** Identifies all processes that are started for one purpose. */
interface Marked extends Pick<StartOptions, "entry" | "limits" | "sessionId"> {
  readonly id: string;
  readonly mark: string;
}

/** Everything that is prepared before the agent is started or reached. */
interface PreparedStart extends StartOptions, Marked {
  readonly connecting: ConnectionOptions;
}

/** Something that ends with the gateway. */
interface Owned {
  readonly done: Promise<unknown>;
  shutDown(): Promise<unknown>;
}

class Host implements AgentHost {
  /** Unguessable, so that no other process carries this mark. */
  readonly #id = randomUUID();
  readonly #logger: HostLogger;
  readonly #environment: Readonly<Record<string, string | undefined>>;
  readonly #folder: string;
  readonly #seedErrorCodes: boolean;
  readonly #traceOf: HostOptions["traceOf"];
  readonly #wireLogger: Pick<Logger, "debug"> | undefined;
  readonly #loadTerminals: () => Terminals;
  readonly #journal: AgentJournal;
  readonly #sandboxes: AgentSandboxes;
  readonly #sweeper = new Sweeper();
  /** Resolves to the sessions whose agents were running when an earlier gateway was killed. */
  readonly #ready: Promise<readonly string[]>;
  readonly #owned = new Set<Owned>();
  readonly #starting = new PendingWork();
  #started = 0;
  #unsupervisedLogged = false;
  #closing: Promise<void> | undefined;

  constructor({ folder, limits, environment = process.env, ...options }: HostOptions) {
    this.#logger = options.logger ?? { info: () => {}, warn: () => {} };
    this.#environment = environment;
    this.#folder = folder.path;
    this.#seedErrorCodes = options.profile === "spec";
    this.#traceOf = options.traceOf;
    this.#wireLogger = options.wireLogger;
    this.#loadTerminals = options.loadTerminals ?? loadTerminals;
    this.#sandboxes = new AgentSandboxes({
      home: homeFolder(environment),
      folder: folder.path,
      environment,
      logger: this.#logger,
    });
    this.#journal = new AgentJournal(join(folder.path, "agents.ndjson"), limits.journalLines);
    this.#ready = endOrphans(this.#journal, this.#sweeper, limits, this.#logger).catch(
      (error: unknown) => {
        this.#logger.warn("Could not look for processes of an earlier gateway.", { error });
        return [];
      },
    );
  }

  start(options: StartOptions): Promise<RunningAgent> {
    return this.#starting.add(this.#start(options));
  }

  interrupted(): Promise<readonly string[]> {
    return this.#ready;
  }

  openTerminal(options: OpenTerminalOptions): Promise<AgentTerminal> {
    return this.#starting.add(this.#openTerminal(options));
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
    // A process that is still starting is stopped as soon as it exists.
    const starting = this.#starting.ended();
    await Promise.all([...this.#owned].map((owned) => owned.shutDown()));
    await starting;
    await this.#journal.written();
  }

  async #start(options: StartOptions): Promise<RunningAgent> {
    const { entry, limits } = options;
    const marked = await this.#marked();
    const connecting = {
      limits,
      seedErrorCodes: this.#seedErrorCodes,
      ...this.#tap(options),
    };
    const prepared = { ...options, ...marked, connecting };
    const transport = await this.#own(prepared, () =>
      entry.kind === "process" ? this.#startProcess(entry, prepared) : this.#dial(entry, prepared),
    );
    const { signal } = options;
    const stop = () => void transport.stop();
    signal?.addEventListener("abort", stop);
    try {
      if (signal?.aborted) stop();
      const { connection } = transport;
      // Over WebSocket and HTTP, the token is in a header.
      const isTcp = entry.kind === "endpoint" && entry.endpoint.startsWith("tcp:");
      const token = isTcp ? entry.token : undefined;
      const introduction = await initialize(connection, options.clientCapabilities, limits, token);
      return {
        ...introduction,
        connection,
        quirks: quirksOf(entry.id, introduction.info, entry.quirks),
        mark: marked.mark,
        confinement: transport.confinement,
        places: transport.places,
        permits: transport.permits,
        exited: transport.exited,
        stderr: () => transport.stderr(),
        stop: () => transport.stop(),
      };
    } catch (error) {
      const exit = await transport.stop();
      if (entry.kind === "endpoint" && transport.failure)
        throw dialFailure(entry, transport.failure);
      throw startFailure(entry, error, exit, transport.forced);
    } finally {
      signal?.removeEventListener("abort", stop);
    }
  }

  async #openTerminal(options: OpenTerminalOptions): Promise<AgentTerminal> {
    const { entry, call, limits } = options;
    const prepared = { entry, limits, ...(await this.#marked()) };
    // The agent chooses these variables. They must not affect the sandbox and the supervisor, which are not confined.
    const requested = Object.groupBy(Object.entries(call.env), ([name]) =>
      isLoaderVariable(name) ? "own" : "all",
    );
    const added = { ...entry.env, ...Object.fromEntries(requested.all ?? []) };
    const env = agentEnvironment(this.#environment, added, prepared.mark);
    const cwd = entry.cwd ?? options.cwd;
    const [file = "", ...args] = withVariables([call.command, ...call.args], requested.own ?? []);
    const plain = { file, args, cwd };
    const supervisor = await this.#supervisorOf(entry, cwd);
    const supervision = { leftovers: "end", reports: false, limitMs: limits.sweepMs } as const;
    return this.#own(prepared, async () => {
      const terminal = await this.#confined(entry, plain, [], async (confined) => {
        const started = { file: confined.call.file, args: confined.call.args, env };
        const program = supervisor?.supervise(started, supervision) ?? started;
        return new AgentTerminal({
          limits,
          logger: this.#logger,
          killSignals: killSignalsOf(supervisor),
          sweep: () => this.#sweep(prepared),
          close: () => confined.close(),
          start: (heard) => startTerminal(this.#loadTerminals, { call, program, cwd, heard }),
        });
      });
      const startTime = await startTimeOf(terminal.pid);
      await this.#journalled(this.#journal.started(prepared.id, terminal.pid, startTime));
      return terminal;
    });
  }

  async #marked(): Promise<Pick<Marked, "id" | "mark">> {
    await this.#ready;
    this.#refuseWhenClosing();
    const id = `${this.#id}.${++this.#started}`;
    return { id, mark: markValue(id, this.#environment) };
  }

  /** No tap unless a trace or the message log is enabled. */
  #tap({ entry, sessionId, limits }: StartOptions): Pick<ConnectionOptions, "tap"> {
    const path = sessionId === undefined ? undefined : this.#traceOf?.(sessionId);
    const report = (error: unknown) =>
      this.#logger.warn("The trace of a session stopped.", { sessionId, error });
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
        message: "The gateway is shutting down and starts no more agents.",
        help: "Start the gateway again.",
      });
  }

  /** Starts a process and records it in the journal, so that it ends with its owner or the gateway. */
  async #own<Started extends Owned>(
    marked: Marked,
    start: () => Promise<Started>,
  ): Promise<Started> {
    const { id } = marked;
    await this.#record(marked);
    let started: Started;
    try {
      started = await start();
    } catch (error) {
      await this.#journalled(this.#journal.ended(id));
      throw error;
    }
    this.#owned.add(started);
    void started.done.then(() => {
      this.#owned.delete(started);
      return this.#journalled(this.#journal.ended(id));
    });
    if (this.#closing) await started.shutDown();
    this.#refuseWhenClosing();
    return started;
  }

  async #startProcess(entry: ProcessAgent, prepared: PreparedStart): Promise<Transport> {
    const { limits, id, mark } = prepared;
    const added = { ...entry.env, [gatewayDataName]: this.#folder };
    const env = agentEnvironment(this.#environment, added, mark);
    const cwd = entry.cwd ?? prepared.cwd;
    const plain = { file: entry.command, args: entry.args, cwd };
    const supervisor = await this.#supervisorOf(entry, cwd);
    const { call, started } = await this.#confined(
      entry,
      plain,
      prepared.roots,
      async (confined) => ({
        call: confined,
        started: await startProcess(entry, {
          call: confined.call,
          env,
          supervisor,
          sweepMs: limits.sweepMs,
        }),
      }),
    );
    const { child } = started;
    const stderr = new ByteTail(limits.stderrBytes);
    child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
    // A broken stderr pipe does not end the agent.
    child.stderr.on("error", () => {});
    const connection = connectAgent(child.stdout, child.stdin, prepared);
    const logger = this.#logger;
    const sweeping = () => this.#sweep(prepared);
    const ending = new ProcessEnding({
      started,
      connection,
      limits,
      stderr,
      logger,
      call,
      sweep: sweeping,
    });
    const startTime = await startTimeOf(child.pid);
    await this.#journalled(this.#journal.started(id, child.pid, startTime));
    return ending;
  }

  /** Closes the call if the start fails. Otherwise the started process closes it at its end. */
  async #confined<Started>(
    entry: ProcessAgent,
    plain: ProgramCall,
    roots: readonly string[],
    start: (call: AgentCall) => Promise<Started>,
  ): Promise<Started> {
    const call = await this.#sandboxes.confine(entry, plain, roots);
    try {
      return await start(call);
    } catch (error) {
      await call.close();
      throw error;
    }
  }

  /** Confined programs need no supervisor: they end with their sandbox, which ends with the gateway. */
  async #supervisorOf(entry: ProcessAgent, cwd: string): Promise<Supervisor | null> {
    if (entry.sandbox !== undefined) return null;
    const supervisor = await findSupervisor(this.#environment, [cwd]);
    if (supervisor === null && process.platform === "linux" && !this.#unsupervisedLogged) {
      this.#unsupervisedLogged = true;
      this.#logger.info(
        "Neither perl nor python3 works here: detached processes of agents can outlive them.",
      );
    }
    return supervisor;
  }

  async #dial(entry: EndpointAgent, prepared: PreparedStart): Promise<Transport> {
    const { limits } = prepared;
    const socket = await dial(entry, limits);
    const connection = connectAgent(socket, socket, prepared);
    return new SocketTransport(socket, connection, limits, () => this.#sweep(prepared));
  }

  async #sweep({ entry, id, limits }: Marked): Promise<void> {
    const agent = entry.id;
    try {
      const { left } = await this.#sweeper.sweep({
        marks: new Set([id]),
        limitMs: limits.sweepMs,
      });
      if (left.length > 0)
        this.#logger.warn("Some processes of the agent did not end.", { agent, left });
    } catch (error) {
      this.#logger.warn("Could not look for remaining processes of the agent.", { agent, error });
    }
  }

  /** An agent starts only after it is recorded in the journal. */
  async #record({ entry, id, sessionId }: Marked): Promise<void> {
    try {
      await this.#journal.starting(id, entry.id, sessionId ?? null);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new LandlineError("agent-start-failed", {
        message: `${entry.name} was not started: can't write to the data folder (${code}).`,
        help: "Free disk space, or allow Landline to write there.",
        data: { agent: entry.id, exitCode: null, signal: null, stderr: "" },
        cause: error,
      });
    }
  }

  async #journalled(writing: Promise<void>): Promise<void> {
    try {
      await writing;
    } catch (error) {
      this.#logger.warn("Could not write the agent journal.", { error });
    }
  }
}
