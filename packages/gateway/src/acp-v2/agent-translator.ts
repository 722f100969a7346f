import { isRecord } from "@landline/system/json";
import { AgentUpdates } from "./agent-updates.ts";
import { authMethodsToV1, commandsToV1, mcpServersToV2, optionsToV1 } from "./session-options.ts";
import {
  errorResponse,
  fieldsOf,
  textOf,
  type Ends,
  type Fields,
  type RequestId,
  type Translator,
} from "./translator.ts";

/** A prompt whose turn has not ended. The gateway expects one response at the end of the turn. */
interface OpenPrompt {
  readonly id: RequestId;
  isAccepted: boolean;
  hasRun: boolean;
  /** The end of the turn, if it came before the response that accepts the prompt. */
  end: Fields | null;
}

interface Pending {
  readonly method: string;
  readonly sessionId: string;
}

const INTERNAL_ERROR = -32_603;

/**
 * Lets the gateway use an agent that speaks version 2. An agent that answers `initialize` with version 1 is used as it
 * is, because the request has the fields of both versions.
 */
export class AgentTranslator implements Translator {
  readonly #ends: Ends;
  /** Requests of the gateway that the agent has not answered. */
  readonly #pending = new Map<RequestId, Pending>();
  readonly #prompts = new Map<string, OpenPrompt>();
  readonly #updates = new Map<string, AgentUpdates>();
  #version: 1 | 2 | null = null;
  #permissions = 0;

  constructor(ends: Ends) {
    this.#ends = ends;
  }

  get isPassThrough(): boolean {
    return this.#version === 1;
  }

  fromGateway(message: unknown): void {
    if (!isRecord(message)) {
      this.#ends.toPeer(message as object);
      return;
    }
    const { id, method } = message;
    if (typeof method === "string" && id !== undefined)
      this.#request(id as RequestId, method, fieldsOf(message["params"]));
    else this.#ends.toPeer(message);
  }

  fromPeer(message: unknown): void {
    if (!isRecord(message)) {
      this.#ends.toGateway(message as object);
      return;
    }
    const { id, method } = message;
    if (typeof method !== "string") this.#response(message);
    else if (method === "session/update" && id === undefined) this.#update(message);
    else if (method === "session/request_permission" && id !== undefined)
      this.#ends.toGateway({ ...message, params: this.#permission(fieldsOf(message["params"])) });
    else this.#ends.toGateway(message);
  }

  #request(id: RequestId, method: string, params: Fields): void {
    const sessionId = textOf(params["sessionId"]) ?? "";
    const send = (as: string, given: Fields) => {
      this.#pending.set(id, { method, sessionId });
      this.#ends.toPeer({ jsonrpc: "2.0", id, method: as, params: given });
    };
    switch (method) {
      case "initialize":
        send(method, initializeToV2(params));
        break;
      case "authenticate":
        send("auth/login", params);
        break;
      case "logout":
        send("auth/logout", params);
        break;
      case "session/new":
      case "session/fork":
      case "session/resume":
        send(method, withServers(params));
        break;
      case "session/load":
        this.#updatesOf(sessionId).isReplaying = true;
        send("session/resume", { ...withServers(params), replayFrom: { type: "start" } });
        break;
      case "session/prompt":
        this.#prompts.set(sessionId, { id, isAccepted: false, hasRun: false, end: null });
        send(method, params);
        break;
      case "session/set_config_option": {
        const { type, ...given } = params;
        send(method, { type: type === "boolean" ? "boolean" : "id", ...given });
        break;
      }
      default:
        send(method, params);
    }
  }

  #response(message: Fields): void {
    const id = message["id"] as RequestId;
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (!pending || !isRecord(message["result"])) {
      if (pending?.method === "session/prompt") this.#prompts.delete(pending.sessionId);
      this.#ends.toGateway(message);
      return;
    }
    const { method, sessionId } = pending;
    const result = message["result"];
    if (method === "session/prompt") {
      this.#accepted(sessionId);
      return;
    }
    this.#ends.toGateway({ ...message, result: this.#resultToV1(method, sessionId, result) });
    const { availableCommands } = result;
    if (Array.isArray(availableCommands)) {
      const update = {
        sessionUpdate: "available_commands_update",
        availableCommands: commandsToV1(availableCommands),
      };
      this.#send(textOf(result["sessionId"]) ?? sessionId, update);
    }
  }

  #resultToV1(method: string, sessionId: string, result: Fields): Fields {
    switch (method) {
      case "initialize":
        this.#version = result["protocolVersion"] === 2 ? 2 : 1;
        return this.#version === 2 ? initializeToV1(result) : result;
      case "session/close":
      case "session/delete":
        this.#updates.delete(sessionId);
        return result;
      default: {
        if (method === "session/load") this.#updatesOf(sessionId).isReplaying = false;
        const { availableCommands: _commands, configOptions, ...rest } = result;
        return {
          ...rest,
          ...(Array.isArray(configOptions) && { configOptions: optionsToV1(configOptions) }),
        };
      }
    }
  }

  #accepted(sessionId: string): void {
    const prompt = this.#prompts.get(sessionId);
    if (!prompt) return;
    prompt.isAccepted = true;
    if (prompt.end) this.#end(sessionId, prompt, prompt.end);
  }

  #update(message: Fields): void {
    const params = fieldsOf(message["params"]);
    const sessionId = textOf(params["sessionId"]) ?? "";
    const update = fieldsOf(params["update"]);
    if (update["sessionUpdate"] === "state_update") {
      this.#state(sessionId, update);
      return;
    }
    for (const converted of this.#updatesOf(sessionId).convert(update))
      this.#ends.toGateway({ ...message, params: { ...params, update: converted } });
  }

  #state(sessionId: string, update: Fields): void {
    const prompt = this.#prompts.get(sessionId);
    if (!prompt) return;
    if (update["state"] !== "idle") prompt.hasRun = true;
    else if (prompt.isAccepted && (prompt.hasRun || typeof update["stopReason"] === "string"))
      this.#end(sessionId, prompt, update);
    // An idle state from before the prompt ran is the state after the previous turn.
    else if (prompt.hasRun) prompt.end = update;
  }

  #end(sessionId: string, { id }: OpenPrompt, { stopReason, error, usage }: Fields): void {
    this.#prompts.delete(sessionId);
    for (const update of this.#updatesOf(sessionId).turnEnded()) this.#send(sessionId, update);
    if (stopReason === "error") {
      const { code, message, data } = fieldsOf(error);
      this.#ends.toGateway(
        errorResponse(
          id,
          typeof code === "number" ? code : INTERNAL_ERROR,
          textOf(message) ?? "The agent reported an error without a message.",
          isRecord(data) ? data : undefined,
        ),
      );
      return;
    }
    const reason = stopReasonsOfV1.has(stopReason) ? stopReason : "end_turn";
    const result = { stopReason: reason, ...(isRecord(usage) && { usage }) };
    this.#ends.toGateway({ jsonrpc: "2.0", id, result });
  }

  #send(sessionId: string, update: Fields): void {
    this.#ends.toGateway({
      jsonrpc: "2.0",
      method: "session/update",
      params: { sessionId, update },
    });
  }

  /** A permission request of version 1 is always about a tool call. */
  #permission(params: Fields): Fields {
    const { title, description, subject, ...rest } = params;
    const { type, toolCall, ...command } = fieldsOf(subject);
    const updates = this.#updatesOf(textOf(params["sessionId"]) ?? "");
    const about =
      type === "tool_call" ? updates.toolCall(fieldsOf(toolCall)) : commandCall(command);
    const reason = textOf(description);
    return {
      ...rest,
      toolCall: {
        toolCallId: textOf(about["toolCallId"]) ?? `permission-${++this.#permissions}`,
        title,
        ...(reason !== undefined &&
          about["content"] === undefined && {
            content: [{ type: "content", content: { type: "text", text: reason } }],
          }),
        ...about,
      },
    };
  }

  #updatesOf(sessionId: string): AgentUpdates {
    const known = this.#updates.get(sessionId);
    if (known) return known;
    const added = new AgentUpdates();
    this.#updates.set(sessionId, added);
    return added;
  }
}

const stopReasonsOfV1: ReadonlySet<unknown> = new Set([
  "end_turn",
  "max_tokens",
  "max_turn_requests",
  "refusal",
  "cancelled",
]);

function commandCall({ command, cwd, toolCallId }: Fields): Fields {
  if (typeof command !== "string") return {};
  return {
    ...(typeof toolCallId === "string" && { toolCallId }),
    kind: "execute",
    rawInput: { command, ...(typeof cwd === "string" && { cwd }) },
  };
}

function withServers({ mcpServers, ...params }: Fields): Fields {
  return { ...params, mcpServers: mcpServersToV2(mcpServers) };
}

function initializeToV2(params: Fields): Fields {
  const { auth, elicitation } = fieldsOf(params["clientCapabilities"]);
  return {
    ...params,
    protocolVersion: 2,
    info: params["clientInfo"],
    capabilities: {
      ...(fieldsOf(auth)["terminal"] === true && { auth: { terminal: {} } }),
      ...(isRecord(elicitation) && { elicitation }),
    },
  };
}

function initializeToV1({ info, capabilities, authMethods, _meta }: Fields): Fields {
  const session = fieldsOf(fieldsOf(capabilities)["session"]);
  const prompt = fieldsOf(session["prompt"]);
  const methods = authMethodsToV1(authMethods);
  const marker = (name: string) => (isRecord(session[name]) ? { [name]: {} } : {});
  return {
    protocolVersion: 1,
    ...(isRecord(info) && { agentInfo: info }),
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: {
        image: isRecord(prompt["image"]),
        audio: isRecord(prompt["audio"]),
        embeddedContext: isRecord(prompt["embeddedContext"]),
      },
      mcpCapabilities: { http: isRecord(fieldsOf(session["mcp"])["http"]), sse: false },
      sessionCapabilities: {
        list: {},
        resume: {},
        close: {},
        ...marker("delete"),
        ...marker("additionalDirectories"),
      },
      ...(methods.length > 0 && { auth: { logout: {} } }),
    },
    authMethods: methods,
    ...(_meta !== undefined && { _meta }),
  };
}
