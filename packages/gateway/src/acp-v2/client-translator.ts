import { randomUUIDv7 } from "node:crypto";
import { acpMeta } from "@landline/protocol";
import { evictOldest } from "@landline/system/evict-oldest";
import { isRecord } from "@landline/system/json";
import { initializeToV1, initializeToV2 } from "./client-initialize.ts";
import {
  commandsToV2,
  isModeChoice,
  mcpServersToV1,
  noOptions,
  optionsToV2,
  readOptions,
  type SessionOptions,
} from "./session-options.ts";
import { permissionToV2, toolCallToV2 } from "./tool-content.ts";
import {
  errorResponse,
  fieldsOf,
  INVALID_PARAMS,
  INVALID_REQUEST,
  isRequestId,
  METHOD_NOT_FOUND,
  REQUEST_CANCELLED,
  textOf,
  UNSUPPORTED_VERSION,
  type Ends,
  type Fields,
  type RequestId,
  type Translator,
} from "./translator.ts";

/** A notification between the gateway and this translator: a turn began or ended, or the state after a resume. */
export const TURN_METHOD = "_landline/turn";
/** Prompts whose repetition is recognised. */
const promptsKept = 1_000;

/** A request of the client that the gateway has not answered. */
interface Pending {
  readonly method: string;
  readonly sessionId: string | undefined;
  /** Of a prompt: its id in the log, which is its message id. */
  readonly promptId?: string;
  /** Of a choice of the mode. */
  readonly modeId?: unknown;
}

interface FollowedSession {
  options: SessionOptions;
  isRunning: boolean;
  /** Requests that wait for the user. */
  readonly asks: Set<RequestId>;
  /** The message that chunks without an id belong to. */
  message: { readonly kind: string; readonly id: string } | null;
  /** The last cursor that the client received. */
  cursor: unknown;
  /** Prompts whose turns have begun. */
  readonly started: Set<string>;
}

/**
 * Serves a client that speaks version 2, or version 1 if its `initialize` asks for that. The gateway reports turns in
 * `TURN_METHOD`, because a response to a prompt of version 1 comes only at the end of its turn.
 */
export class ClientTranslator implements Translator {
  readonly #ends: Ends;
  readonly #pending = new Map<RequestId, Pending>();
  readonly #sessions = new Map<string, FollowedSession>();
  #version: 1 | 2 | null = null;

  constructor(ends: Ends) {
    this.#ends = ends;
  }

  get isPassThrough(): boolean {
    return this.#version === 1;
  }

  fromPeer(message: unknown): void {
    if (this.#version === null && isRecord(message) && message["method"] === "initialize")
      this.#version = asksForV2(message) ? 2 : 1;
    if (this.#version !== 2 || !isRecord(message)) {
      this.#ends.toGateway(message as object);
      return;
    }
    const { id, method } = message;
    if (typeof method !== "string") this.#answered(message);
    else if (id === undefined) this.#ends.toGateway(message);
    else if (isRequestId(id)) this.#request(id, method, fieldsOf(message["params"]));
    else
      this.#ends.toPeer(
        errorResponse(null, INVALID_REQUEST, "A request id is a string or a whole number."),
      );
  }

  fromGateway(message: unknown): void {
    if (this.#version !== 2 || !isRecord(message)) {
      this.#ends.toPeer(message as object);
      return;
    }
    const { id, method } = message;
    if (typeof method !== "string") this.#response(message);
    else if (id !== undefined) this.#asked(id as RequestId, method, message);
    else this.#notification(method, message);
  }

  #request(id: RequestId, method: string, params: Fields): void {
    const sessionId = textOf(params["sessionId"]);
    const forward = (as: string, given: Fields, pending: Partial<Pending> = {}) => {
      this.#pending.set(id, { method, sessionId, ...pending });
      this.#ends.toGateway({ jsonrpc: "2.0", id, method: as, params: given });
    };
    const refuse = (code: number, why: string, data?: object) =>
      this.#ends.toPeer(errorResponse(id, code, why, data));
    switch (method) {
      case "initialize":
        if (params["protocolVersion"] === 2 && !isRecord(params["info"]))
          refuse(INVALID_PARAMS, "info is required.", { field: "info" });
        else forward(method, initializeToV1(params));
        break;
      case "auth/login":
        forward("authenticate", params);
        break;
      case "auth/logout":
        forward("logout", params);
        break;
      case "session/new":
        forward(method, { ...params, mcpServers: mcpServersToV1(params["mcpServers"]) });
        break;
      case "session/resume":
        this.#resume(params, forward, refuse);
        break;
      case "session/prompt": {
        const meta = fieldsOf(params["_meta"]);
        const promptId = textOf(meta[acpMeta.promptId]) ?? randomUUIDv7();
        if (this.#sessions.get(sessionId ?? "")?.started.has(promptId))
          this.#ends.toPeer({ jsonrpc: "2.0", id, result: { messageId: promptId } });
        else
          forward(
            method,
            { ...params, _meta: { ...meta, [acpMeta.promptId]: promptId } },
            { promptId },
          );
        break;
      }
      case "stream/resume": {
        const { kind, id: messageId } = fieldsOf(fieldsOf(params["_meta"])[acpMeta.message]);
        if (sessionId !== undefined && typeof kind === "string" && typeof messageId === "string")
          this.#session(sessionId).message = { kind, id: messageId };
        forward(method, params);
        break;
      }
      case "session/set_config_option":
        this.#choose(params, forward);
        break;
      case "tool_call/cancel":
      case "terminal/cancel":
        refuse(
          UNSUPPORTED_VERSION,
          `${method} is not available: the session speaks ACP version 1.`,
          {
            requested: 2,
            supported: [1],
          },
        );
        break;
      case "session/load":
      case "session/set_mode":
      case "session/set_model":
      case "authenticate":
      case "logout":
        refuse(METHOD_NOT_FOUND, `There is no method ${method} in ACP version 2.`);
        break;
      default:
        forward(method, params);
    }
  }

  #resume(
    { replayFrom, mcpServers, ...params }: Fields,
    forward: (as: string, given: Fields) => void,
    refuse: (code: number, why: string, data?: object) => void,
  ): void {
    const given = { ...params, mcpServers: mcpServersToV1(mcpServers) };
    const { type } = fieldsOf(replayFrom);
    if (replayFrom === undefined || replayFrom === null) forward("session/resume", given);
    else if (type === "start") forward("session/load", given);
    else refuse(INVALID_PARAMS, 'replayFrom must have the type "start".', { field: "replayFrom" });
  }

  #choose(
    params: Fields,
    forward: (as: string, given: Fields, pending?: Partial<Pending>) => void,
  ): void {
    const { type, sessionId, configId, value, ...rest } = params;
    const options = this.#sessions.get(textOf(sessionId) ?? "")?.options ?? noOptions;
    if (isModeChoice(configId, options))
      forward("session/set_mode", { sessionId, modeId: value }, { modeId: value });
    else
      forward("session/set_config_option", {
        sessionId,
        configId,
        value,
        ...(type === "boolean" && { type }),
        ...rest,
      });
  }

  #response(message: Fields): void {
    const id = message["id"] as RequestId;
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    // A prompt is answered when its turn begins. The end of the turn is a state update.
    if (pending === undefined) return;
    if (!isRecord(message["result"])) {
      this.#ends.toPeer(message);
      return;
    }
    if (pending.method === "session/prompt") {
      const isWithdrawn = fieldsOf(message["result"]["_meta"])[acpMeta.withdrawn] === true;
      const why = "The prompt was withdrawn before the agent received it.";
      this.#ends.toPeer(
        isWithdrawn
          ? errorResponse(id, REQUEST_CANCELLED, why)
          : // A repeated prompt, whose turn ended before.
            { jsonrpc: "2.0", id, result: { messageId: pending.promptId } },
      );
      return;
    }
    const result = this.#resultToV2(pending, message["result"]);
    this.#ends.toPeer({ jsonrpc: "2.0", id, result });
  }

  #resultToV2({ method, sessionId, modeId }: Pending, result: Fields): Fields {
    switch (method) {
      case "initialize":
        return initializeToV2(result);
      case "session/new":
      case "session/fork":
      case "session/resume":
      case "stream/resume": {
        const { modes: _modes, configOptions: _options, models: _models, ...rest } = result;
        const session = this.#session(textOf(result["sessionId"]) ?? sessionId ?? "");
        session.options = readOptions(result);
        session.cursor = fieldsOf(result["_meta"])[acpMeta.cursor];
        return { ...rest, configOptions: optionsToV2(session.options) };
      }
      case "session/set_config_option": {
        const session = this.#session(sessionId ?? "");
        // The gateway sends no update about a client's own choice.
        if (modeId !== undefined) session.options = withMode(session.options, modeId);
        if (Array.isArray(result["configOptions"]))
          session.options = { ...session.options, ...onlyOptions(result) };
        return { configOptions: optionsToV2(session.options) };
      }
      case "session/close":
      case "session/delete":
        this.#sessions.delete(sessionId ?? "");
        return result;
      default:
        return result;
    }
  }

  #notification(method: string, message: Fields): void {
    const params = fieldsOf(message["params"]);
    const sessionId = textOf(params["sessionId"]);
    if (method === TURN_METHOD && sessionId !== undefined) this.#turn(sessionId, params);
    else if (method === "session/update" && sessionId !== undefined) {
      const { update, _meta, ...rest } = params;
      const { [acpMeta.cursor]: cursor } = fieldsOf(_meta);
      if (cursor !== undefined) this.#session(sessionId).cursor = cursor;
      for (const converted of this.#updatesToV2(sessionId, fieldsOf(update), cursorOf(params)))
        this.#ends.toPeer({
          jsonrpc: "2.0",
          method,
          // In the order that `readAcpUpdate` expects.
          params: { ...rest, update: converted, ...(_meta !== undefined && { _meta }) },
        });
    } else {
      if (method === "$/cancel_request") this.#settled(params["requestId"] as RequestId);
      this.#ends.toPeer(message);
    }
  }

  #turn(sessionId: string, { state, began, promptId, stopReason, error, cursor }: Fields): void {
    const session = this.#session(sessionId);
    session.cursor = cursor;
    // After a resume, a turn that goes on continues its message.
    if (began === true || state !== "running") session.message = null;
    session.isRunning = state === "running";
    if (session.isRunning && typeof promptId === "string") {
      session.started.add(promptId);
      evictOldest(session.started, promptsKept);
    }
    for (const [id, pending] of this.#pending) {
      if (!session.isRunning || pending.promptId === undefined || pending.promptId !== promptId)
        continue;
      this.#pending.delete(id);
      this.#ends.toPeer({ jsonrpc: "2.0", id, result: { messageId: promptId } });
    }
    if (session.isRunning) this.#state(sessionId, { state: "running" });
    else
      this.#state(sessionId, {
        state: "idle",
        ...(stopReason !== undefined && { stopReason }),
        ...(error !== undefined && { error }),
      });
  }

  #state(sessionId: string, state: Fields): void {
    const update = { sessionUpdate: "state_update", ...state };
    const cursor = this.#session(sessionId).cursor;
    const params = {
      sessionId,
      update,
      ...(cursor !== undefined && { _meta: { [acpMeta.cursor]: cursor } }),
    };
    this.#ends.toPeer({ jsonrpc: "2.0", method: "session/update", params });
  }

  #updatesToV2(sessionId: string, update: Fields, cursor: string): readonly Fields[] {
    const session = this.#session(sessionId);
    const kind = textOf(update["sessionUpdate"]) ?? "";
    if (kind.endsWith("_message_chunk") || kind === "agent_thought_chunk")
      return [{ ...update, messageId: messageIdOf(session, kind, update, cursor) }];
    switch (kind) {
      case "tool_call":
      case "tool_call_update":
        session.message = null;
        return [toolCallToV2(update)];
      case "plan":
        return [
          {
            sessionUpdate: "plan_update",
            plan: { type: "items", planId: "plan", entries: update["entries"] },
          },
        ];
      case "available_commands_update": {
        const availableCommands = commandsToV2(update["availableCommands"]);
        return [{ ...update, availableCommands }];
      }
      case "current_mode_update":
        if (session.options.modes === null) return [];
        session.options = withMode(session.options, update["currentModeId"]);
        return [optionsUpdate(session.options)];
      case "config_option_update":
        session.options = { ...session.options, ...onlyOptions(update) };
        return [optionsUpdate(session.options)];
      default:
        return [update];
    }
  }

  /** A request of the gateway to the client. */
  #asked(id: RequestId, method: string, message: Fields): void {
    const params = fieldsOf(message["params"]);
    const sessionId = textOf(params["sessionId"]);
    if (sessionId !== undefined && waitsForUser.has(method)) {
      const session = this.#session(sessionId);
      session.asks.add(id);
      if (session.isRunning) this.#state(sessionId, { state: "requires_action" });
    }
    this.#ends.toPeer(
      method === "session/request_permission"
        ? { ...message, params: permissionToV2(params) }
        : message,
    );
  }

  #answered(message: Fields): void {
    this.#settled(message["id"] as RequestId);
    this.#ends.toGateway(message);
  }

  #settled(id: RequestId): void {
    for (const [sessionId, session] of this.#sessions) {
      if (!session.asks.delete(id)) continue;
      if (session.isRunning && session.asks.size === 0)
        this.#state(sessionId, { state: "running" });
    }
  }

  #session(sessionId: string): FollowedSession {
    const known = this.#sessions.get(sessionId);
    if (known) return known;
    const added = {
      options: noOptions,
      isRunning: false,
      asks: new Set<RequestId>(),
      message: null,
      cursor: undefined,
      started: new Set<string>(),
    };
    this.#sessions.set(sessionId, added);
    return added;
  }
}

const waitsForUser: ReadonlySet<string> = new Set([
  "session/request_permission",
  "elicitation/create",
]);

function asksForV2({ params }: Fields): boolean {
  const { protocolVersion } = fieldsOf(params);
  return typeof protocolVersion === "number" && protocolVersion >= 2;
}

function optionsUpdate(options: SessionOptions): Fields {
  return { sessionUpdate: "config_option_update", configOptions: optionsToV2(options) };
}

function withMode(
  { modes, configOptions }: SessionOptions,
  currentModeId: unknown,
): SessionOptions {
  return { modes: modes && { ...modes, currentModeId }, configOptions };
}

function onlyOptions(fields: Fields): Pick<SessionOptions, "configOptions"> {
  return { configOptions: readOptions(fields).configOptions };
}

/** Version 2 requires message ids. The cursor of the first chunk is an id that a replay gives again. */
function messageIdOf(
  session: FollowedSession,
  kind: string,
  update: Fields,
  cursor: string,
): string {
  const { messageId } = update;
  if (typeof messageId === "string") {
    session.message = null;
    return messageId;
  }
  if (session.message?.kind !== kind) session.message = { kind, id: `landline-${cursor}` };
  return session.message.id;
}

function cursorOf({ _meta }: Fields): string {
  const cursor = fieldsOf(_meta)[acpMeta.cursor];
  return typeof cursor === "number" || typeof cursor === "string" ? String(cursor) : randomUUIDv7();
}
