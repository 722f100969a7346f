/**
 * A client for tests of the scripted agent: records every line of the agent, in order and unparsed, and answers its
 * requests from a table.
 */
import type { Readable, Writable } from "node:stream";
import { isObject, type JsonObject } from "./json.ts";

export type ClientAnswers = Readonly<
  Record<string, (params: JsonObject) => { result: unknown } | { error: unknown } | "never">
>;

export class WireClient {
  /** Every message, in order. */
  readonly messages: JsonObject[] = [];
  /** Every line that was not a JSON object. */
  readonly noise: string[] = [];
  readonly chunks: Buffer[] = [];
  answers: ClientAnswers;
  readonly #output: Writable;
  readonly #waiting = new Set<() => void>();
  /** The method of each request that was sent, by its id. */
  readonly sent = new Map<unknown, string>();
  #rest: Buffer[] = [];
  #nextId = 0;

  constructor(input: Readable, output: Writable, answers: ClientAnswers = {}) {
    this.answers = answers;
    this.#output = output;
    output.on("error", () => undefined);
    input.on("error", () => undefined);
    input.on("data", (chunk: Buffer) => {
      this.#read(chunk);
    });
    input.on("close", () => {
      this.wake();
    });
  }

  async request(method: string, params: JsonObject = {}): Promise<JsonObject> {
    const id = this.send(method, params);
    return await this.until((message) => message["method"] === undefined && message["id"] === id);
  }

  /** Sends a request without waiting, and returns its id. */
  send(method: string, params: JsonObject = {}): number {
    const id = this.#nextId++;
    this.sent.set(id, method);
    this.write({ jsonrpc: "2.0", id, method, params });
    return id;
  }

  notify(method: string, params: JsonObject = {}): void {
    this.write({ jsonrpc: "2.0", method, params });
  }

  write(message: unknown): void {
    this.raw(`${JSON.stringify(message)}\n`);
  }

  raw(text: string | Uint8Array): void {
    this.#output.write(text);
  }

  closeInput(): void {
    this.#output.end();
  }

  /** The first matching message, past or future. */
  async until(fits: (message: JsonObject) => boolean): Promise<JsonObject> {
    await this.settled(() => this.messages.some(fits));
    const found = this.messages.find(fits);
    if (found === undefined) throw new Error("unreachable: the message was there");
    return found;
  }

  async settled(condition: () => boolean): Promise<void> {
    while (!condition()) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.add(resolve);
      await promise;
      this.#waiting.delete(resolve);
    }
  }

  async initialize(capabilities: JsonObject = {}): Promise<JsonObject> {
    const params = { protocolVersion: 1, clientCapabilities: capabilities };
    return await this.request("initialize", params);
  }

  async newSession(cwd = "/repo"): Promise<string> {
    const answer = await this.request("session/new", { cwd, mcpServers: [] });
    return String(resultOf(answer)["sessionId"]);
  }

  sendPrompt(sessionId: string, text: string): number {
    return this.send("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  }

  async prompt(sessionId: string, text: string): Promise<JsonObject> {
    return await this.answerTo(this.sendPrompt(sessionId, text));
  }

  async answerTo(id: number): Promise<JsonObject> {
    return await this.until((message) => message["method"] === undefined && message["id"] === id);
  }

  /** The values of `params.update`, in order; those of one session when an id is given. */
  updates(sessionId?: string): JsonObject[] {
    return this.messages.flatMap(({ method, params }) => {
      if (method !== "session/update" || !isObject(params)) return [];
      if (sessionId !== undefined && params["sessionId"] !== sessionId) return [];
      return isObject(params["update"]) ? [params["update"]] : [];
    });
  }

  /** The text of all message chunks, joined. */
  said(): string {
    return this.updates()
      .filter((update) => update["sessionUpdate"] === "agent_message_chunk")
      .map((update) => (isObject(update["content"]) ? String(update["content"]["text"]) : ""))
      .join("");
  }

  bytes(): Buffer {
    return Buffer.concat(this.chunks);
  }

  #read(chunk: Buffer): void {
    this.chunks.push(chunk);
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      this.#rest.push(chunk.subarray(start, end));
      this.#take(Buffer.concat(this.#rest).toString("utf8"));
      this.#rest = [];
      start = end + 1;
    }
    this.#rest.push(chunk.subarray(start));
    this.wake();
  }

  #take(line: string): void {
    const message = parsed(line);
    if (message === undefined) {
      this.noise.push(line);
      return;
    }
    this.messages.push(message);
    const { id, method, params } = message;
    if (typeof method !== "string" || id === undefined) return;
    const answer = this.answers[method]?.(isObject(params) ? params : {}) ?? {
      error: { code: -32601, message: "Method not found" },
    };
    if (answer !== "never") this.write({ jsonrpc: "2.0", id, ...answer });
  }

  /** Wakes all waiters. */
  protected wake(): void {
    for (const resolve of this.#waiting) resolve();
  }
}

export function resultOf(message: JsonObject): JsonObject {
  return isObject(message["result"]) ? message["result"] : {};
}

export function errorOf(message: JsonObject): JsonObject {
  return isObject(message["error"]) ? message["error"] : {};
}

function parsed(line: string): JsonObject | undefined {
  try {
    const message: unknown = JSON.parse(line);
    return isObject(message) ? message : undefined;
  } catch {
    return undefined;
  }
}
