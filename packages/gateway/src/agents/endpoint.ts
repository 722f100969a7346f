import { connect, Socket } from "node:net";
import { once } from "node:events";
import type { Duplex } from "node:stream";
import { LandlineError, type Limits } from "@landline/protocol";
import type { AgentExit, EndpointAgent } from "./agent.ts";
import type { AgentConnection } from "../acp-connection/connection.ts";
import { readEndpoint } from "./endpoint-address.ts";
import type { Transport } from "./transport.ts";
import { certificateProblem } from "@landline/system/certificate-problem";
import { finishedWithin } from "@landline/system/finished-within";

/** Connects to an agent at an address. Returns a stream of lines. */
export async function dial(entry: EndpointAgent, limits: Limits): Promise<Duplex> {
  const address = readEndpoint(entry.endpoint);
  try {
    if (address.kind === "tcp") return await dialTcp(address, limits);
    const target = { url: address.url, limits, token: entry.token };
    return address.kind === "web-socket"
      ? await (await import("./dial-web-socket.ts")).dialWebSocket(target)
      : (await import("./dial-http.ts")).dialHttp(target);
  } catch (error) {
    throw dialFailure(entry, error);
  }
}

async function dialTcp(
  { host, port }: { readonly host: string; readonly port: number },
  limits: Limits,
): Promise<Socket> {
  const socket = connect({ host, port });
  const timeout = AbortSignal.timeout(limits.dialMs);
  try {
    await once(socket, "connect", { signal: timeout });
  } catch (error) {
    socket.destroy();
    throw timeout.aborted ? timedOut() : error;
  }
  socket.setNoDelay(true);
  socket.setKeepAlive(true);
  return socket;
}

export function timedOut(): Error {
  return Object.assign(new Error("timed out"), { code: "ETIMEDOUT" });
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
  /** Why the connection broke. */
  failure: Error | null = null;
  readonly #socket: Duplex;
  readonly #limits: Limits;
  #stopping: Promise<AgentExit> | undefined;

  constructor(
    socket: Duplex,
    connection: AgentConnection,
    limits: Limits,
    sweep: () => Promise<void>,
  ) {
    this.#socket = socket;
    this.connection = connection;
    this.#limits = limits;
    socket.on("error", (error) => (this.failure ??= error));
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
    if (this.#socket instanceof Socket) this.#socket.destroySoon();
    else this.#socket.end();
    this.forced = !(await finishedWithin(this.exited, timeoutMs));
    this.connection.destroy();
    await this.done;
    return this.exited;
  }
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "there is no such host",
  EAI_AGAIN: "the host name can't be resolved now",
  EHOSTUNREACH: "the host can't be reached",
  ENETUNREACH: "the network can't be reached",
  ETIMEDOUT: "it did not answer in time",
  ECONNRESET: "it closed the connection",
  "HTTP 401": "it wants another token (HTTP 401)",
  "HTTP 403": "it does not allow it (HTTP 403)",
  "HTTP 404": "there is no agent under this path (HTTP 404)",
  "HTTP 502": "the agent behind the server can't be reached (HTTP 502)",
  "HTTP 503": "the server is not ready (HTTP 503)",
};

const transientReasons: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ETIMEDOUT",
  "ECONNRESET",
  "HTTP 502",
  "HTTP 503",
]);

/** Whether the agent at an address may be reached later. */
export function mayBeReachedLater(error: unknown): boolean {
  return (
    error instanceof LandlineError &&
    error.code === "agent-start-failed" &&
    transientReasons.has(error.data["reason"])
  );
}

export function dialFailure(entry: EndpointAgent, error: unknown): LandlineError {
  const reason = reasonOf(error);
  const isToken = reason === "HTTP 401" || reason === "HTTP 403";
  const certificate = certificateProblem(error, "the gateway");
  const because = certificate?.message ?? reasons[reason] ?? reason;
  const other = isToken
    ? "Correct its token: `token` in the config, or the environment variable."
    : "Start the agent there, or correct its address in the config.";
  return new LandlineError("agent-start-failed", {
    message: `${entry.name} could not be reached at ${entry.endpoint}: ${because}.`,
    help: certificate?.help ?? other,
    data: {
      agent: entry.id,
      endpoint: entry.endpoint,
      reason,
      exitCode: null,
      signal: null,
      stderr: "",
    },
    cause: error,
  });
}

/** The code of the system, or the HTTP status. `fetch` has the code in its cause. */
function reasonOf(error: unknown): string {
  const { code, status, cause, message } = error as NodeJS.ErrnoException & { status?: number };
  if (typeof status === "number") return `HTTP ${status}`;
  if (typeof code === "string") return code;
  return cause === undefined ? message.slice(0, 200) : reasonOf(cause);
}
