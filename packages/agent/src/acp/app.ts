import { isAbsolute } from "node:path";
import {
  agent,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type AgentApp,
  type AgentContext,
  type InitializeRequest,
  type InitializeResponse,
  type McpServer,
} from "@agentclientprotocol/sdk/unstable";
import type { Session } from "../core/session.ts";
import type { SessionSetup, Sessions } from "../core/sessions.ts";
import { AcpClient } from "./acp-client.ts";
import { agentCapabilities } from "./capabilities.ts";
import { invalidParams, toRequestError } from "./errors.ts";
import type { AgentHost } from "./agent-host.ts";
import { sessionOptions, setMode, setModel, setOption } from "./config-options.ts";
import { SessionUpdates } from "./session-updates.ts";
import { keysMeta, signIn, signInMethods } from "./sign-in.ts";

/** The client of a connection, from `initialize` on. */
interface ClientConnection {
  client: AcpClient;
  updates: SessionUpdates;
}

interface SetupParams {
  cwd: string;
  additionalDirectories?: string[] | null;
  mcpServers?: McpServer[] | null;
}

/**
 * Maps ACP requests to sessions. Every failure becomes a JSON-RPC error with a message. `session/cancel` is
 * registered last: the SDK runs handlers in the order of registration, and a cancel must not overtake its
 * prompt.
 */
export function createApp(host: AgentHost): AgentApp {
  const handler = new RequestHandler(host);
  const { session } = methods.agent;
  const guarded = async <Result>(work: () => Promise<Result>, sessionId?: string) => {
    try {
      return await work();
    } catch (error) {
      throw toRequestError(error, { sessionId, authMethods: handler.signInMethods() });
    }
  };
  return agent({ name: "landline" })
    .onRequest("initialize", ({ params, client }) =>
      guarded(() => handler.initialize(params, client)),
    )
    .onRequest("authenticate", ({ params, requestId, signal }) =>
      guarded(async () => {
        await signIn(
          handler.connection.client,
          await host.keys(),
          params.methodId,
          requestId,
          signal,
        );
        return { _meta: await keysMeta(host) };
      }),
    )
    .onRequest("logout", () =>
      guarded(async () => {
        await (await host.keys()).clear();
        return { _meta: await keysMeta(host) };
      }),
    )
    .onRequest(session.new, ({ params }) => guarded(() => handler.create(params)))
    .onRequest(session.load, ({ params }) => guarded(() => handler.load(params), params.sessionId))
    .onRequest(session.resume, ({ params }) =>
      guarded(() => handler.resume(params), params.sessionId),
    )
    .onRequest(session.fork, ({ params }) => guarded(() => handler.fork(params), params.sessionId))
    .onRequest(session.list, ({ params }) => guarded(() => handler.list(params)))
    .onRequest(session.close, ({ params }) => guarded(() => handler.close(params.sessionId)))
    .onRequest(session.delete, ({ params }) => guarded(() => handler.remove(params.sessionId)))
    .onRequest(session.setMode, ({ params }) =>
      guarded(async () => {
        const target = await handler.session(params.sessionId);
        setMode(target, params.modeId);
        await target.parts.file.flush();
        return {};
      }, params.sessionId),
    )
    .onRequest(session.setConfigOption, ({ params }) =>
      guarded(async () => {
        const target = await handler.session(params.sessionId);
        await setOption(target, params.configId, params.value);
        // The client relies on the choice after the response, even if the process is killed right after it.
        await target.parts.file.flush();
        return { configOptions: sessionOptions(target).configOptions };
      }, params.sessionId),
    )
    .onRequest("session/set_model", modelParams, ({ params }) =>
      guarded(async () => {
        const target = await handler.session(params.sessionId);
        setModel(target, params.modelId);
        await target.parts.file.flush();
        return {};
      }, params.sessionId),
    )
    .onRequest(session.prompt, ({ params, signal }) =>
      guarded(async () => {
        const target = await handler.session(params.sessionId);
        const { stopReason, usage } = await target.prompt(params.prompt, signal);
        return { stopReason, usage: totals(usage) };
      }, params.sessionId),
    )
    .onNotification(session.cancel, async ({ params }) => {
      await handler.cancel(params.sessionId);
    });
}

/** A request of older clients that the SDK does not support. */
const modelParams = (params: unknown): { sessionId: string; modelId: string } => {
  const { sessionId, modelId } = (params ?? {}) as Record<string, unknown>;
  if (typeof sessionId === "string" && typeof modelId === "string") return { sessionId, modelId };
  throw invalidParams("`sessionId` and `modelId` are needed.", "bad-request");
};

function totals(usage: Awaited<ReturnType<Session["prompt"]>>["usage"]) {
  return { ...usage, totalTokens: usage.inputTokens + usage.outputTokens };
}

class RequestHandler {
  readonly #host: AgentHost;
  #line: ClientConnection | null = null;

  constructor(host: AgentHost) {
    this.#host = host;
  }

  get connection(): ClientConnection {
    if (this.#line) return this.#line;
    throw RequestError.invalidRequest({ reason: "not-initialized" }, "Send `initialize` first.");
  }

  async initialize(params: InitializeRequest, context: AgentContext): Promise<InitializeResponse> {
    if (this.#line) {
      const message = "This connection is already initialized.";
      throw RequestError.invalidRequest({ reason: "initialized" }, message);
    }
    const capabilities = params.clientCapabilities ?? {};
    const client = new AcpClient(context, capabilities);
    this.#line = { client, updates: new SessionUpdates(client) };
    // The client may send `initialize` again after a failure.
    const meta = await keysMeta(this.#host).catch((error: unknown) => {
      this.#line = null;
      throw error;
    });
    return {
      protocolVersion: PROTOCOL_VERSION,
      agentCapabilities: agentCapabilities(),
      authMethods: signInMethods(capabilities),
      agentInfo: { name: "landline", title: "Landline", version: this.#host.version },
      _meta: meta,
    };
  }

  signInMethods() {
    return signInMethods(this.#line?.client.capabilities ?? {});
  }

  async create(params: SetupParams) {
    const sessions = await this.#open();
    const session = await sessions.create(setupOf(params));
    this.connection.updates.introduce(session);
    return { sessionId: session.sessionId, ...sessionOptions(session) };
  }

  /** The whole session is replayed before the response. */
  async load(params: SetupParams & { sessionId: string }) {
    const sessions = await this.#open();
    const { session, records } = await sessions.open(params.sessionId, setupOf(params));
    this.connection.updates.replay(session, records);
    this.connection.updates.introduce(session);
    return sessionOptions(session);
  }

  async resume(params: SetupParams & { sessionId: string }) {
    const sessions = await this.#open();
    const { session } = await sessions.open(params.sessionId, setupOf(params));
    this.connection.updates.introduce(session);
    return sessionOptions(session);
  }

  async fork(params: SetupParams & { sessionId: string }) {
    const sessions = await this.#open();
    const { session } = await sessions.fork(params.sessionId, setupOf(params));
    this.connection.updates.introduce(session);
    return { sessionId: session.sessionId, ...sessionOptions(session) };
  }

  async list(params: { cwd?: string | null; cursor?: string | null }) {
    const { cwd, cursor } = params;
    if (cwd !== undefined && cwd !== null && !isAbsolute(cwd)) throw relative("cwd", cwd);
    const sessions = await this.#open();
    const page = await sessions.list({ ...(cwd && { cwd }), ...(cursor && { cursor }) });
    return {
      sessions: page.sessions.map((info) => ({
        sessionId: info.sessionId,
        cwd: info.cwd,
        additionalDirectories: info.directories,
        title: info.title,
        updatedAt: new Date(info.updatedAt).toISOString(),
      })),
      ...(page.nextCursor !== null && { nextCursor: page.nextCursor }),
    };
  }

  async close(sessionId: string) {
    await (await this.#open()).close(sessionId);
    this.connection.updates.forget(sessionId);
    return {};
  }

  async remove(sessionId: string) {
    await (await this.#open()).remove(sessionId);
    this.connection.updates.forget(sessionId);
    return {};
  }

  async session(sessionId: string): Promise<Session> {
    return (await this.#open()).get(sessionId);
  }

  /** A cancel for an unknown session is ignored. */
  async cancel(sessionId: string): Promise<void> {
    const session = await this.session(sessionId).catch(() => null);
    session?.cancel();
  }

  #open(): Promise<Sessions> {
    const { client, updates } = this.connection;
    return this.#host.sessions(client, updates.listen);
  }
}

function setupOf(params: SetupParams): SessionSetup {
  const directories = params.additionalDirectories ?? [];
  if (!isAbsolute(params.cwd)) throw relative("cwd", params.cwd);
  const wrong = directories.find((directory) => !isAbsolute(directory));
  if (wrong !== undefined) throw relative("additionalDirectories", wrong);
  return { cwd: params.cwd, directories, mcpServers: serversOf(params.mcpServers ?? []) };
}

function serversOf(servers: McpServer[]): SessionSetup["mcpServers"] {
  return servers.map((server) => {
    if (!("type" in server) || server.type !== "acp") return server;
    const message = `The MCP server ${server.name} is offered over ACP, which this agent does not support.`;
    throw invalidParams(message, "bad-request");
  });
}

function relative(field: string, path: string): RequestError {
  return invalidParams(
    `\`${field}\` must be an absolute path, and ${path} is not.`,
    "relative-path",
  );
}
