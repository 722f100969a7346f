import { createServer, type Server } from "node:http";
import { Readable, Writable } from "node:stream";
import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import {
  createNodeHttpHandler,
  createNodeWebSocketUpgradeHandler,
} from "@agentclientprotocol/sdk/experimental/node";
import { AcpServer } from "@agentclientprotocol/sdk/experimental/server";
import { WebSocketServer } from "ws";

/** Serves agents over Streamable HTTP and WebSocket, at any path, with the server of the official SDK. */
export function webServer(
  play: (input: Readable, output: Writable) => void,
  token: string | undefined,
): Server {
  const acp = new AcpServer({
    createAgent: () => ({ connect: (stream) => connect(stream, play) }),
  });
  const answer = createNodeHttpHandler(acp);
  const upgrade = createNodeWebSocketUpgradeHandler(acp, new WebSocketServer({ noServer: true }));
  const isRefused = (given: string | undefined) =>
    token !== undefined && given !== `Bearer ${token}`;
  const server = createServer((request, response) => {
    if (isRefused(request.headers.authorization)) response.writeHead(401).end();
    else answer(request, response);
  });
  server.on("upgrade", (request, socket, head) => {
    if (isRefused(request.headers.authorization)) socket.end("HTTP/1.1 401 Unauthorized\r\n\r\n");
    else upgrade(request, socket, head);
  });
  return server;
}

function connect(
  { readable, writable }: Stream,
  play: (input: Readable, output: Writable) => void,
): void {
  const writer = writable.getWriter();
  let rest = "";
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      const lines = (rest + chunk.toString()).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) writer.write(JSON.parse(line) as AnyMessage).catch(() => undefined);
      done();
    },
    final(done) {
      void closed(writer);
      done();
    },
    destroy(error, done) {
      void closed(writer);
      done(error);
    },
  });
  play(Readable.from(textOf(readable)), output);
}

async function* textOf(messages: AsyncIterable<AnyMessage>): AsyncIterable<Buffer> {
  for await (const message of messages) yield Buffer.from(`${JSON.stringify(message)}\n`);
}

async function closed(writer: WritableStreamDefaultWriter<AnyMessage>): Promise<void> {
  await writer.close().catch(() => undefined);
}
