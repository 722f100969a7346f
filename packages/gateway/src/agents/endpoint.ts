import { connect, type Socket } from "node:net";
import { once } from "node:events";
import { LandlineError, type Limits } from "@landline/protocol";
import type { AgentExit, EndpointAgent } from "./agent.ts";
import type { AgentConnection } from "../acp-connection/connection.ts";
import type { Transport } from "./transport.ts";
import { finishedWithin } from "@landline/system/finished-within";

/** Connects to an agent that listens on TCP. */
export async function dial(entry: EndpointAgent, limits: Limits): Promise<Socket> {
  const { host, port } = readEndpoint(entry.endpoint);
  const socket = connect({ host, port });
  const timeout = AbortSignal.timeout(limits.dialMs);
  try {
    await once(socket, "connect", { signal: timeout });
  } catch (error) {
    socket.destroy();
    throw dialFailure(entry, timeout.aborted ? "ETIMEDOUT" : codeOf(error), error);
  }
  socket.setNoDelay(true);
  socket.setKeepAlive(true);
  return socket;
}

/** Parses "tcp://host:port". Throws `invalid-params` for anything else. */
export function readEndpoint(endpoint: string): { readonly host: string; readonly port: number } {
  const url = URL.parse(endpoint);
  const port = Number(url?.port);
  const rest = `${url?.username}${url?.password}${url?.pathname.replace(/^\/$/, "")}${url?.search}${url?.hash}`;
  if (url?.protocol !== "tcp:" || url.hostname === "" || !(port > 0) || rest !== "")
    throw new LandlineError("invalid-params", {
      message: `"${endpoint.slice(0, 200)}" is not the address of an agent.`,
      help: "Write it as tcp://host:port.",
    });
  return { host: url.hostname.replace(/^\[|\]$/g, ""), port };
}

/**
 * The agent's process is not ours, so stopping closes the connection. Terminals started for it carry its mark and are
 * swept.
 */
export class SocketTransport implements Transport {
  readonly connection: AgentConnection;
  readonly confinement = null;
  readonly places = null;
  readonly permits = null;
  readonly exited: Promise<AgentExit>;
  readonly done: Promise<unknown>;
  forced = false;
  readonly #socket: Socket;
  readonly #limits: Limits;
  #stopping: Promise<AgentExit> | undefined;

  constructor(
    socket: Socket,
    connection: AgentConnection,
    limits: Limits,
    sweep: () => Promise<void>,
  ) {
    this.#socket = socket;
    this.connection = connection;
    this.#limits = limits;
    this.exited = new Promise((resolve) => {
      socket.once("close", () => resolve({ code: null, signal: null, stderr: "" }));
    });
    this.done = this.exited.then(sweep);
  }

  /** The stderr of a remote agent is not available. */
  stderr(): string {
    return "";
  }

  stop(): Promise<AgentExit> {
    this.#stopping ??= this.#hangUp(this.#limits.agentInputMs);
    return this.#stopping;
  }

  shutDown(): Promise<AgentExit> {
    this.#stopping ??= this.#hangUp(this.#limits.shutdownInputMs);
    return this.#stopping;
  }

  /** Flushes pending output first, if the agent reads it. */
  async #hangUp(timeoutMs: number): Promise<AgentExit> {
    this.#socket.destroySoon();
    this.forced = !(await finishedWithin(this.exited, timeoutMs));
    this.connection.destroy();
    await this.done;
    return this.exited;
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? "unknown";
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "there is no such host",
  EAI_AGAIN: "the host name can't be resolved now",
  EHOSTUNREACH: "the host can't be reached",
  ENETUNREACH: "the network can't be reached",
  ETIMEDOUT: "it did not answer in time",
  ECONNRESET: "it closed the connection",
};

function dialFailure(entry: EndpointAgent, code: string, cause: unknown): LandlineError {
  return new LandlineError("agent-start-failed", {
    message: `${entry.name} could not be reached at ${entry.endpoint}: ${reasons[code] ?? code}.`,
    help: "Start the agent there, or correct its address in the config.",
    data: {
      agent: entry.id,
      endpoint: entry.endpoint,
      reason: code,
      exitCode: null,
      signal: null,
      stderr: "",
    },
    cause,
  });
}
