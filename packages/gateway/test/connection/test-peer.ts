import { PassThrough } from "node:stream";
import { setImmediate as soon } from "node:timers/promises";
import { limitsOf, type LandlineError, type Limits } from "@landline/protocol";
import type { AgentRequest } from "../../src/acp-connection/agent-request.ts";
import type { CallOptions, CallOutcome } from "../../src/acp-connection/calls.ts";
import { AgentConnection, type ConnectionHandlers } from "../../src/acp-connection/connection.ts";
import type { NoiseReport } from "../../src/acp-connection/noise.ts";

export const rpc = { jsonrpc: "2.0" };

/** The other end of the connection, and everything that the connection reported, in order. */
export class Wire implements ConnectionHandlers {
  readonly fromAgent: PassThrough;
  readonly toAgent = new PassThrough();
  readonly seen: unknown[] = [];
  readonly requests: AgentRequest[] = [];
  readonly noises: NoiseReport[] = [];
  readonly connection: AgentConnection;
  onRequest: (request: AgentRequest) => void | Promise<void> = () => {};
  #sent = "";

  constructor(limits: Partial<Limits> = {}, fromAgent = new PassThrough()) {
    this.fromAgent = fromAgent;
    this.toAgent.on("data", (chunk: Buffer) => (this.#sent += chunk.toString()));
    this.connection = new AgentConnection(this.fromAgent, this.toAgent, this, {
      limits: limitsOf("default", limits),
    });
  }
  update({ sessionId, update }: { sessionId: string; update: unknown }): void {
    this.seen.push(["update", sessionId, (update as { n?: number }).n ?? update]);
  }
  notification(method: string, params: unknown): void {
    this.seen.push(["notification", method, params]);
  }
  request(request: AgentRequest): void | Promise<void> {
    this.seen.push(["request", request.method]);
    this.requests.push(request);
    return this.onRequest(request);
  }
  noise(report: NoiseReport): void {
    this.noises.push(report);
  }
  flush(): void {
    this.seen.push("flush");
  }
  closed(error: LandlineError | null): void {
    this.seen.push(["closed", error?.code ?? null]);
  }

  outcome(method: string, params: unknown = {}, options: CallOptions = {}): Promise<CallOutcome> {
    return new Promise((resolve) => {
      this.connection.call(method, params, options, resolve);
    });
  }

  /** Everything in one write, as one read. */
  async say(...messages: (object | string)[]): Promise<void> {
    const text = messages.map((message) =>
      typeof message === "string" ? message : JSON.stringify(message),
    );
    this.fromAgent.write(text.map((line) => `${line}\n`).join(""));
    await soon();
  }
  async sent(): Promise<Record<string, unknown>[]> {
    await soon();
    await soon();
    return this.#sent
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }
  get messages(): unknown[] {
    return this.seen.filter((one) => one !== "flush");
  }
}

export const update = (n: number) => ({
  ...rpc,
  method: "session/update",
  params: { sessionId: "s", update: { sessionUpdate: "x", n } },
});
