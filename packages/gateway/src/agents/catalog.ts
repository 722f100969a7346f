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
import {
  findCommand,
  pathWith,
  searchPlaces,
  type SearchPlaces,
} from "@landline/system/find-command";
import { knownAgents, type KnownAgent } from "./known-agents.ts";
import { quirksOf } from "./quirks.ts";

/** What is learned of an agent while it is used. */
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

/** The agents that there are. Whoever watches is told the whole list when something in it has changed. */
export interface Catalog {
  /**
   * Throws `agent-not-found`, which says where it was looked for: not in the folders of the session that it is for
   * (`roots`).
   */
  get(id: string, roots?: readonly string[]): AgentEntry;
  list(): Promise<readonly AgentSummary[]>;
  watch(listener: (agents: readonly AgentSummary[]) => void): Disposable;
  /** Keeps what was learned of an agent: the sign-in methods that it named, how an install goes, what was chosen. */
  learned(id: string, news: AgentNews): void;
}

export interface CatalogOptions {
  readonly config: readonly AgentConfig[];
  /** What `--agent` was given: "name=command args…". They come before those of the config. */
  readonly extra?: readonly string[];
  /** It comes before all others, and is always found. */
  readonly builtIn?: BuiltInAgent;
  readonly policy?: Readonly<Record<string, AgentPolicy>>;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly limits?: Pick<Limits, "agentsLookMs">;
}

/** One line of the catalog: an entry, or why there is none. */
interface Row {
  readonly id: string;
  readonly name: string;
  readonly entry: AgentEntry | null;
  readonly found: boolean;
  readonly how: string;
  /** The command that installs it, where one is known and needed. */
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
  #told = "";
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

  list(): Promise<readonly AgentSummary[]> {
    return Promise.resolve(this.#summaries());
  }

  watch(listener: (agents: readonly AgentSummary[]) => void): Disposable {
    if (this.#listeners.size === 0) {
      this.#told = JSON.stringify(this.#summaries());
      this.#timer = setInterval(() => this.#tell(), this.#lookMs).unref();
    }
    // Each time one of its own, so that the same function can listen twice.
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
    if (this.#listeners.size > 0) this.#tell();
  }

  #tell(): void {
    const agents = this.#summaries();
    const text = JSON.stringify(agents);
    if (text === this.#told) return;
    this.#told = text;
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

  /** Looks for that one alone: a session that is opened must not wait for a search for all of them. */
  #rowOf(id: string, roots: readonly string[]): Row | undefined {
    if (this.#builtIn?.id === id) return this.#builtInRow(this.#builtIn);
    const places = searchPlaces(this.#environment, roots);
    const configured = this.#configured.find((agent) => agent.id === id);
    if (configured) return this.#configuredRow(configured, places);
    const known = this.#known.find((agent) => agent.id === id);
    return known && this.#knownRow(known, places);
  }

  #builtInRow({ id, name, command, args }: BuiltInAgent): Row {
    // It confines its commands itself, and uses terminals for what a person let out of its sandbox.
    const base = this.#base(id, name, [], null);
    const process = { ...base, ...this.#confined(id), command, args, env: {} };
    const entry: AgentEntry = { ...process, isBuiltIn: true };
    return { ...base, entry, found: true, how: "built in" };
  }

  #configuredRow(agent: AgentConfig, places: SearchPlaces): Row {
    const { id, name = id, quirks } = agent;
    const base = this.#base(id, name, quirks);
    if ("endpoint" in agent) {
      const { endpoint, token } = agent;
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

/** An agent that is confined does not leave its sandbox by a terminal, unless the config says so. */
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
