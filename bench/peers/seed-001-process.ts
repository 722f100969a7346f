import { spawn } from "node:child_process";
import type { AddressInfo } from "node:net";
import { WebSocket, WebSocketServer } from "ws";

/**
 * What the sample in section 7.5 of seed 001 does for each event: joins and splits text, parses and translates every
 * line, serializes every event once and sends it to each client.
 */
interface AcpMessage {
  readonly method?: string;
  readonly params?: {
    readonly update: {
      readonly sessionUpdate: string;
      readonly content: { readonly text: string };
    };
  };
}

const [command = "", ...args] = process.argv.slice(2);
const agent = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
const clients = new Map<number, WebSocket>();
let nextClient = 0;
let buffer = "";

function translate(message: AcpMessage): object {
  if (message.method !== "session/update" || !message.params) return { type: "raw", data: message };
  const { update } = message.params;
  return update.sessionUpdate === "agent_message_chunk"
    ? { type: "message_chunk", content: update.content.text, timestamp: Date.now() }
    : { type: "unknown_update", raw: update };
}

function broadcast(event: object): void {
  const text = JSON.stringify(event);
  for (const client of clients.values())
    if (client.readyState === WebSocket.OPEN) client.send(text);
}

agent.stdout.on("data", (bytes: Buffer) => {
  buffer += bytes.toString();
  const lines = buffer.split("\n");
  buffer = lines.pop() ?? "";
  for (const line of lines) if (line.trim()) broadcast(translate(JSON.parse(line) as AcpMessage));
});

server.on("connection", (client) => {
  const id = nextClient++;
  clients.set(id, client);
  client.on("message", (data: Buffer) => {
    const { sessionId, content } = JSON.parse(data.toString()) as Record<string, string>;
    const params = { sessionId, prompt: [{ type: "text", text: content }] };
    const prompt = { jsonrpc: "2.0", id: Date.now(), method: "session/prompt", params };
    agent.stdin.write(`${JSON.stringify(prompt)}\n`);
  });
  client.on("close", () => clients.delete(id));
});

server.on("listening", () => {
  console.log(JSON.stringify({ port: (server.address() as AddressInfo).port }));
});
