import type { ClientAccess } from "./client-access.ts";
import type { JsonObject } from "./json.ts";
import { shownOptions } from "./options.ts";
import { invalidParams, Refusal } from "./refusal.ts";
import type { RpcError } from "./prompt-result.ts";
import type { SessionSetup } from "./scenario.ts";
import type { Session, SessionStore } from "./sessions.ts";

/** The default answer to a request. */
export interface Usual {
  readonly result: JsonObject;
  readonly session?: Session;
  /** The history is to be replayed. */
  readonly replays?: boolean;
  /** A session begins: announce its commands. */
  readonly begins?: boolean;
}

const usualPageSize = 50;

export class SessionMethods {
  readonly #setup: SessionSetup;
  readonly #store: SessionStore;
  readonly #access: ClientAccess;

  constructor(setup: SessionSetup, store: SessionStore, access: ClientAccess) {
    this.#setup = setup;
    this.#store = store;
    this.#access = access;
  }

  /** The open session that the params name. */
  find(params: JsonObject): Session {
    const session = this.#store.get(String(params["sessionId"]));
    if (session?.open !== true) throw new Refusal(this.#notFound(params));
    return session;
  }

  create(params: JsonObject): Usual {
    this.#access.requireSignIn();
    if (!Array.isArray(params["mcpServers"])) throw invalidParams("mcpServers: expected a list");
    return this.#begun(this.#store.create(cwdOf(params)));
  }

  load(params: JsonObject): Usual {
    this.#access.requireCapability("loadSession", "session/load");
    const session = this.#reopened(params);
    if (this.#setup.forgets === "loaded") this.#store.forgetFile(session.id);
    return { result: this.#options(session), session, begins: true, replays: true };
  }

  resume(params: JsonObject): Usual {
    this.#access.requireCapability("sessionCapabilities.resume", "session/resume");
    const session = this.#reopened(params);
    if (this.#setup.forgets === "resumed") this.#store.delete(session.id);
    return { result: this.#options(session), session, begins: true };
  }

  /** Works for open and closed sessions. */
  fork(params: JsonObject): Usual {
    this.#access.requireCapability("sessionCapabilities.fork", "session/fork");
    this.#access.requireSignIn();
    const parent = this.#store.get(String(params["sessionId"]));
    if (parent === undefined) throw new Refusal(this.#notFound(params));
    const session = this.#store.create(cwdOf(params));
    for (const { update, child } of parent.history) this.#store.remember(session, update, child);
    if (this.#setup.forgets === "forked") this.#store.forgetFile(session.id);
    return this.#begun(session);
  }

  list(params: JsonObject): Usual {
    this.#access.requireCapability("sessionCapabilities.list", "session/list");
    this.#access.requireSignIn();
    const { cwd, cursor } = params;
    const start = Number(cursor ?? 0);
    if (!Number.isSafeInteger(start) || start < 0) throw invalidParams("cursor: not valid");
    const end = start + (this.#setup.pageSize ?? usualPageSize);
    const all = this.#store.all().filter((session) => cwd == null || session.cwd === cwd);
    const sessions = all.slice(start, end).map((session) => ({
      sessionId: session.id,
      cwd: session.cwd,
      updatedAt: session.updatedAt,
      title: session.title ?? null,
    }));
    return { result: { sessions, ...(end < all.length ? { nextCursor: String(end) } : {}) } };
  }

  /** A closed session can be loaded again, but not prompted. */
  close(params: JsonObject): Usual {
    this.#access.requireCapability("sessionCapabilities.close", "session/close");
    const session = this.find(params);
    session.open = false;
    return { result: {}, session };
  }

  delete(params: JsonObject): Usual {
    this.#access.requireCapability("sessionCapabilities.delete", "session/delete");
    this.#store.delete(String(params["sessionId"]));
    return { result: {} };
  }

  #reopened(params: JsonObject): Session {
    this.#access.requireSignIn();
    const id = String(params["sessionId"]);
    const unknown = this.#setup.loadUnknown ?? this.#notFound(params);
    const known = this.#store.get(id);
    if (known === undefined && unknown !== "accept") throw new Refusal(unknown);
    const session = known ?? this.#store.create(cwdOf(params), id);
    session.cwd = cwdOf(params);
    return this.#prepared(session);
  }

  #begun(session: Session): Usual {
    this.#prepared(session);
    return { result: { sessionId: session.id, ...this.#options(session) }, session, begins: true };
  }

  #prepared(session: Session): Session {
    session.open = true;
    session.modes ??= this.#setup.modes;
    session.configOptions ??= this.#setup.configOptions;
    session.models ??= this.#setup.models;
    session.showsBooleans = this.#setup.booleanOptions === "always";
    return session;
  }

  #options(session: Session): JsonObject {
    const { modes, configOptions, models } = session;
    const shown = shownOptions(session, this.#access.clientCapabilities());
    return {
      ...(modes === undefined ? {} : { modes }),
      ...(configOptions === undefined ? {} : { configOptions: shown }),
      ...(models === undefined ? {} : { models }),
    };
  }

  #notFound(params: JsonObject): RpcError {
    const data = { sessionId: params["sessionId"] };
    return this.#setup.notFound ?? { code: -32002, message: "Resource not found", data };
  }
}

function cwdOf(params: JsonObject): string {
  const { cwd } = params;
  if (typeof cwd !== "string" || !/^([/\\]|[A-Za-z]:)/.test(cwd)) {
    throw invalidParams("cwd: expected an absolute path");
  }
  return cwd;
}
