import type { AuthMethod } from "@agentclientprotocol/sdk";
import type { SessionSummary } from "@landline/protocol";
import type {
  Api,
  Device,
  EventsPage,
  EventsWanted,
  FilesFound,
  FolderListing,
  Me,
  NewRule,
  Role,
  Rule,
  RuleSuggestion,
  RuleSuggestions,
  RuleWords,
  SearchHit,
  TracePage,
} from "./api.ts";
import type { Query } from "./gateway-address.ts";
import { eventsOf, peopleOf, rulesDamageOf, summariesOf } from "./heard-frame.ts";
import type { Http } from "./http.ts";
import { problemOf } from "./problem.ts";

export interface EventsAsked extends EventsWanted {
  /** How long the gateway may wait for an event, if there is none. */
  readonly wait?: number;
}

export interface SessionsPage {
  readonly sessions: readonly SessionSummary[];
  readonly nextCursor: string | null;
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

  async me(): Promise<Me> {
    const me = await this.#http.record("GET", "api/me");
    return {
      ...(me as unknown as Me),
      people: peopleOf(me["people"]),
      rulesDamage: rulesDamageOf(me["rulesDamage"]),
    };
  }

  async signInMethods(agent: string): Promise<readonly AuthMethod[]> {
    const path = `api/agents/${encodeURIComponent(agent)}/sign-in/methods`;
    // An agent is asked, which may have to be started.
    const { commandMs: withinMs } = this.#http.timing;
    const { methods } = await this.#http.record("POST", path, { withinMs });
    if (!Array.isArray(methods)) throw problemOf(null);
    return methods as readonly AuthMethod[];
  }

  async forgetChoices(agent: string): Promise<void> {
    await this.#http.text("DELETE", `api/agents/${encodeURIComponent(agent)}/choices`);
    this.#changed("agents");
  }

  async sessions(page: { cursor: string | null; limit: number }): Promise<SessionsPage> {
    const query = { limit: page.limit, ...(page.cursor === null ? {} : { cursor: page.cursor }) };
    const { sessions, nextCursor } = await this.#http.record("GET", "api/sessions", { query });
    return {
      sessions: summariesOf(sessions),
      nextCursor: typeof nextCursor === "string" ? nextCursor : null,
    };
  }

  async agents(): Promise<unknown> {
    return (await this.#http.record("GET", "api/agents"))["agents"];
  }

  async events(sessionId: string, page: EventsAsked, signal?: AbortSignal): Promise<EventsPage> {
    const query: Query = { ...page };
    const parts = { query, ...(signal ? { signal } : {}) };
    const { events, head } = await this.#http.record(
      "GET",
      `${sessionPath(sessionId)}/events`,
      parts,
    );
    if (!Array.isArray(events) || typeof head !== "number") throw problemOf(null);
    return { events: eventsOf(events), head };
  }

  blob(sessionId: string, hash: string): Promise<string> {
    const query = { session: sessionId };
    return this.#http.text("GET", `api/blobs/${encodeURIComponent(hash)}`, {
      query,
      accept: "*/*",
    });
  }

  files(sessionId: string, text: string, limit?: number): Promise<FilesFound> {
    return this.#files({ session: sessionId, q: text, limit });
  }

  filesIn(folder: string, text: string, limit?: number): Promise<FilesFound> {
    return this.#files({ folder, q: text, limit });
  }

  async folders(path?: string): Promise<FolderListing> {
    const answer = await this.#http.record("GET", "api/folders", { query: { path } });
    return answer as unknown as FolderListing;
  }

  async search(
    text: string,
    { sessionId, limit }: { sessionId?: string; limit?: number } = {},
  ): Promise<SearchHit[]> {
    return this.#list("api/search", "hits", { q: text, session: sessionId, limit });
  }

  rules(): Promise<Rule[]> {
    return this.#list("api/rules", "rules");
  }

  async previewRule(rule: NewRule): Promise<RuleWords> {
    const parts = { query: { preview: true }, body: rule };
    return (await this.#http.record("POST", "api/rules", parts)) as unknown as RuleWords;
  }

  async addRule(rule: NewRule): Promise<Rule> {
    return (await this.#http.record("POST", "api/rules", { body: rule })) as unknown as Rule;
  }

  async removeRule(id: string): Promise<void> {
    await this.#http.text("DELETE", `api/rules/${encodeURIComponent(id)}`);
  }

  async acknowledgeRulesDamage(): Promise<void> {
    await this.#http.text("POST", "api/rules/damage/acknowledge");
    this.#changed("me");
  }

  async suggestRules(sessionId: string, askId: string): Promise<RuleSuggestions> {
    const path = `${sessionPath(sessionId)}/asks/${encodeURIComponent(askId)}/rules`;
    const { rules, reason } = await this.#http.record("GET", path);
    return {
      rules: Array.isArray(rules) ? (rules as RuleSuggestion[]) : [],
      reason: typeof reason === "string" ? reason : null,
    };
  }

  devices(): Promise<Device[]> {
    return this.#list("api/devices", "devices");
  }

  async addDevice(device: {
    name: string;
    role: Role;
  }): Promise<Device & { token: string; url: string }> {
    const answer = await this.#http.record("POST", "api/devices", { body: device });
    return answer as unknown as Device & { token: string; url: string };
  }

  async removeDevice(id: string): Promise<void> {
    await this.#http.text("DELETE", `api/devices/${encodeURIComponent(id)}`);
  }

  async trace(
    sessionId: string,
    { before, limit }: { before?: number; limit?: number } = {},
  ): Promise<TracePage | null> {
    const query = { before, limit };
    const answer = await this.#http.record("GET", `${sessionPath(sessionId)}/trace`, { query });
    if (answer["lines"] === null) return null;
    if (!Array.isArray(answer["lines"])) throw problemOf(null);
    return answer as unknown as TracePage;
  }

  async exportUrl(sessionId: string, format: "json" | "markdown" | "html"): Promise<string> {
    const path = `${sessionPath(sessionId)}/export`;
    const body = { address: `/${path}?format=${format}` };
    const { ticket } = await this.#http.record("POST", "api/tickets", { body });
    return this.#http.address.httpUrl(path, { format, ticket: String(ticket) });
  }

  async #files(query: Query): Promise<FilesFound> {
    return (await this.#http.record("GET", "api/files", { query })) as unknown as FilesFound;
  }

  async #list<Entry>(path: string, name: string, query: Query = {}): Promise<Entry[]> {
    const list = (await this.#http.record("GET", path, { query }))[name];
    if (!Array.isArray(list)) throw problemOf(null);
    return list;
  }
}

export function sessionPath(sessionId: string): string {
  return `api/sessions/${encodeURIComponent(sessionId)}`;
}
