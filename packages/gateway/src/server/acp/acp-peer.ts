import type { Duplex } from "node:stream";
import type {
  ClientCapabilities,
  InitializeResponse,
  NewSessionResponse,
} from "@agentclientprotocol/sdk";
import {
  acpMeta,
  asLandlineError,
  LandlineError,
  operations,
  type OperationName,
  type SessionSummary,
  toRpcError,
} from "@landline/protocol";
import { isRecord } from "@landline/system/json";
import { readInput } from "@landline/protocol/operations";
import type { AgentRequest } from "../../acp-connection/agent-request.ts";
import { AgentConnection } from "../../acp-connection/connection.ts";
import { withVersion2 } from "../../acp-v2/client-stream.ts";
import type { RequestId } from "../../acp-connection/message.ts";
import { errorOfPeer } from "../../acp-connection/calls.ts";
import { isExtension } from "../../sessions/extension-methods.ts";
import type { Session } from "../../sessions/sessions.ts";
import type { Principal } from "../auth.ts";
import { shownTo } from "../hidden-paths.ts";
import { runOperation } from "../operations/implementations.ts";
import type { Call } from "../operations/operation.ts";
import { CommandThrottle } from "../command-throttle.ts";
import { Lookups } from "../peer.ts";
import { logCommand } from "../request-log.ts";
import { requireRole } from "../roles.ts";
import { requireAgentInScope, withinScope } from "../scope.ts";
import type { Services } from "../services.ts";
import { ConnectedEditor } from "./editor.ts";
import { cursorOf, metaOf, ownPromptsOf, type Params } from "./acp-fields.ts";
import { introductionOf } from "./introduction.ts";
import { signInClient } from "./client-sign-in.ts";
import { optionsFor } from "./client-updates.ts";
import type { Flow } from "./followed-session.ts";
import { FollowedSessions } from "./followed-sessions.ts";
import { PromptRequests } from "./prompt-requests.ts";
import { continueListed, listSessions, type ListedSessions } from "./listed-sessions.ts";
import type { OwnChoice } from "./sent-state.ts";

export interface AcpPeerParts {
  readonly stream: Duplex;
  readonly principal: Principal;
  readonly services: Services;
  /** The agent of new sessions. */
  readonly agentId: string;
  /** Where each session has a stream of its own. */
  readonly flowOf?: (sessionId: string) => Flow;
}

/**
 * The agent side of ACP for one client: an editor, a script, another gateway. Its methods run operations, as every
 * other transport does, so roles and scopes are the same. Sessions outlive the connection.
 */
export class AcpPeer implements Disposable {
  readonly ended: Promise<void>;
  readonly #parts: AcpPeerParts;
  readonly #connection: AgentConnection;
  readonly #lookups: Lookups;
  readonly #followed: FollowedSessions;
  readonly #prompts: PromptRequests;
  readonly #throttle: CommandThrottle;
  #capabilities: ClientCapabilities | null = null;
  #agentLists = false;

  constructor(parts: AcpPeerParts) {
    this.#parts = parts;
    const { services } = parts;
    const stream = services.acpV2 ? withVersion2(parts.stream, services.limits) : parts.stream;
    this.#lookups = new Lookups(services.sessions);
    const ended = Promise.withResolvers<void>();
    this.ended = ended.promise;
    this.#connection = new AgentConnection(
      stream,
      stream,
      {
        // Clients send no session updates.
        update: () => {},
        notification: (method, params) => this.#notified(method, params as Params),
        request: (request) => this.#answer(request),
        noise: ({ reason }) => services.logger.debug("an ACP client sent noise", { reason }),
        flush: () => {},
        closed: () => {
          this.#throttle[Symbol.dispose]();
          this.#followed[Symbol.dispose]();
          ended.resolve();
        },
      },
      {
        limits: services.limits,
        seedErrorCodes: services.profile === "spec",
        answersNoise: true,
      },
    );
    const held = {
      pause: () => this.#connection.hold("throttle"),
      resume: () => this.#connection.release("throttle"),
    };
    this.#throttle = new CommandThrottle(held, services.limits);
    this.#followed = new FollowedSessions({
      connection: this.#connection,
      principal: parts.principal,
      services,
      flowOf: parts.flowOf,
      answer: async (sessionId, askId, outcome) => {
        await this.#operate("answer", { sessionId, askId, outcome });
      },
    });
    this.#prompts = new PromptRequests({
      followed: this.#followed,
      session: (sessionId) => this.#session(sessionId),
      operate: (name, input) => this.#operate(name, input),
    });
  }

  [Symbol.dispose](): void {
    this.#connection.destroy();
  }

  async #answer(request: AgentRequest): Promise<void> {
    const { principal, services } = this.#parts;
    const { id, method, params } = request;
    const startedAt = performance.now();
    const end = (outcome: string) => {
      const message = { type: method, id, sessionId: params["sessionId"] };
      logCommand({ services, principal }, "acp", message, { outcome, startedAt });
    };
    try {
      this.#admit();
      services.metrics.commands.add(method);
      const result = await this.#runCounted(request);
      request.answer(result);
      end("ok");
    } catch (error) {
      const known = asLandlineError(error);
      // The failure of a turn is the agent's, and is in the log of the session.
      if (known.code === "internal-error" && !(acpMeta.cursor in known.data) && !errorOfPeer(known))
        services.logger.error("an ACP request failed", { method, error });
      services.metrics.errors.add(known.code);
      const ofAgent = isExtension(method) ? errorOfPeer(known) : null;
      request.fail(ofAgent ?? shownTo(principal, known, services));
      end(known.code);
    }
  }

  /** Throws `rate-limited`. */
  #admit(): void {
    const retryAfterMs = this.#throttle.admit();
    if (retryAfterMs === null) return;
    const limit = "socketCommandsPerMinute";
    this.#parts.services.metrics.rateLimited.add(limit);
    throw new LandlineError("rate-limited", { retryAfterMs, data: { limit } });
  }

  /** A request that may wait for the client itself does not keep the client from being read. */
  async #runCounted(request: AgentRequest): Promise<unknown> {
    const { method } = request;
    if (method === "session/prompt" || method === "authenticate" || isExtension(method))
      return this.#run(request);
    this.#throttle.begin();
    try {
      return await this.#run(request);
    } finally {
      this.#throttle.end();
    }
  }

  async #run({ id, method, params, signal }: AgentRequest): Promise<unknown> {
    if (method === "initialize") return this.#initialize(params);
    if (this.#capabilities === null)
      throw new LandlineError("invalid-request", { message: "Send initialize first." });
    const { agentId: agent } = this.#parts;
    const { sessionId } = params;
    switch (method) {
      case "authenticate":
        return this.#authenticate(params["methodId"], id);
      case "logout":
        await this.#operate("sign-out", { agent });
        return {};
      case "session/new":
        return this.#new(params);
      case "session/load":
        return this.#load(params);
      case "session/resume":
        return this.#resume(params);
      case "stream/resume":
        return this.#resumeStream(params);
      case "session/fork":
        return this.#create("fork", { sessionId });
      case "session/list":
        return listSessions(this.#listed, params);
      case "session/close":
      case "session/delete":
        await this.#operate(method === "session/close" ? "close" : "delete", { sessionId });
        this.#followed.remove(sessionId);
        return {};
      case "session/prompt":
        return this.#prompts.prompt(params, signal);
      case "session/set_mode":
        await this.#chosen(sessionId, { configId: null, value: params["modeId"] });
        return {};
      case "session/set_model":
        await this.#choose(sessionId, "model", params["modelId"]);
        return {};
      case "session/set_config_option":
        return this.#choose(sessionId, params["configId"], params["value"]);
      case "session/set_title":
        return this.#setTitle(sessionId, params["title"]);
      case "session/status": {
        const { summary } = await this.#session(sessionId);
        return { status: summary.closedAt === null ? "open" : "saved" };
      }
      default:
        if (isExtension(method))
          return (await this.#extended(params)).extensions.request(method, params, signal);
        throw new LandlineError("method-not-found");
    }
  }

  #authenticate(methodId: unknown, requestId: RequestId): Promise<unknown> {
    const { agentId, principal, services } = this.#parts;
    return signInClient(methodId, {
      agentId,
      principal,
      agents: services.agents,
      connection: this.#connection,
      capabilities: this.#capabilities ?? {},
      requestId,
      operate: (name, input) => this.#operate(name, input),
    });
  }

  /** The session that a method of an extension is for: the one that it names, or the only one of this client. */
  async #extended(params: Params): Promise<Session> {
    requireRole(this.#parts.principal, operations.prompt.role);
    return this.#session(params["sessionId"] ?? this.#followed.onlyId);
  }

  #notified(method: string, params: Params): void {
    // A cancel is never refused, but too many of them are read more slowly.
    this.#throttle.admit();
    const { sessionId } = params;
    if (method === "session/cancel")
      this.#prompts
        .cancel(sessionId)
        .catch((error: unknown) =>
          this.#parts.services.logger.debug("an ACP cancel failed", { error }),
        );
    else if (isExtension(method) && this.#capabilities !== null)
      this.#extended(params).then(
        ({ extensions }) => extensions.notify(method, params),
        () => {},
      );
    else if (method === "stream/resume" && this.#capabilities !== null)
      this.#resumeStream(params).catch((error: unknown) => {
        const { principal, services } = this.#parts;
        const known = toRpcError(shownTo(principal, asLandlineError(error), services));
        this.#connection.notify("stream/resume_failed", {
          sessionId,
          cursor: params["cursor"],
          error: known,
        });
      });
  }

  async #initialize(params: Params): Promise<InitializeResponse> {
    const { protocolVersion, clientCapabilities, clientInfo } = params;
    if (typeof protocolVersion !== "number")
      throw new LandlineError("invalid-params", {
        message: "protocolVersion must be a number.",
        data: { field: "protocolVersion" },
      });
    const { services, principal, agentId } = this.#parts;
    // This may start the agent, as `list-sign-in-methods` does.
    requireRole(principal, operations["list-sign-in-methods"].role);
    if (principal.onlySession !== undefined) {
      const { summary } = await services.sessions.get(principal.onlySession);
      requireAgentInScope(principal.onlySession, summary.agent, agentId);
    }
    const about = await services.agents.describe(agentId);
    const capabilities = isRecord(clientCapabilities) ? clientCapabilities : {};
    this.#capabilities = capabilities;
    this.#agentLists = Boolean(about.capabilities.sessionCapabilities?.list);
    const editor = new ConnectedEditor(this.#connection, capabilities, clientInfo);
    this.#followed.introduced = { capabilities, editor };
    return introductionOf(agentId, about, capabilities);
  }

  async #new(params: Params): Promise<NewSessionResponse> {
    const { cwd, mcpServers, additionalDirectories } = params;
    const attach = metaOf(params)[acpMeta.attach];
    if (typeof attach === "string") return this.#attachTo(attach);
    return this.#create("open", {
      agent: this.#parts.agentId,
      cwd,
      mcpServers: mcpServers ?? [],
      ...(Array.isArray(additionalDirectories) && { roots: additionalDirectories }),
    });
  }

  /** Creates a session and responds for it. Its commands and options are sent after the response. */
  async #create(operation: "open" | "fork", input: Params): Promise<NewSessionResponse> {
    this.#followed.mustHaveRoom(null);
    const created = (await this.#operate(operation, input)) as SessionSummary;
    const { sessionId } = created;
    try {
      const session = await this.#lookups.find(sessionId);
      return { sessionId, ...(await this.#followed.open(session)) };
    } catch (error) {
      await this.#discard(created);
      throw error;
    }
  }

  /** Deletes a session whose id the client never received, so that a repeated request leaves only one. */
  async #discard({ sessionId, lastAt }: SessionSummary): Promise<void> {
    try {
      const { summary } = await this.#lookups.find(sessionId);
      // Another client may use it already.
      if (summary.state === "idle" && summary.lastAt === lastAt)
        await this.#operate("delete", { sessionId });
    } catch (error) {
      this.#parts.services.logger.error("a session that nobody uses remains", { sessionId, error });
    }
  }

  /**
   * Editors always begin with `session/new`, so that attaches to an existing session. The client knows its id after the
   * response; its history follows then.
   */
  async #attachTo(sessionId: string): Promise<NewSessionResponse> {
    const session = await this.#session(sessionId);
    return { sessionId, ...(await this.#followed.attach(session)) };
  }

  /** With a cursor, replays what follows it: the client has received the rest. */
  async #load(params: Params): Promise<unknown> {
    const session = await this.#listedSession(params["sessionId"]);
    const cursor = cursorOf(metaOf(params)[acpMeta.cursor]) ?? 0;
    return this.#followed.load(session, cursor);
  }

  async #resume(params: Params): Promise<unknown> {
    const session = await this.#listedSession(params["sessionId"]);
    const cursor = cursorOf(metaOf(params)[acpMeta.cursor]);
    if (cursor !== null) return this.#followed.resume(session, cursor, ownPromptsOf(params));
    return this.#followed.reopen(session);
  }

  /** `stream/resume`: continues the stream of a session on a new connection. */
  async #resumeStream(params: Params): Promise<unknown> {
    const session = await this.#session(params["sessionId"]);
    const cursor = cursorOf(params["cursor"]);
    if (cursor !== null) return this.#followed.resume(session, cursor, ownPromptsOf(params));
    throw new LandlineError("invalid-params", {
      message: "cursor is missing.",
      data: { field: "cursor" },
    });
  }

  async #setTitle(sessionId: unknown, title: unknown): Promise<unknown> {
    const { id } = await this.#listedSession(sessionId);
    // The operation accepts null, which removes a title.
    const given = { sessionId: id, title: title ?? false };
    return { title: ((await this.#operate("rename", given)) as SessionSummary).title };
  }

  async #choose(sessionId: unknown, configId: unknown, value: unknown): Promise<unknown> {
    await this.#chosen(sessionId, { configId: String(configId), value });
    const { configOptions } = await (await this.#session(sessionId)).view();
    return { configOptions: optionsFor(this.#capabilities ?? {}, configOptions ?? []) };
  }

  async #chosen(sessionId: unknown, choice: OwnChoice): Promise<void> {
    const { configId, value } = choice;
    const run = () =>
      configId === null
        ? this.#operate("set-mode", { sessionId, modeId: value })
        : this.#operate("set-config", { sessionId, configId, value });
    await this.#followed.choose(sessionId, choice, run);
  }

  get #listed(): ListedSessions {
    const operate = (name: OperationName, input: Params) => this.#operate(name, input);
    return { operate, agentId: this.#parts.agentId, agentLists: this.#agentLists };
  }

  /** Like `#session`, but also continues a session that only the agent has. */
  async #listedSession(sessionId: unknown): Promise<Session> {
    try {
      return await this.#session(sessionId);
    } catch (error) {
      await continueListed(this.#listed, sessionId, error);
      return this.#session(sessionId);
    }
  }

  /** Returns a session that this token may read. */
  async #session(sessionId: unknown): Promise<Session> {
    const { principal } = this.#parts;
    requireRole(principal, operations["read-session"].role);
    const read = readInput("read-session", { sessionId });
    return this.#lookups.find(withinScope(principal, "read-session", read).sessionId);
  }

  async #operate(name: OperationName, sent: Params): Promise<unknown> {
    const { principal, services } = this.#parts;
    const { role } = operations[name];
    if (role !== "anyone") requireRole(principal, role);
    const input = withinScope(principal, name, readInput(name, sent));
    const call: Call = {
      principal,
      services,
      findSession: (sessionId) => this.#lookups.find(sessionId),
    };
    return await runOperation(name, input, call as never);
  }
}
