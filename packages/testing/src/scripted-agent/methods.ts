import type { ClientAccess } from "./client-access.ts";
import type { JsonObject } from "./json.ts";
import { setConfigValue, setModelValue, setModeValue, shownOptions } from "./options.ts";
import { invalidParams, notSupported } from "./refusal.ts";
import type { SessionMethods, Usual } from "./session-methods.ts";
import type { Session } from "./sessions.ts";

type Method = (params: JsonObject) => Usual;

/** Default answers to all requests except prompts. */
export class Methods {
  readonly #access: ClientAccess;
  readonly #sessions: SessionMethods;
  readonly #table: ReadonlyMap<string, Method>;

  constructor(access: ClientAccess, sessions: SessionMethods) {
    this.#access = access;
    this.#sessions = sessions;
    this.#table = new Map<string, Method>([
      ["initialize", (params) => ({ result: access.initialize(params) })],
      ["authenticate", (params) => done(access.authenticate(params))],
      ["logout", () => done(access.logout())],
      ["session/new", (params) => sessions.create(params)],
      ["session/load", (params) => sessions.load(params)],
      ["session/resume", (params) => sessions.resume(params)],
      ["session/fork", (params) => sessions.fork(params)],
      ["session/list", (params) => sessions.list(params)],
      ["session/close", (params) => sessions.close(params)],
      ["session/delete", (params) => sessions.delete(params)],
      ["session/set_mode", (params) => this.#setMode(params)],
      ["session/set_model", (params) => this.#setModel(params)],
      ["session/set_config_option", (params) => this.#setConfigOption(params)],
    ]);
  }

  /** Throws a `Refusal` if the default answer is an error. */
  call(method: string, params: JsonObject): Usual {
    if (method !== "initialize") this.#access.requireInitialized();
    const found = this.#table.get(method);
    if (found === undefined) throw notSupported(method);
    return found(params);
  }

  /** The session of a prompt. Throws if it can't be prompted. */
  promptable(params: JsonObject): Session {
    this.#access.requireInitialized();
    this.#access.requireSignIn();
    const session = this.#sessions.find(params);
    if (!Array.isArray(params["prompt"])) {
      throw invalidParams("prompt: expected a list of content blocks");
    }
    return session;
  }

  #setMode(params: JsonObject): Usual {
    const session = this.#sessions.find(params);
    if (session.modes === undefined) throw notSupported("session/set_mode");
    if (!setModeValue(session, String(params["modeId"]))) {
      throw invalidParams("modeId: no such mode");
    }
    return { result: {}, session };
  }

  #setModel(params: JsonObject): Usual {
    const session = this.#sessions.find(params);
    if (session.models === undefined) throw notSupported("session/set_model");
    if (!setModelValue(session, String(params["modelId"]))) {
      throw invalidParams("modelId: no such model");
    }
    return { result: {}, session };
  }

  #setConfigOption(params: JsonObject): Usual {
    const session = this.#sessions.find(params);
    if (session.configOptions === undefined) throw notSupported("session/set_config_option");
    if (!setConfigValue(session, String(params["configId"]), params["value"])) {
      throw invalidParams("no option with this configId takes this value");
    }
    const configOptions = shownOptions(session, this.#access.clientCapabilities());
    return { result: { configOptions }, session };
  }
}

function done(_nothing: void): Usual {
  return { result: {} };
}
