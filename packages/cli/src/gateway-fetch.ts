import { request, type IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { LandlineError } from "@landline/protocol";
import { certificateProblem } from "@landline/system/certificate-problem";

export interface GatewayAddress {
  /** With the base path, without a trailing slash. */
  readonly url: string;
  /** A socket that accepts every process that can open it. */
  readonly socket?: string | null;
  /** Required if there is no socket. */
  readonly token?: string;
}

/** `fetch` for one gateway, over its socket if it has one. If the connection fails, the error names the gateway. */
export function gatewayFetch({ url, socket = null }: GatewayAddress): typeof fetch {
  return async (input, init) => {
    const asked = new Request(input, init);
    try {
      return await (socket === null ? fetch(asked) : fetchBySocket(socket, asked));
    } catch (error) {
      if (asked.signal.aborted) throw error;
      throw unreachable(url, error);
    }
  };
}

function unreachable(url: string, error: unknown): LandlineError {
  const { code } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
  const certificate = certificateProblem(error, "this command");
  const because = certificate ? `: ${certificate.message}` : code === undefined ? "" : ` (${code})`;
  return new LandlineError("connection-lost", {
    message: `The gateway at ${url} can't be reached${because}.`,
    help: certificate?.help ?? "Check whether it is still running: `landline doctor`.",
    // The client treats it as a lost connection, not as a response.
    data: { unreachable: true },
    cause: error,
  });
}

async function fetchBySocket(socketPath: string, asked: Request): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const { pathname, search } = new URL(asked.url);
  const body = Buffer.from(await asked.arrayBuffer());
  const { method, signal } = asked;
  const sent = request({
    socketPath,
    path: pathname + search,
    method,
    headers: {
      ...Object.fromEntries(asked.headers),
      host: "localhost",
      ...(body.length === 0 ? {} : { "content-length": String(body.length) }),
    },
    signal,
  });
  sent.on("response", (incoming) => resolve(responseOf(incoming)));
  sent.on("error", reject);
  sent.end(body);
  return promise;
}

function responseOf(incoming: IncomingMessage): Response {
  const status = incoming.statusCode ?? 500;
  const headers = new Headers();
  for (const [name, values] of Object.entries(incoming.headersDistinct))
    for (const value of values ?? []) headers.append(name, value);
  const isEmpty = status === 204 || status === 304;
  if (isEmpty) incoming.resume();
  const stream = Readable.toWeb(incoming) as unknown as ReadableStream<Uint8Array>;
  return new Response(isEmpty ? null : stream, { status, headers });
}
