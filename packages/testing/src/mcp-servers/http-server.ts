import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import {
  WebStandardStreamableHTTPServerTransport,
  type McpServer,
} from "@modelcontextprotocol/server";

/** An MCP server on 127.0.0.1. */
export interface HttpMcpServer extends AsyncDisposable {
  url: string;
  port: number;
  /** The headers of each request, in order. */
  requests: { method: string; headers: IncomingMessage["headers"] }[];
}

export interface HttpMcpServerOptions {
  /** Requests without this header are refused with 401. */
  authorization?: string;
  port?: number;
}

/** Streamable HTTP, one session for each client, at `/mcp`. */
export async function startHttpMcpServer(
  create: () => McpServer,
  { authorization, port = 0 }: HttpMcpServerOptions = {},
): Promise<HttpMcpServer> {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const open = async (): Promise<WebStandardStreamableHTTPServerTransport> => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await create().connect(transport);
    return transport;
  };
  return listen(port, async (request, response) => {
    if (authorization !== undefined && request.headers.authorization !== authorization) {
      response.writeHead(401).end();
      return;
    }
    const id = request.headers["mcp-session-id"];
    const known = typeof id === "string" ? sessions.get(id) : undefined;
    if (id !== undefined && known === undefined) {
      response.writeHead(404).end();
      return;
    }
    const transport = known ?? (await open());
    await reply(await transport.handleRequest(toRequest(request)), response);
  });
}

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Serves until it is disposed of, which closes every connection. */
export async function listen(port: number, handle: Handler): Promise<HttpMcpServer> {
  const requests: HttpMcpServer["requests"] = [];
  const server: Server = createServer((request, response) => {
    requests.push({ method: request.method ?? "", headers: request.headers });
    handle(request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(500);
      response.end(String(error));
    });
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}/mcp`,
    port: address.port,
    requests,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function toRequest(request: IncomingMessage): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) headers.set(name, String(value));
  const method = request.method ?? "GET";
  const body =
    method === "POST" ? { body: Readable.toWeb(request) as ReadableStream, duplex: "half" } : {};
  return new Request(new URL(request.url ?? "/", "http://127.0.0.1"), {
    method,
    headers,
    ...body,
  } as RequestInit);
}

async function reply(answer: Response, response: ServerResponse): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (answer.body === null) {
    response.end();
    return;
  }
  response.flushHeaders();
  const reader = answer.body.getReader();
  response.on("close", () => void reader.cancel().catch(() => {}));
  for (let part = await reader.read(); !part.done; part = await reader.read())
    response.write(part.value);
  response.end();
}
