import { request, type IncomingMessage } from "node:http";
import { Readable } from "node:stream";

export interface SentParts {
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/** As `fetch`, over a socket in the file system, which `fetch` itself can't use. */
export function fetchBySocket(
  socketPath: string,
  url: string,
  { method, headers, body, signal }: SentParts & { readonly method: string },
): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const { pathname, search } = new URL(url);
  const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
  const sent = request({
    socketPath,
    path: pathname + search,
    method,
    headers: { ...headers, ...length, host: "localhost" },
    signal,
  });
  sent.on("response", (incoming) => resolve(responseOf(incoming)));
  sent.on("error", (error) => reject(signal.aborted ? (signal.reason as Error) : error));
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
