import type { McpServer } from "@agentclientprotocol/sdk";
import type { Client } from "@modelcontextprotocol/client";
import { timeoutMeta } from "../config/convert-settings.ts";
import { mcpLimits } from "../limits.ts";
import type { ConnectOptions, OpenConnection } from "./connect.ts";
import { noFeatures, readFeatures, type ServerFeatures } from "./server-features.ts";
import { unlessAborted } from "@landline/system/unless-aborted";

export type ConnectionState = "connecting" | "ready" | "failed" | "closed";

export type ConnectionOptions = Pick<
  ConnectOptions,
  "cwd" | "directories" | "environment" | "elicitation"
> & {
  /** Timeout of a call without progress. */
  callMs: number;
  onChange(): void;
};

export class ServerUnavailable extends Error {
  override readonly name = "ServerUnavailable";
}

/**
 * One MCP server. It connects in the background; after a lost connection, the next use connects it again
 * once. Requests under way then fail and are not repeated, because they may have had an effect; a request
 * that the server never received is sent once more.
 */
export class Connection {
  readonly name: string;
  readonly server: McpServer;
  readonly #options: ConnectionOptions;
  readonly #stop = new AbortController();
  #state: ConnectionState = "connecting";
  #problem: string | undefined;
  #offer = noFeatures;
  #opened: OpenConnection | null = null;
  #opening: Promise<OpenConnection> | null = null;
  #questions = 0;

  constructor(name: string, server: McpServer, options: ConnectionOptions) {
    this.name = name;
    this.server = server;
    this.#options = options;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  get problem(): string | undefined {
    return this.#problem;
  }

  get features(): ServerFeatures {
    return this.#offer;
  }

  get callMs(): number {
    return this.#options.callMs;
  }

  /** True while the user is asked something for this server. */
  get isAsking(): boolean {
    return this.#questions > 0;
  }

  /** Resolves when the connection is ready or has failed. */
  async start(): Promise<void> {
    await this.#open().catch(() => {});
  }

  /** Throws ServerUnavailable, what `work` throws, or the signal's reason while it waits for the server. */
  async use<Value>(signal: AbortSignal, work: (client: Client) => Promise<Value>): Promise<Value> {
    const opened = await unlessAborted(this.#open(), signal);
    try {
      return await work(opened.client);
    } catch (error) {
      const { wasNotReceived } = await import("./connection-failure.ts");
      if (!wasNotReceived(error)) throw error;
      await this.#lose(opened, "The connection was lost. The next use reconnects.");
      return work((await unlessAborted(this.#open(), signal)).client);
    }
  }

  /** Within a second, whatever the server does. */
  async close(): Promise<void> {
    if (this.#state === "closed") return;
    this.#set("closed", undefined);
    this.#stop.abort(new ServerUnavailable(`The MCP server "${this.name}" is closed.`));
    const opened = this.#opened;
    this.#opened = null;
    await this.#opening?.catch(() => {});
    if (opened !== null) await closeQuietly(opened);
  }

  #open(): Promise<OpenConnection> {
    if (this.#state === "closed") {
      return Promise.reject(new ServerUnavailable(`The MCP server "${this.name}" is closed.`));
    }
    if (this.#opened !== null) return Promise.resolve(this.#opened);
    this.#opening ??= this.#connect().finally(() => {
      this.#opening = null;
    });
    return this.#opening;
  }

  async #connect(): Promise<OpenConnection> {
    this.#set("connecting", undefined);
    const limitMs = connectMs(this.server);
    const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(limitMs)]);
    try {
      const { connectServer } = await import("./connect.ts");
      const opened = await connectServer(this.server, {
        ...this.#options,
        signal,
        onListChanged: () => void this.#refresh(),
        onElicit: (work) => this.#whileAsking(work),
      });
      const features = await readFeatures(opened.client, signal).catch(async (error: unknown) => {
        await closeQuietly(opened);
        throw error;
      });
      if (this.#stop.signal.aborted) {
        await closeQuietly(opened);
        throw this.#stop.signal.reason;
      }
      this.#watch(opened);
      this.#opened = opened;
      this.#offer = features;
      this.#set("ready", undefined);
      return opened;
    } catch (error) {
      if (this.#state === "closed")
        throw new ServerUnavailable(`The MCP server "${this.name}" is closed.`);
      const { describeFailure } = await import("./connection-failure.ts");
      this.#set("failed", describeFailure(error, this.server, limitMs));
      throw new ServerUnavailable(this.#problem, { cause: error });
    }
  }

  #watch(opened: OpenConnection): void {
    const lost = (): void => void this.#lose(opened, lostWords(opened));
    const isSse = "type" in this.server && this.server.type === "sse";
    // A broken SSE stream reconnects as a new session, so treat it as lost.
    Object.assign(opened.client, { onclose: lost, ...(isSse && { onerror: lost }) });
  }

  async #lose(opened: OpenConnection, problem: string): Promise<void> {
    if (this.#opened !== opened) return;
    this.#opened = null;
    this.#set("failed", problem);
    await closeQuietly(opened);
  }

  async #refresh(): Promise<void> {
    const opened = this.#opened;
    if (opened === null) return;
    const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(mcpLimits.connectMs)]);
    const features = await readFeatures(opened.client, signal).catch(() => null);
    // Keep the old lists; the next notification tries again.
    if (features === null || this.#opened !== opened) return;
    this.#offer = features;
    this.#options.onChange();
  }

  async #whileAsking<Value>(work: () => Promise<Value>): Promise<Value> {
    this.#questions += 1;
    try {
      return await work();
    } finally {
      this.#questions -= 1;
    }
  }

  #set(state: ConnectionState, problem: string | undefined): void {
    this.#state = state;
    this.#problem = problem;
    this.#options.onChange();
  }
}

function connectMs(server: McpServer): number {
  const own = server._meta?.[timeoutMeta];
  return typeof own === "number" && own > 0 && Number.isFinite(own)
    ? Math.min(own, 600_000)
    : mcpLimits.connectMs;
}

function lostWords({ transport }: OpenConnection): string {
  const { exit } = transport as { exit?: string | null };
  const how = exit ? `The server ended (${exit}).` : "The connection was lost.";
  return `${how} The next use reconnects.`;
}

async function closeQuietly({ client, transport }: OpenConnection): Promise<void> {
  delete client.onclose;
  const { terminateSession } = transport as { terminateSession?: () => Promise<void> };
  if (terminateSession !== undefined) {
    // Do not wait for a server that does not answer.
    const limit = AbortSignal.timeout(mcpLimits.endMs);
    await unlessAborted(terminateSession.call(transport), limit).catch(() => {});
  }
  await client.close().catch(() => {});
  await transport.close().catch(() => {});
}
