import { once } from "node:events";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { randomBytes } from "node:crypto";
import { isLoopbackHost } from "@landline/system/loopback";
import { createApp } from "./acp/app.ts";
import { messageStream, type MessageStreamOptions } from "./acp/message-stream.ts";
import { createHost, type AgentOptions } from "./agent.ts";
import { terminationSignal } from "@landline/system/termination-signal";
import { connectionLimits } from "./limits.ts";
import { TokenAuthentication } from "./token-authentication.ts";
import { UsageError } from "./usage-error.ts";
import { finishedWithin } from "@landline/system/finished-within";

/**
 * Speaks ACP to authenticated TCP clients, each with its own host, which is closed with the connection.
 * Prints the address as one line of JSON. Ends everything on a signal.
 */
export async function serveTcp(
  options: AgentOptions,
  messages: MessageStreamOptions,
  port: number,
  address: string,
): Promise<number> {
  const token = tokenFor(address, options.environment["LANDLINE_TOKEN"]);
  // Registered first, so that a signal during startup is not lost.
  const stopSignal = terminationSignal();
  const connections = new Connections(options, messages, new TokenAuthentication(token));
  const server = createServer({ allowHalfOpen: true }, (socket) => connections.accept(socket));
  const { host, port: actual } = await listen(server, port, address);
  process.stdout.write(`${JSON.stringify({ host, port: actual, token })}\n`);
  await stopSignal;
  server.close();
  await finishedWithin(connections.end(), connectionLimits.closeMs);
  return 0;
}

function tokenFor(address: string, given: string | undefined): string {
  if (isLoopbackHost(address)) return given || randomBytes(24).toString("base64url");
  if (given !== undefined && given.length >= connectionLimits.tokenCharactersMin) return given;
  throw new UsageError(
    `Anyone who can reach ${address} could run commands here. Set LANDLINE_TOKEN to a secret of at least ${connectionLimits.tokenCharactersMin} characters, which clients must give; nothing is encrypted, so use it inside a network that you trust, or keep to 127.0.0.1 behind a tunnel.`,
  );
}

async function listen(
  server: Server,
  port: number,
  address: string,
): Promise<{ host: string; port: number }> {
  server.listen({ port, host: address });
  try {
    await once(server, "listening");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === "EADDRINUSE" ? "the port is taken" : (code ?? "unknown");
    throw new Error(`It can't listen on ${address}, port ${port}: ${why}. Choose another --port.`, {
      cause: error,
    });
  }
  const bound = server.address() as AddressInfo;
  return { host: bound.address, port: bound.port };
}

class Connections {
  readonly #options: AgentOptions;
  readonly #messages: MessageStreamOptions;
  readonly #gate: TokenAuthentication;
  readonly #sockets = new Map<Socket, Promise<void>>();

  constructor(options: AgentOptions, messages: MessageStreamOptions, gate: TokenAuthentication) {
    this.#options = options;
    this.#messages = messages;
    this.#gate = gate;
  }

  accept(socket: Socket): void {
    // The end of the connection reports failures.
    socket.on("error", () => undefined);
    if (this.#sockets.size >= connectionLimits.connections) return void socket.destroy();
    const served = this.#serve(socket).finally(() => {
      socket.destroy();
      this.#sockets.delete(socket);
    });
    this.#sockets.set(socket, served);
  }

  async #serve(socket: Socket): Promise<void> {
    socket.setNoDelay(true);
    socket.setKeepAlive(true);
    if (!(await this.#gate.authenticates(socket))) return;
    const host = createHost(this.#options);
    const connection = createApp(host).connect(messageStream(socket, socket, this.#messages));
    const gone = once(socket, "close").catch(() => undefined);
    await Promise.race([connection.closed, gone]);
    await finishedWithin(host.close(), connectionLimits.closeMs);
  }

  async end(): Promise<void> {
    const served = [...this.#sockets.values()];
    for (const socket of this.#sockets.keys()) socket.destroy();
    await Promise.all(served);
  }
}
