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
import type { Place, Sessions } from "../core/sessions.ts";
import { AcpClient } from "./acp-client.ts";
import { agentCapabilities } from "./capabilities.ts";
import { invalidParams, toRequestError } from "./errors.ts";
import type { AgentHost } from "./agent-host.ts";
import { sessionOptions, setMode, setModel, setOption } from "./config-options.ts";
import { SessionsScreen } from "./session-updates.ts";
import { keysMeta, signIn, signInMethods } from "./sign-in.ts";

/** One connection, from `initialize` on. */
interface Line {
  client: AcpClient;
  screen: SessionsScreen;
}

interface PlaceParams {
  cwd: string;
  additionalDirectories?: string[] | null;
  mcpServers?: McpServer[] | null;
}

/**
 * ACP as this agent speaks it: requests in, sessions behind. Every failure leaves as an error with words.
 * `session/cancel` is registered last: the SDK runs what is registered first first, and a cancel must
 * not overtake the prompt that it cancels.
 */
export function createApp(host: AgentHost): AgentApp {
  const desk = new Desk(host);
  const { session } = methods.agent;
  const guarded = async <Result>(work: () => Promise<Result>, sessionId?: string) => {
    try {
      return await work();
    } catch (error) {
      throw toRequestError(error, { sessionId, authMethods: desk.signInMethods() });
    }
  };
  return agent({ name: "landline" })
    .onRequest("initialize", ({ params, client }) => guarded(() => desk.initialize(params, client)))
    .onRequest("authenticate", ({ params, requestId, signal }) =>
      guarded(async () => {
        await signIn(desk.line.client, await host.keys(), params.methodId, requestId, signal);
        return { _meta: await keysMeta(host) };
      }),
    )
    .onRequest("logout", () =>
      guarded(async () => {
        await (await host.keys()).clear();
        return { _meta: await keysMeta(host) };
      }),
    )
    .onRequest(session.new, ({ params }) => guarded(() => desk.create(params)))
    .onRequest(session.load, ({ params }) => guarded(() => desk.load(params), params.sessionId))
    .onRequest(session.resume, ({ params }) => guarded(() => desk.resume(params), params.sessionId))
    .onRequest(session.fork, ({ params }) => guarded(() => desk.fork(params), params.sessionId))
    .onRequest(session.list, ({ params }) => guarded(() => desk.list(params)))
    .onRequest(session.close, ({ params }) => guarded(() => desk.close(params.sessionId)))
    .onRequest(session.delete, ({ params }) => guarded(() => desk.remove(params.sessionId)))
    .onRequest(session.setMode, ({ params }) =>
      guarded(async () => {
        const target = await desk.session(params.sessionId);
        setMode(target, params.modeId);
        await target.parts.file.flush();
        return {};
      }, params.sessionId),
    )
    .onRequest(session.setConfigOption, ({ params }) =>
      guarded(async () => {
        const target = await desk.session(params.sessionId);
        await setOption(target, params.configId, params.value);
        // Who has the answer counts on the choice, also when the process is killed right after it.
        await target.parts.file.flush();
        return { configOptions: sessionOptions(target).configOptions };
      }, params.sessionId),
    )
    .onRequest("session/set_model", modelParams, ({ params }) =>
      guarded(async () => {
        const target = await desk.session(params.sessionId);
        setModel(target, params.modelId);
        await target.parts.file.flush();
        return {};
      }, params.sessionId),
    )
    .onRequest(session.prompt, ({ params, signal }) =>
      guarded(async () => {
        const target = await desk.session(params.sessionId);
        const { stopReason, usage } = await target.prompt(params.prompt, signal);
        return { stopReason, usage: totals(usage) };
      }, params.sessionId),
    )
    .onNotification(session.cancel, async ({ params }) => {
      await desk.cancel(params.sessionId);
    });
}

/** What older clients send; the SDK does not know it any more. */
const modelParams = (params: unknown): { sessionId: string; modelId: string } => {
  const { sessionId, modelId } = (params ?? {}) as Record<string, unknown>;
  if (typeof sessionId === "string" && typeof modelId === "string") return { sessionId, modelId };
  throw invalidParams("`sessionId` and `modelId` are needed.", "bad-request");
};

function totals(usage: Awaited<ReturnType<Session["prompt"]>>["usage"]) {
  return { ...usage, totalTokens: usage.inputTokens + usage.outputTokens };
}

class Desk {
  readonly #host: AgentHost;
  #line: Line | null = null;

  constructor(host: AgentHost) {
    this.#host = host;
  }

  get line(): Line {
    if (this.#line) return this.#line;
    throw RequestError.invalidRequest({ reason: "not-initialized" }, "Send `initialize` first.");
  }

  async initialize(params: InitializeRequest, context: AgentContext): Promise<InitializeResponse> {
    if (this.#line) {
      const words = "This connection is initialized already.";
      throw RequestError.invalidRequest({ reason: "initialized" }, words);
    }
    const capabilities = params.clientCapabilities ?? {};
    const client = new AcpClient(context, capabilities);
    this.#line = { client, screen: new SessionsScreen(client) };
    // A client that is told of a failure may try again.
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

  async create(params: PlaceParams) {
    const sessions = await this.#open();
    const session = await sessions.create(placeOf(params));
    this.line.screen.introduce(session);
    return { sessionId: session.sessionId, ...sessionOptions(session) };
  }

  /** Everything is shown again before the answer. */
  async load(params: PlaceParams & { sessionId: string }) {
    const sessions = await this.#open();
    const { session, records } = await sessions.open(params.sessionId, placeOf(params));
    this.line.screen.replay(session, records);
    this.line.screen.introduce(session);
    return sessionOptions(session);
  }

  async resume(params: PlaceParams & { sessionId: string }) {
    const sessions = await this.#open();
    const { session } = await sessions.open(params.sessionId, placeOf(params));
    this.line.screen.introduce(session);
    return sessionOptions(session);
  }

  async fork(params: PlaceParams & { sessionId: string }) {
    const sessions = await this.#open();
    const { session } = await sessions.fork(params.sessionId, placeOf(params));
    this.line.screen.introduce(session);
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
    this.line.screen.forget(sessionId);
    return {};
  }

  async remove(sessionId: string) {
    await (await this.#open()).remove(sessionId);
    this.line.screen.forget(sessionId);
    return {};
  }

  async session(sessionId: string): Promise<Session> {
    return (await this.#open()).get(sessionId);
  }

  /** Of a session that is not there: nothing to cancel, and nobody to tell. */
  async cancel(sessionId: string): Promise<void> {
    const session = await this.session(sessionId).catch(() => null);
    session?.cancel();
  }

  #open(): Promise<Sessions> {
    const { client, screen } = this.line;
    return this.#host.sessions(client, screen.listen);
  }
}

function placeOf(params: PlaceParams): Place {
  const directories = params.additionalDirectories ?? [];
  if (!isAbsolute(params.cwd)) throw relative("cwd", params.cwd);
  const wrong = directories.find((directory) => !isAbsolute(directory));
  if (wrong !== undefined) throw relative("additionalDirectories", wrong);
  return { cwd: params.cwd, directories, mcpServers: serversOf(params.mcpServers ?? []) };
}

function serversOf(servers: McpServer[]): Place["mcpServers"] {
  return servers.map((server) => {
    if (!("type" in server) || server.type !== "acp") return server;
    const words = `The MCP server ${server.name} is offered over ACP, which this agent did not ask for.`;
    throw invalidParams(words, "bad-request");
  });
}

function relative(field: string, path: string): RequestError {
  return invalidParams(
    `\`${field}\` must be an absolute path, and ${path} is not.`,
    "relative-path",
  );
}
