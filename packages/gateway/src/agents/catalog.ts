import { LandlineError, limitsOf, type AgentSummary, type Limits } from "@landline/protocol";
import {
  type AgentConfig,
  type AgentPolicy,
  type BuiltInAgent,
  type QuirkName,
  type TerminalSandboxPolicy,
  usualTerminalSandbox,
} from "../gateway-options.ts";
import type { AgentEntry } from "./agent.ts";
import { shellLine } from "@landline/system/shell-words";
import { parseAgentFlag } from "./agent-flag.ts";
import { tokenVariable } from "./endpoint-address.ts";
import {
  findCommand,
  pathWith,
  searchPlaces,
  type SearchPlaces,
} from "@landline/system/find-command";
import { knownAgents, type KnownAgent } from "./known-agents.ts";
import { quirksOf } from "./quirks.ts";

/** What the gateway learns about an agent at run time. */
export type AgentNews = Partial<
  Pick<
    AgentSummary,
    "signedIn" | "signInMethods" | "canSignOut" | "keys" | "progress" | "lastChoices"
  >
>;

const nothingLearned: Required<AgentNews> = {
  signedIn: null,
  signInMethods: [],
  canSignOut: null,
  keys: null,
  progress: null,
  lastChoices: [],
};

/** All agents. Watchers receive the whole list when it changes. */
export interface Catalog {
  /**
   * Throws `agent-not-found`, which lists the searched places. The folders of the session (`roots`) are not searched.
   */
  get(id: string, roots?: readonly string[]): AgentEntry;
  list(): Promise<readonly AgentSummary[]>;
  watch(listener: (agents: readonly AgentSummary[]) => void): Disposable;
  /** The tokens of agents at addresses. They must not be logged. */
  readonly tokens: readonly string[];
  /** Stores what was learned about an agent: sign-in methods, install progress, last choices. */
  learned(id: string, news: AgentNews): void;
}

export interface CatalogOptions {
  readonly config: readonly AgentConfig[];
  /** Values of `--agent`: "name=command args…". They take precedence over the config. */
  readonly extra?: readonly string[];
  /** Listed first, and always found. */
  readonly builtIn?: BuiltInAgent;
  readonly policy?: Readonly<Record<string, AgentPolicy>>;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly limits?: Pick<Limits, "agentsLookMs">;
}

/** One row of the catalog. `entry` is null if the agent was not found. */
interface Row {
  readonly id: string;
  readonly name: string;
  readonly entry: AgentEntry | null;
  readonly found: boolean;
  readonly how: string;
  /** The command that installs it, if known and needed. */
  readonly install?: string;
}

export function createCatalog(options: CatalogOptions): Catalog {
  return new AgentCatalog(options);
}

class AgentCatalog implements Catalog {
  readonly #builtIn: BuiltInAgent | null;
  readonly #configured: readonly AgentConfig[];
  readonly #known: readonly KnownAgent[];
  readonly #policy: Readonly<Record<string, AgentPolicy>>;
  readonly #environment: Readonly<Record<string, string | undefined>>;
  readonly #lookMs: number;
  readonly #news = new Map<string, AgentNews>();
  readonly #listeners = new Set<(agents: readonly AgentSummary[]) => void>();
  #reported = "";
  #timer: NodeJS.Timeout | undefined;

  constructor({
    config,
    extra = [],
    builtIn,
    policy = {},
    environment = process.env,
    limits = limitsOf("default"),
  }: CatalogOptions) {
    const all = [...extra.map(parseAgentFlag), ...config];
    this.#configured = all.filter(({ id }, at) => all.findIndex((one) => one.id === id) === at);
    const isReplaced = all.some(({ id }) => id === builtIn?.id);
    this.#builtIn = builtIn === undefined || isReplaced ? null : builtIn;
    this.#known = knownAgents.filter(({ id }) => !all.some((one) => one.id === id));
    this.#policy = policy;
    this.#environment = environment;
    this.#lookMs = limits.agentsLookMs;
  }

  get(id: string, roots: readonly string[] = []): AgentEntry {
    const row = this.#rowOf(id, roots);
    if (row === undefined)
      throw new LandlineError("agent-not-found", {
        message: `There is no agent "${id.slice(0, 100)}".`,
        data: { agent: id.slice(0, 100) },
      });
    if (row.entry === null)
      throw new LandlineError("agent-not-found", {
        message: `${row.name} is not installed here, or not found.`,
        help: row.how,
        data: { agent: id },
      });
    return row.entry;
  }

  get tokens(): readonly string[] {
    return this.#configured.flatMap((agent) => this.#tokenOf(agent) ?? []);
  }

  list(): Promise<readonly AgentSummary[]> {
    return Promise.resolve(this.#summaries());
  }

  watch(listener: (agents: readonly AgentSummary[]) => void): Disposable {
    if (this.#listeners.size === 0) {
      this.#reported = JSON.stringify(this.#summaries());
      this.#timer = setInterval(() => this.#report(), this.#lookMs).unref();
    }
    // A wrapper per call, so that the same function can be registered twice.
    const listening = (agents: readonly AgentSummary[]) => listener(agents);
    this.#listeners.add(listening);
    return {
      [Symbol.dispose]: () => {
        this.#listeners.delete(listening);
        if (this.#listeners.size === 0) clearInterval(this.#timer);
      },
    };
  }

  learned(id: string, news: AgentNews): void {
    const all = [this.#builtIn, ...this.#configured, ...this.#known];
    if (!all.some((agent) => agent?.id === id)) return;
    this.#news.set(id, { ...this.#news.get(id), ...news });
    if (this.#listeners.size > 0) this.#report();
  }

  #report(): void {
    const agents = this.#summaries();
    const text = JSON.stringify(agents);
    if (text === this.#reported) return;
    this.#reported = text;
    for (const listener of this.#listeners) listener(agents);
  }

  #summaries(): AgentSummary[] {
    return this.#rows().map((row) => this.#summaryOf(row));
  }

  #summaryOf({ id, name, found, how, install }: Row): AgentSummary {
    const news = { ...nothingLearned, ...this.#news.get(id) };
    return { id, name, found, how, install: install ?? null, ...news };
  }

  #rows(): Row[] {
    const places = searchPlaces(this.#environment);
    return [
      ...(this.#builtIn === null ? [] : [this.#builtInRow(this.#builtIn)]),
      ...this.#configured.map((agent) => this.#configuredRow(agent, places)),
      ...this.#known.map((agent) => this.#knownRow(agent, places)),
    ];
  }

  /** Searches for one agent only, because opening a session must not wait for a search for all. */
  #rowOf(id: string, roots: readonly string[]): Row | undefined {
    if (this.#builtIn?.id === id) return this.#builtInRow(this.#builtIn);
    const places = searchPlaces(this.#environment, roots);
    const configured = this.#configured.find((agent) => agent.id === id);
    if (configured) return this.#configuredRow(configured, places);
    const known = this.#known.find((agent) => agent.id === id);
    return known && this.#knownRow(known, places);
  }

  #builtInRow({ id, name, command, args }: BuiltInAgent): Row {
    // It confines its own commands, and uses terminals only for those that a person allowed outside its sandbox.
    const base = this.#base(id, name, [], null);
    const process = { ...base, ...this.#confined(id), command, args, env: {} };
    const entry: AgentEntry = { ...process, isBuiltIn: true };
    return { ...base, entry, found: true, how: "built in" };
  }

  #configuredRow(agent: AgentConfig, places: SearchPlaces): Row {
    const { id, name = id, quirks, acpVersion } = agent;
    const base = { ...this.#base(id, name, quirks), ...(acpVersion && { acpVersion }) };
    if ("endpoint" in agent) {
      const { endpoint } = agent;
      const token = this.#tokenOf(agent);
      const secret = token === undefined ? {} : { token };
      return {
        ...base,
        entry: { ...base, kind: "endpoint", endpoint, ...secret },
        found: true,
        how: endpoint,
      };
    }
    const { command, args = [], env = {}, cwd } = agent;
    const found = findCommand(command, places);
    const entry: AgentEntry = {
      ...base,
      ...this.#confined(id),
      command: found?.path ?? command,
      args,
      env: found === null ? env : { ...pathWith(found, this.#environment), ...env },
      ...(cwd === undefined ? {} : { cwd }),
    };
    const how = shellLine([entry.command, ...args]);
    return found === null
      ? { ...base, entry, found: false, how: `${how}: ${lookedFor([command], places)}.` }
      : { ...base, entry, found: true, how };
  }

  #tokenOf(agent: AgentConfig): string | undefined {
    if (!("endpoint" in agent)) return undefined;
    return agent.token ?? (this.#environment[tokenVariable(agent.id)] || undefined);
  }

  #knownRow({ id, name, launches, install }: KnownAgent, places: SearchPlaces): Row {
    const base = this.#base(id, name);
    for (const { command, args } of launches) {
      const found = findCommand(command, places);
      if (found === null) continue;
      const env = pathWith(found, this.#environment);
      const entry: AgentEntry = { ...base, ...this.#confined(id), command: found.path, args, env };
      return { ...base, entry, found: true, how: shellLine([found.path, ...args]) };
    }
    const commands = launches.map(({ command }) => command);
    const how = `Not found: ${lookedFor(commands, places)}. Install it with: ${install}`;
    return { ...base, entry: null, found: false, how, install };
  }

  #confined(id: string) {
    return { kind: "process", sandbox: this.#policy[id]?.sandbox } as const;
  }

  #base(
    id: string,
    name: string,
    quirks: readonly QuirkName[] = [],
    usual: TerminalSandboxPolicy | null = usualTerminalSandbox,
  ) {
    const withhold = this.#policy[id]?.withhold ?? { files: false, terminals: false };
    const given = Object.fromEntries(quirks.map((quirk) => [quirk, true]));
    const terminalSandbox = terminalSandboxOf(this.#policy[id], usual);
    return { id, name, withhold, quirks: quirksOf(id, null, given), terminalSandbox };
  }
}

/** The terminals of a confined agent are confined too, unless the config says otherwise. */
function terminalSandboxOf(
  policy: AgentPolicy | undefined,
  usual: TerminalSandboxPolicy | null,
): TerminalSandboxPolicy | null {
  const configured = policy?.terminalSandbox ?? policy?.sandbox;
  if (configured === undefined) return usual;
  return configured === "off" ? null : { ...configured, isRequired: true };
}

function lookedFor(commands: readonly string[], places: SearchPlaces): string {
  const names = commands.join(", ");
  const [first = ""] = commands;
  if (first.includes("/")) return `there is no program at ${first}`;
  const { path, beyond } = places;
  return `looked for ${names} in the ${path.length} folders of the PATH and ${beyond.length} more (${beyond.join(", ")})`;
}
