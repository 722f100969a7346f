import type { AuthMethod } from "@agentclientprotocol/sdk";
import type { AgentSummary, HttpOperationName, Output } from "@landline/protocol";
import type {
  Api,
  CallInput,
  CallOptions,
  Device,
  EventsPage,
  EventsWanted,
  ExportFormat,
  FilesFound,
  FolderListing,
  Me,
  NewDevice,
  NewRule,
  Rule,
  RuleSuggestions,
  RuleWords,
  SearchHit,
  SessionsPage,
  SessionsWanted,
  TracePage,
} from "./api.ts";
import { agentsOf, eventsOf, peopleOf, rulesDamageOf, summariesOf } from "./heard-frame.ts";
import type { Http } from "./http.ts";
import { requestOf } from "./operation-request.ts";
import { problemOf } from "./problem.ts";

export interface EventsAsked extends EventsWanted {
  /** How long the gateway may wait for an event, if there is none. */
  readonly wait?: number;
}

/** The gateway's HTTP API. Of each answer its frame is checked; what is in it is as the gateway says. */
export class HttpApi implements Api {
  readonly #http: Http;
  readonly #changed: (what: "agents" | "me") => void;

  /** `changed` is called after a request that changed the list of agents or `me`. */
  constructor(http: Http, changed: (what: "agents" | "me") => void = () => {}) {
    this.#http = http;
    this.#changed = changed;
  }

  /** Calls any operation that is reached over HTTP. */
  call<Name extends HttpOperationName>(
    name: Name,
    input: CallInput<Name>,
    options: CallOptions = {},
  ): Promise<Output<Name>> {
    const { method, path, ...parts } = requestOf(name, input);
    return this.#http.record(method, path, { ...parts, ...options }) as Promise<Output<Name>>;
  }

  async me(): Promise<Me> {
    const me = await this.call("read-me", {});
    return { ...me, people: peopleOf(me.people), rulesDamage: rulesDamageOf(me.rulesDamage) };
  }

  async signInMethods(agent: string): Promise<readonly AuthMethod[]> {
    // An agent is asked, which may have to be started.
    const { commandMs: withinMs } = this.#http.timing;
    return listOf((await this.call("list-sign-in-methods", { agent }, { withinMs })).methods);
  }

  async forgetChoices(agent: string): Promise<void> {
    await this.call("forget-choices", { agent });
    this.#changed("agents");
  }

  async sessions({ cwd, cursor, limit }: SessionsWanted): Promise<SessionsPage> {
    const query = { limit, ...optional({ cwd }), ...(cursor === null ? {} : { cursor }) };
    const { sessions, nextCursor } = await this.call("list-sessions", query);
    return {
      sessions: summariesOf(sessions),
      nextCursor: typeof nextCursor === "string" ? nextCursor : null,
    };
  }

  async agents(): Promise<readonly AgentSummary[]> {
    return agentsOf((await this.call("list-agents", {})).agents);
  }

  async events(sessionId: string, page: EventsAsked, signal?: AbortSignal): Promise<EventsPage> {
    const options = signal ? { signal } : {};
    const { events, head } = await this.call("read-events", { sessionId, ...page }, options);
    if (typeof head !== "number") throw problemOf(null);
    return { events: eventsOf(listOf(events)), head };
  }

  blob(sessionId: string, hash: string): Promise<string> {
    const { method, path, query } = requestOf("read-blob", { hash, session: sessionId });
    return this.#http.text(method, path, { query, accept: "*/*" });
  }

  files(sessionId: string, text: string, limit?: number): Promise<FilesFound> {
    return this.call("find-files", { session: sessionId, q: text, ...optional({ limit }) });
  }

  filesIn(folder: string, text: string, limit?: number): Promise<FilesFound> {
    return this.call("find-files", { folder, q: text, ...optional({ limit }) });
  }

  folders(path?: string): Promise<FolderListing> {
    return this.call("list-folders", optional({ path }));
  }

  async search(
    text: string,
    { sessionId: session, limit }: { sessionId?: string; limit?: number } = {},
  ): Promise<SearchHit[]> {
    const { hits } = await this.call("search", { q: text, ...optional({ session, limit }) });
    return [...listOf(hits)];
  }

  async rules(): Promise<Rule[]> {
    return [...listOf((await this.call("list-rules", {})).rules)];
  }

  previewRule(rule: NewRule): Promise<RuleWords> {
    return this.call("preview-rule", rule);
  }

  addRule(rule: NewRule): Promise<Rule> {
    return this.call("add-rule", rule);
  }

  async removeRule(id: string): Promise<void> {
    await this.call("remove-rule", { id });
  }

  async acknowledgeRulesDamage(): Promise<void> {
    await this.call("acknowledge-rules-damage", {});
    this.#changed("me");
  }

  async suggestRules(sessionId: string, askId: string): Promise<RuleSuggestions> {
    const { rules, reason } = await this.call("suggest-rules", { sessionId, askId });
    return {
      rules: Array.isArray(rules) ? rules : [],
      reason: typeof reason === "string" ? reason : null,
    };
  }

  async devices(): Promise<Device[]> {
    return [...listOf((await this.call("list-devices", {})).devices)];
  }

  addDevice(device: NewDevice): Promise<Output<"add-device">> {
    return this.call("add-device", device);
  }

  addLink(): Promise<Output<"add-link">> {
    return this.call("add-link", {});
  }

  async removeDevice(id: string): Promise<void> {
    await this.call("remove-device", { id });
  }

  async trace(
    sessionId: string,
    { before, limit }: { before?: number; limit?: number } = {},
  ): Promise<TracePage | null> {
    const input = { sessionId, ...optional({ before, limit }) };
    const { lines, hasMore } = await this.call("read-trace", input);
    return lines === null ? null : { lines: listOf(lines), hasMore };
  }

  export(sessionId: string, format: ExportFormat): Promise<string> {
    const { method, path, query } = requestOf("export", { sessionId, format });
    return this.#http.text(method, path, { query, accept: "*/*" });
  }

  async exportUrl(sessionId: string, format: ExportFormat): Promise<string> {
    const { path, query } = requestOf("export", { sessionId, format });
    const address = `/${path}?format=${format}`;
    const { ticket } = await this.call("add-ticket", { address });
    return this.#http.address.httpUrl(path, { ...query, ticket });
  }
}

/** Only what was given: the gateway refuses fields that it does not know, and `undefined` is none. */
function optional<Fields extends object>(
  fields: Fields,
): { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> } {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> };
}

/** What must be a list, whoever answered. */
function listOf<Entry>(value: readonly Entry[]): readonly Entry[] {
  if (Array.isArray(value)) return value;
  throw problemOf(null);
}
