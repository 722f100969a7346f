import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import {
  parseJSONRPCMessage,
  type JSONRPCMessage,
  type McpServer,
  type Transport,
} from "@modelcontextprotocol/server";
import { listen, type HttpMcpServer } from "./http-server.ts";

/**
 * The transport before Streamable HTTP: a GET opens the stream, which names the URL for POST requests. The official
 * package no longer contains its server side, but clients still encounter it.
 */
class SseTransport implements Transport {
  onclose?: () => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
    response.on("close", () => this.onclose?.());
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    this.#response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.#response.end();
    return Promise.resolve();
  }
}

export async function startSseMcpServer(create: () => McpServer, port = 0): Promise<HttpMcpServer> {
  const sessions = new Map<string, SseTransport>();
  return listen(port, async (request, response) => {
    const session = new URL(request.url ?? "/", "http://127.0.0.1").searchParams.get("session");
    if (request.method === "GET") {
      const id = randomUUID();
      const transport = new SseTransport(response);
      sessions.set(id, transport);
      response.on("close", () => sessions.delete(id));
      await create().connect(transport);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`event: endpoint\ndata: /messages?session=${id}\n\n`);
      return;
    }
    const transport = sessions.get(session ?? "");
    if (request.method !== "POST" || transport === undefined) {
      response.writeHead(405).end();
      return;
    }
    const message = parseJSONRPCMessage(JSON.parse(await textOf(request)));
    response.writeHead(202).end();
    transport.onmessage?.(message);
  });
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const piece of request.setEncoding("utf8")) text += String(piece);
  return text;
}
