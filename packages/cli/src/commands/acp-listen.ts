import { createServer, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { LandlineError } from "@landline/protocol";
import { finishedWithin } from "@landline/system/finished-within";
import { readFirstLine, refuseConnection, tokenNeeded } from "@landline/system/first-line-token";
import { AcceptedConnections, authorityOf, listenOn } from "@landline/system/listening";
import { isLoopbackHost } from "@landline/system/loopback";
import { onTerminationSignal } from "@landline/system/termination-signal";
import type { CommandContext } from "../command-context.ts";
import { exitCode } from "../exit-code.ts";

export interface AcpListenOptions {
  /** HOST:PORT, or :PORT and PORT for loopback. */
  readonly address: string;
  readonly insecureLan: boolean;
  /** Passes the messages of a client with this token to the gateway, until one of both ends. */
  readonly serve: (stream: Duplex, token: string) => Promise<void>;
}

/** Connections at the same time, including those without a token. Further ones are closed. */
const CONNECTIONS = 64;
const CLOSE_MS = 5_000;

/**
 * Accepts ACP clients over TCP, one message a line. The first line has a token of the gateway, with which the
 * connection is made there: roles, revocation and the slowing of guesses are the gateway's.
 */
export async function listenForAcp(
  { output }: CommandContext,
  { address, insecureLan, serve }: AcpListenOptions,
): Promise<number> {
  const place = placeOf(address);
  if (!isLoopbackHost(place.host)) {
    if (!insecureLan)
      throw new LandlineError("config-invalid", {
        message: `Listening on ${place.host} would send tokens, which permit running commands here, over the network unencrypted.`,
        help: "Keep 127.0.0.1 and use a tunnel, or accept the risk with --insecure-lan.",
      });
    output.note("Warning: everybody on the network can read the tokens and the conversations.");
  }
  const ending = new AbortController();
  const ended = new Promise<void>((resolve) =>
    ending.signal.addEventListener("abort", () => resolve()),
  );
  using _signals = onTerminationSignal(() => ending.abort());
  const connections = new AcceptedConnections(CONNECTIONS, (stream) => serveClient(stream, serve));
  const server = createServer((socket: Socket) => {
    socket.setNoDelay(true);
    socket.setKeepAlive(true);
    connections.accept(socket);
  });
  const bound = await listenOn(server, place);
  const listening = { ...bound, url: `tcp://${authorityOf(bound)}` };
  process.stdout.write(`${JSON.stringify(listening)}\n`);
  await ended;
  server.close();
  await finishedWithin(connections.end(), CLOSE_MS);
  return exitCode.done;
}

async function serveClient(stream: Duplex, serve: AcpListenOptions["serve"]): Promise<void> {
  const first = await readFirstLine(stream);
  if (typeof first?.token !== "string") {
    await refuseConnection(stream, first?.id ?? null, tokenNeeded);
    return;
  }
  try {
    await serve(stream, first.token);
  } catch (error) {
    const { message } = error as Error;
    await refuseConnection(stream, first.id, message, "connection-refused");
  }
}

function placeOf(address: string): { readonly host: string; readonly port: number } {
  const [, host = "", digits = ""] = /^(?:(.*):)?(\d{1,5})$/.exec(address) ?? [];
  const port = Number(digits);
  if (digits === "" || port > 65_535)
    throw new LandlineError("invalid-params", {
      message: `--listen "${address.slice(0, 200)}" is not an address.`,
      help: "Write it as HOST:PORT, such as 127.0.0.1:4000. The port 0 picks a free one.",
    });
  return { host: host.replace(/^\[(.*)\]$/, "$1") || "127.0.0.1", port };
}
