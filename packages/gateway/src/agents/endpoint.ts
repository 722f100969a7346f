import { connect, type Socket } from "node:net";
import { once } from "node:events";
import { LandlineError, type Limits } from "@landline/protocol";
import type { AgentExit, EndpointAgent } from "./agent.ts";
import type { AgentConnection } from "../acp-connection/connection.ts";
import type { Transport } from "./transport.ts";
import { finishedWithin } from "@landline/system/finished-within";

/** Reaches an agent that listens on TCP. */
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

/** "tcp://host:port" in its parts. Throws `invalid-params` for anything else. */
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
 * What the agent runs in is not ours to end: stopping is hanging up. What we started for it (its
 * terminals) carries its mark and is swept, as with any agent.
 */
export class SocketTransport implements Transport {
  readonly connection: AgentConnection;
  readonly confinement = null;
  readonly places = null;
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

  /** An agent elsewhere has a stderr of its own. */
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

  /** What was written is sent first, if the agent reads it. */
  async #hangUp(patienceMs: number): Promise<AgentExit> {
    this.#socket.destroySoon();
    this.forced = !(await finishedWithin(this.exited, patienceMs));
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
  EAI_AGAIN: "the name of the host can't be looked up now",
  EHOSTUNREACH: "the host can't be reached",
  ENETUNREACH: "the network can't be reached",
  ETIMEDOUT: "it did not answer in time",
  ECONNRESET: "it hung up",
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
