import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { parseObject, receive, sendJson, type Exchange } from "./exchange.ts";
import type { JsonObject } from "./json.ts";
import { answerModelList } from "./models.ts";
import { answerError, play, whenGone, type Audience } from "./player.ts";
import { createIds, UnreadableRequest, type Ids } from "./provider.ts";
import { Recorder } from "./recorder.ts";
import type { Reply } from "./reply.ts";
import type { ModelRequest, RequestEnding, RequestReading } from "./request.ts";
import { createRouter, type Route, type Router } from "./route.ts";
import { ScriptReader, type Script } from "./script.ts";

export interface ModelServerOptions {
  readonly script: Script;
  /** Default: a free port. */
  readonly port?: number;
  /** Names for the model lists. Requests may name any model. */
  readonly models?: readonly string[];
}

export interface ModelServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** The last 1,000 requests for a reply, oldest first. */
  readonly requests: readonly ModelRequest[];
  /** A request matched nothing in the script. */
  readonly exhausted: boolean;
  /** Resolves to the request with this number (from 1) when it arrives. */
  whenRequested(number: number): Promise<ModelRequest>;
  /** Ends every reply and every connection. Idempotent. */
  close(): Promise<void>;
}

/**
 * A fake model provider on 127.0.0.1. Requests are answered concurrently; the script is read in the order in which they
 * arrived completely. An invalid request is rejected in the provider's form and uses no entry of the script.
 */
export async function startModelServer(options: ModelServerOptions): Promise<ModelServer> {
  const desk = new Desk(options);
  const server = createServer((request, response) => void desk.handle(request, response));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port: options.port ?? 0, host: "127.0.0.1" }, resolve);
  });
  const { port } = server.address() as AddressInfo;
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= new Promise<void>((resolve) => {
      server.close(() => resolve());
      desk.close();
      server.closeAllConnections();
    });
    return closing;
  };
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests: desk.recorder.requests,
    get exhausted() {
      return desk.script.exhausted;
    },
    whenRequested: (number) => desk.recorder.when(number),
    close,
    [Symbol.asyncDispose]: close,
  };
}

class Desk {
  readonly recorder = new Recorder();
  readonly script: ScriptReader;
  readonly #models: readonly string[];
  readonly #route: Router = createRouter();
  readonly #ids: Ids = createIds();
  readonly #closing = new AbortController();

  constructor({ script, models }: ModelServerOptions) {
    this.script = new ScriptReader(script);
    this.#models = models ?? ["scripted-model"];
  }

  close(): void {
    this.#closing.abort();
    this.recorder.close();
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const exchange = await receive(request, response);
      const { method, url } = exchange;
      const route = this.#route(method, url);
      if (route !== undefined) return await this.#answer(route, exchange);
      const { headers } = request;
      const list = answerModelList({ method, path: url.pathname, headers, models: this.#models });
      sendJson(response, list === undefined ? 404 : 200, list ?? notFound(exchange));
    } catch (error) {
      // The client has disconnected, or sent an invalid request.
      if (response.destroyed) return;
      if (response.headersSent) response.destroy();
      else sendJson(response, 400, { error: { message: `The model server: ${String(error)}` } });
    }
  }

  async #answer(route: Route, exchange: Exchange): Promise<void> {
    const parsed = parseObject(exchange.body);
    const body = parsed ?? {};
    let reading: RequestReading;
    try {
      if (parsed === undefined) throw new UnreadableRequest("The body is not a JSON object.");
      reading = route.provider.read(body, route.target);
    } catch (error) {
      if (!(error instanceof UnreadableRequest)) throw error;
      const problem = { status: 400, message: error.message };
      await answerError(problem, this.#audience(route, exchange, body, unread));
      return;
    }
    if (route.asks === "token-count")
      return sendJson(exchange.response, 200, tokenCount(route, exchange));
    const ended = Promise.withResolvers<RequestEnding>();
    const known = { body, reading, ended: ended.promise };
    const request = this.recorder.record(route.provider.name, exchange, known);
    const audience = this.#audience(route, exchange, body, reading);
    try {
      // A script may be slow or never answer. A client that disconnects does not wait for it.
      const reply = await Promise.race([this.#replyTo(request), whenGone(audience.signal)]);
      if (reply !== "client-gone") ended.resolve(await play(reply, audience));
    } finally {
      // After a failure, waiting callers must be released. A settled promise does not change.
      ended.resolve("client-gone");
    }
  }

  /** If there is no reply, returns an error reply. */
  async #replyTo(request: ModelRequest): Promise<Reply> {
    try {
      return (await this.script.next(request)) ?? failure(this.script.explain(request));
    } catch (error) {
      return failure(`The script of the model server threw: ${String(error)}`);
    }
  }

  #audience(
    { provider }: Route,
    { response }: Exchange,
    body: JsonObject,
    request: RequestReading,
  ): Audience {
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    return {
      response,
      provider,
      context: { ids: this.#ids, request, body, at: new Date() },
      signal: AbortSignal.any([gone.signal, this.#closing.signal]),
    };
  }
}

const unread: RequestReading = { model: "", stream: false, system: "", messages: [], tools: [] };

/** Clients of two providers retry unless a header forbids it. */
function failure(message: string): Reply {
  const headers = { "x-should-retry": "false" };
  return { trouble: { kind: "http-error", status: 500, message, headers } };
}

function notFound({ method, url }: Exchange) {
  const message =
    `The model server has nothing at ${method} ${url.pathname}${url.search}. It answers ` +
    "POST /v1/chat/completions, /v1/responses, /v1/messages, " +
    "/v1beta/models/MODEL:generateContent, :streamGenerateContent?alt=sse and /api/chat, " +
    "and GET of the model lists.";
  return { type: "error", error: { type: "not_found_error", code: 404, message } };
}

/** A rough count: four bytes per token. */
function tokenCount({ provider }: Route, { body }: Exchange) {
  const tokens = Math.ceil(Buffer.byteLength(body) / 4);
  return provider.name === "gemini" ? { totalTokens: tokens } : { input_tokens: tokens };
}
