import { spawn } from "node:child_process";
import { once } from "node:events";
import * as path from "node:path";
import type { Readable, Writable } from "node:stream";
import { scriptedAgentCommand } from "@landline/testing";
import { WebSocket } from "ws";
import type { ScriptedGateway } from "../sessions/scripted-gateway.ts";

export interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** An ACP client without the SDK, which drops what it does not know. */
export class RawClient implements Disposable {
  readonly messages: Message[] = [];
  /** Answers requests of the agent; undefined: later or never. */
  answer: (request: Message) => object | undefined = () => undefined;
  readonly #write: (line: string) => void;
  readonly #end: () => void;
  #changed = Promise.withResolvers<void>();
  #nextId = 0;

  constructor(write: (line: string) => void, end: () => void) {
    this.#write = write;
    this.#end = end;
  }

  heard(line: string): void {
    const message = JSON.parse(line) as Message;
    this.messages.push(message);
    if (message.method !== undefined && message.id !== undefined) {
      const result = this.answer(message);
      if (result) this.respond(message, result);
    }
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  respond({ id }: Message, result: object): void {
    this.#send({ id, result });
  }

  refuse({ id }: Message, error: object): void {
    this.#send({ id, error });
  }

  /** The id of the last request. */
  get lastId(): number {
    return this.#nextId - 1;
  }

  async until(fits: (message: Message) => boolean, from = 0): Promise<Message> {
    for (;;) {
      const found = this.messages.slice(from).find(fits);
      if (found) return found;
      await this.#changed.promise;
    }
  }

  async request(method: string, params: object): Promise<Readonly<Record<string, unknown>>> {
    const id = this.#nextId++;
    this.#send({ id, method, params });
    const { result, error } = await this.until((one) => one.id === id && one.method === undefined);
    if (result === undefined) throw Object.assign(new Error(error?.message), error);
    return result;
  }

  notify(method: string, params: object): void {
    this.#send({ method, params });
  }

  initialize(clientCapabilities: object = {}) {
    return this.request("initialize", { protocolVersion: 1, clientCapabilities });
  }

  async open(cwd: string): Promise<string> {
    const { sessionId } = await this.request("session/new", { cwd, mcpServers: [] });
    return sessionId as string;
  }

  prompt(sessionId: string, ...texts: string[]) {
    const prompt = texts.map((text) => ({ type: "text", text }));
    return this.request("session/prompt", { sessionId, prompt });
  }

  /** The updates of any session, without ids and the gateway's `_meta`. */
  updates(from = 0): unknown[] {
    return this.messages
      .slice(from)
      .filter(({ method }) => method === "session/update")
      .map(({ params }) => params?.["update"]);
  }

  #send(message: object): void {
    this.#write(JSON.stringify({ jsonrpc: "2.0", ...message }));
  }

  [Symbol.dispose](): void {
    this.#end();
  }
}

export async function connect(
  gateway: ScriptedGateway,
  agent = "agent",
  token = gateway.token,
): Promise<RawClient> {
  const { url } = gateway;
  const webSocket = new WebSocket(`${url.replace("http", "ws")}/acp?agent=${agent}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const client = new RawClient(
    (line) => webSocket.send(line),
    () => webSocket.terminate(),
  );
  webSocket.on("message", (data) => client.heard((data as Buffer).toString()));
  await once(webSocket, "open");
  return client;
}

/** A client of the scripted agent itself. Each call is another process with the same stored sessions. */
export function connectDirectly(gateway: ScriptedGateway): RawClient {
  const state = path.join(gateway.folder, "direct-state");
  const { command, args } = scriptedAgentCommand(path.join(gateway.folder, "agent.json"), {
    state,
  });
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"] });
  const { stdin, stdout } = child as { readonly stdin: Writable; readonly stdout: Readable };
  const client = new RawClient(
    (line) => stdin.write(`${line}\n`),
    () => child.kill(),
  );
  let rest = "";
  stdout.on("data", (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) client.heard(line);
  });
  return client;
}
