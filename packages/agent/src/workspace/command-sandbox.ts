import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isSecretVariable } from "@landline/shell";
import type { ConfinedCall, FoundSandbox, ProgramCall, SandboxNetwork } from "@landline/sandbox";
import type { SandboxConfig } from "../config/config.ts";
import { commandLimits } from "../limits.ts";
import { type SandboxSearch, sandboxSearch } from "@landline/sandbox/sandbox-search";
import { finishedWithin } from "@landline/system/finished-within";
import {
  type CommandBounds,
  CommandProblem,
  type Confinement,
  type RanConfined,
  type WorkspaceSandbox,
} from "./workspace.ts";

interface SandboxPlaces {
  home: string;
  /** The agent's data folder. */
  data: string;
  /** Hidden from all commands: the agent's data and that of the gateway. */
  hidden: readonly string[];
}

/** Finds the sandbox once for all sessions of this process. */
export class SandboxFinder {
  readonly places: SandboxPlaces;
  readonly #search: SandboxSearch;
  #found: FoundSandbox | null = null;
  #telling = Promise.resolve(false);

  constructor(places: SandboxPlaces) {
    this.places = places;
    this.#search = sandboxSearch({ home: places.home, dataFolder: places.data });
  }

  /** Null before the first search. */
  get found(): FoundSandbox | null {
    return this.#found;
  }

  async find(): Promise<FoundSandbox> {
    this.#found = await this.#search.find().catch((error: Error) => ({
      sandbox: null,
      reason: `It could not be looked for: ${error.message}.`,
    }));
    return this.#found;
  }

  /** Resolves when its work has ended, or after a limit. */
  async settled(): Promise<void> {
    await finishedWithin(
      Promise.all([this.#search.settled(), this.#telling]),
      commandLimits.killMs,
    );
  }

  /** Whether the user has not been notified of this problem yet, by this process or an earlier one. */
  isUnreported(problem: string): Promise<boolean> {
    // If the marker cannot be written, report the problem again.
    this.#telling = this.#telling.then(() => this.#tell(problem)).catch(() => true);
    return this.#telling;
  }

  async #tell(problem: string): Promise<boolean> {
    const folder = join(this.places.data, "sandbox");
    const file = join(folder, "reported-problem");
    const told = await readFile(file, "utf8").catch(() => null);
    if (told === problem) return false;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(file, problem, { mode: 0o600 });
    return true;
  }
}

const OFF = "The configuration turns the sandbox off.";

/** Confines the commands of one session. */
export class CommandSandbox implements WorkspaceSandbox {
  readonly #finder: SandboxFinder;
  readonly #config: () => SandboxConfig | null;
  #isClosed = false;

  /** `config` returns the current configuration; null: commands are not confined. */
  constructor(finder: SandboxFinder, config: () => SandboxConfig | null) {
    this.#finder = finder;
    this.#config = config;
  }

  async problem(): Promise<string | null> {
    if (this.#config() === null) return OFF;
    if (this.#isClosed) return "The session is closed.";
    return problemOf(await this.#finder.find());
  }

  known(): string | null | undefined {
    if (this.#config() === null) return OFF;
    const { found } = this.#finder;
    return found === null ? undefined : problemOf(found);
  }

  /** If the configuration requires a sandbox, every session reports the problem. */
  async unreportedProblem(): Promise<string | null> {
    const problem = await this.problem();
    const config = this.#config();
    if (problem === null || config === null || this.#isClosed) return null;
    const isUnreported = await this.#finder.isUnreported(problem);
    return isUnreported || config.isWanted ? problem : null;
  }

  /** Stops the search and waits for it. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#finder.settled();
  }

  network(): SandboxNetwork {
    return this.#config()?.network ?? "off";
  }

  bounds(roots: readonly string[], confinement: Confinement): CommandBounds | null {
    const config = this.#config();
    if (config === null) return null;
    const { home, hidden } = this.#finder.places;
    const { network, isUnasked, write, read, opened, openedToRead = [] } = confinement;
    const policy = {
      write: [...roots, ...config.write, ...write],
      caches: config.caches,
      read: [...config.read, ...read],
      opened,
      openedToRead,
      hide: hidden,
      network,
      // A command that nobody approved gets no secrets.
      unset: isUnasked || network === "off" ? secretVariables() : [],
    };
    return { policy, home, closed: hidden };
  }

  /** Throws CommandProblem when it is impossible. The caller closes the returned call. */
  async confine(
    call: ProgramCall,
    roots: readonly string[],
    confinement: Confinement,
  ): Promise<{ call: ConfinedCall; ranConfined: RanConfined }> {
    const { sandbox } = await this.#finder.find();
    const bounds = this.bounds(roots, confinement);
    if (bounds === null || sandbox === null)
      throw new CommandProblem("The command should run in a sandbox, but there is none.");
    const { policy } = bounds;
    const confined = await sandbox.confine({ ...call, leavesBackground: true }, policy);
    return { call: confined, ranConfined: { sandbox: sandbox.name, network: policy.network } };
  }
}

/** For a workspace without a sandbox. */
export const noSandbox: WorkspaceSandbox = {
  problem: () => Promise.resolve(OFF),
  known: () => OFF,
  unreportedProblem: () => Promise.resolve(null),
  network: () => "off",
  bounds: () => null,
};

function problemOf(found: FoundSandbox): string | null {
  return found.sandbox === null ? found.reason : null;
}

function secretVariables(): string[] {
  return Object.entries(process.env).flatMap(([name, value = ""]) =>
    isSecretVariable(name, value) ? [name] : [],
  );
}
