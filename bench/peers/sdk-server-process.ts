import { spawn } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable, Writable } from "node:stream";
import { ndJsonStream, type Stream } from "@agentclientprotocol/sdk";
import { createNodeWebSocketUpgradeHandler } from "@agentclientprotocol/sdk/experimental/node";
import { AcpServer } from "@agentclientprotocol/sdk/experimental/server";
import { WebSocketServer } from "ws";

const [command = "", ...args] = process.argv.slice(2);

/** Connects both streams to those of an agent, without inspecting messages. */
function connectAgent(client: Stream): void {
  const agent = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const stream = ndJsonStream(
    Writable.toWeb(agent.stdin),
    Readable.toWeb(agent.stdout) as ReadableStream<Uint8Array>,
  );
  const end = () => agent.kill();
  client.readable.pipeTo(stream.writable).then(end, end);
  stream.readable.pipeTo(client.writable).then(end, end);
}

const acp = new AcpServer({ createAgent: () => ({ connect: connectAgent }) });
const sockets = new WebSocketServer({ noServer: true });
const http = createServer((_, response) => response.writeHead(404).end());
http.on("upgrade", createNodeWebSocketUpgradeHandler(acp, sockets));
http.listen(0, "127.0.0.1", () => {
  console.log(JSON.stringify({ port: (http.address() as AddressInfo).port }));
});
