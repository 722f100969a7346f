import { pathToFileURL } from "node:url";
import type { McpServer } from "@agentclientprotocol/sdk";
import {
  Client,
  ProtocolError,
  ProtocolErrorCode,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import type { McpElicitation } from "./elicitation.ts";
import { pairs, serverEnvironment } from "./server-environment.ts";
import { StdioTransport } from "./stdio-transport.ts";
import { unlessAborted } from "@landline/system/unless-aborted";

export interface ConnectOptions {
  cwd: string;
  directories: readonly string[];
  environment: Readonly<Record<string, string | undefined>>;
  elicitation: McpElicitation | null;
  signal: AbortSignal;
  /** The server reported that its lists have changed. */
  onListChanged(): void;
  onElicit<Value>(work: () => Promise<Value>): Promise<Value>;
}

export interface OpenConnection {
  client: Client;
  transport: Transport;
}

/** Carries the transport, so that the output of a program can be reported. */
export class ConnectFailure extends Error {
  override readonly name = "ConnectFailure";
  readonly transport: Transport;
  constructor(transport: Transport, cause: unknown) {
    super("The server could not be reached.", { cause });
    this.transport = transport;
  }
}

/**
 * Tries the protocol versions and transports of older and newer servers: the legacy handshake, then the
 * newest; Streamable HTTP, then SSE. Throws the first failure.
 */
export async function connectServer(
  server: McpServer,
  options: ConnectOptions,
): Promise<OpenConnection> {
  try {
    return await attempt(server, "legacy", options);
  } catch (error) {
    const cause = error instanceof ConnectFailure ? error.cause : error;
    for (const [other, mode] of alternatives(server, cause)) {
      if (options.signal.aborted) break;
      try {
        return await attempt(other, mode, options);
      } catch {
        // The first failure is more informative.
      }
    }
    throw error;
  }
}

type Mode = "legacy" | "auto";

const versionRefused: number = ProtocolErrorCode.UnsupportedProtocolVersion;

function alternatives(server: McpServer, cause: unknown): [McpServer, Mode][] {
  if (cause instanceof ProtocolError) {
    const refused = cause.code === versionRefused;
    return refused ? [[server, "auto"]] : [];
  }
  if (!("type" in server) || server.type !== "http" || !(cause instanceof SdkHttpError)) return [];
  const older: [McpServer, Mode] = [{ ...server, type: "sse" }, "legacy"];
  if (cause.status === 400) return [[server, "auto"], older];
  return cause.status === 404 || cause.status === 405 ? [older] : [];
}

async function attempt(
  server: McpServer,
  mode: Mode,
  options: ConnectOptions,
): Promise<OpenConnection> {
  const transport = openTransport(server, options);
  const client = createClient(server.name, mode, options);
  try {
    // Some transports ignore the signal.
    await unlessAborted(client.connect(transport, { signal: options.signal }), options.signal);
    return { client, transport };
  } catch (error) {
    await client.close().catch(() => {});
    await transport.close().catch(() => {});
    throw new ConnectFailure(transport, error);
  }
}

function openTransport(server: McpServer, { cwd, environment }: ConnectOptions): Transport {
  if (!("type" in server)) {
    const env = serverEnvironment(environment, server.env);
    return new StdioTransport({ command: server.command, args: server.args, env, cwd });
  }
  const requestInit = { headers: pairs(server.headers) };
  const url = new URL(server.url);
  if (server.type === "sse") return new SSEClientTransport(url, { requestInit });
  return new StreamableHTTPClientTransport(url, { requestInit });
}

function createClient(name: string, mode: Mode, options: ConnectOptions): Client {
  const { elicitation } = options;
  const listChanged = {
    autoRefresh: false,
    debounceMs: 50,
    onChanged: () => options.onListChanged(),
  };
  const client = new Client(
    { name: "landline", version: "1" },
    {
      versionNegotiation: { mode },
      listChanged: { tools: listChanged, prompts: listChanged },
      capabilities: {
        roots: {},
        ...(elicitation !== null && { elicitation: elicitation.capabilities }),
      },
    },
  );
  client.setRequestHandler("roots/list", () => ({
    roots: [options.cwd, ...options.directories].map((path) => ({ uri: pathToFileURL(path).href })),
  }));
  if (elicitation !== null) {
    client.setRequestHandler("elicitation/create", (request, context) =>
      options.onElicit(() =>
        elicitation.ask({ server: name, params: request.params }, context.mcpReq.signal),
      ),
    );
  }
  return client;
}
