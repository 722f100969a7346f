import { SseClient } from "./sse-client.ts";
import type { AskInit, TestGateway } from "./test-gateway.ts";

export interface AcpMessage {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

export const initializeMessage = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: 1 },
};

/** An ACP client over HTTP that does each request itself, so that it can do wrong ones too. */
export class AcpHttpClient {
  readonly id: string;
  readonly #gateway: TestGateway;
  readonly #as: string;
  readonly #streams: SseClient[] = [];

  private constructor(gateway: TestGateway, id: string, as: string) {
    this.#gateway = gateway;
    this.id = id;
    this.#as = as;
  }

  static async connect(gateway: TestGateway, as = "control"): Promise<AcpHttpClient> {
    const answer = await postTo(gateway, initializeMessage, { as });
    const id = answer.headers.get("acp-connection-id");
    if (answer.status !== 200 || id === null) throw new Error(await answer.text());
    return new AcpHttpClient(gateway, id, as);
  }

  /** Sends a message about a session, with its header. */
  post(message: object, sessionId?: string, { headers, ...init }: AskInit = {}): Promise<Response> {
    return postTo(this.#gateway, message, {
      as: this.#as,
      ...init,
      headers: {
        "acp-connection-id": this.id,
        ...(sessionId !== undefined && { "acp-session-id": sessionId }),
        ...headers,
      },
    });
  }

  /** Opens the stream of a session, or of the connection. */
  async stream(sessionId?: string, lastEventId?: string): Promise<SseClient> {
    const { token } = await this.#gateway.tokenOf(this.#as);
    const stream = new SseClient(this.#gateway.port, "/acp", {
      authorization: `Bearer ${token}`,
      accept: "text/event-stream",
      "acp-connection-id": this.id,
      ...(sessionId !== undefined && { "acp-session-id": sessionId }),
      ...(lastEventId !== undefined && { "last-event-id": lastEventId }),
    });
    this.#streams.push(stream);
    return stream;
  }

  delete(as = this.#as): Promise<Response> {
    const headers = { "acp-connection-id": this.id };
    return this.#gateway.ask("/acp", { method: "DELETE", headers, as });
  }

  [Symbol.dispose](): void {
    for (const stream of this.#streams) stream.close();
  }
}

export function postTo(
  gateway: TestGateway,
  body: unknown,
  { headers, as = "control" }: AskInit = {},
): Promise<Response> {
  return gateway.ask("/acp", {
    method: "POST",
    body,
    headers: { "content-type": "application/json", ...headers },
    as,
  });
}

/** The messages of a stream so far. */
export function messagesOf({ events }: SseClient): readonly AcpMessage[] {
  return events.map(({ data }) => JSON.parse(data) as AcpMessage);
}

/** Waits for the response to a request. */
export async function responseTo(stream: SseClient, id: number): Promise<AcpMessage> {
  const find = () => messagesOf(stream).find((message) => message.id === id && !message.method);
  await stream.until(() => find() !== undefined);
  return find() ?? {};
}
