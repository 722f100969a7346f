import { realpath } from "node:fs/promises";
import { relative } from "node:path";
import { type Confinement, LandlineError } from "@landline/protocol";
import type { ConfinedCall, FoundSandbox, ProgramCall } from "@landline/sandbox";
import { type SandboxSearch, sandboxSearch } from "@landline/sandbox/sandbox-search";
import type { Logger } from "../telemetry/logger.ts";
import type { ProcessAgent } from "./agent.ts";
import { AgentPlaces } from "./agent-places.ts";

export interface AgentSandboxesOptions {
  readonly home: string;
  /** The gateway's data folder, which is hidden from confined agents. */
  readonly folder: string;
  /** The environment that agents inherit. */
  readonly environment: NodeJS.ProcessEnv;
  readonly logger: Pick<Logger, "info" | "warn">;
}

/** How to start a program of an agent. */
export interface AgentCall {
  readonly call: ProgramCall;
  /** Null: not confined. */
  readonly confinement: Confinement | null;
  /** Protected places that it creates; null: not confined. */
  readonly places: AgentPlaces | null;
  /** Which files it may use; null: not confined. */
  readonly permits: ConfinedCall["permits"] | null;
  /** Releases the sandbox. Call when all processes of the program have ended. */
  close(): Promise<void>;
}

/** Confines agents according to their policy. */
export class AgentSandboxes {
  readonly #options: AgentSandboxesOptions;
  readonly #search: SandboxSearch;

  constructor(options: AgentSandboxesOptions) {
    this.#options = options;
    this.#search = sandboxSearch({ home: options.home, dataFolder: options.folder });
  }

  /**
   * Returns the call unchanged if the policy has no sandbox. Throws `agent-start-failed` if the sandbox does not
   * work. `roots`: the folders of the session, which the agent may change.
   */
  async confine(
    entry: ProcessAgent,
    call: ProgramCall,
    roots: readonly string[],
  ): Promise<AgentCall> {
    if (entry.sandbox === undefined)
      return { call, confinement: null, places: null, permits: null, close: async () => {} };
    const { home, folder, environment, logger } = this.#options;
    const found = await this.#search
      .find()
      .catch((error: Error) => ({ sandbox: null, reason: `${error.message}.` }));
    if (found.sandbox === null) throw notConfined(entry, found);
    const { write, read, caches, network } = entry.sandbox;
    // A session in the home folder would expose all of it.
    const realHome = await realOf(home);
    const realRoots = await Promise.all(roots.map(realOf));
    const projects = roots.filter((_, index) => realRoots[index] !== realHome);
    // An agent whose config has a folder of its own is started there.
    const isOfHome = !relative(await realOf(call.cwd), realHome).startsWith("..");
    const isOpen = projects.includes(call.cwd) || isOfHome;
    const own = { ...call, scripts: call.args };
    const changed = [...projects, ...write];
    const confined = await found.sandbox.confine(own, {
      write: changed,
      caches,
      read: isOpen ? read : [...read, call.cwd],
      network,
      hide: [folder],
    });
    const { PlaceWatch } = await import("@landline/sandbox");
    const watch = await PlaceWatch.start(changed, environment);
    const places = new AgentPlaces(watch, (created) => {
      logger.warn("An agent created protected places. They were renamed.", {
        agent: entry.id,
        renamed: created.places.map(({ renamed, aside }) => aside ?? renamed),
      });
    });
    return {
      call: confined,
      confinement: { sandbox: found.sandbox.name, network },
      places,
      permits: confined.permits,
      close: async () => {
        await confined.close();
        await places.end();
        const hosts = confined.deniedHosts();
        if (hosts.length > 0)
          logger.info("The sandbox blocked hosts that an agent requested.", {
            agent: entry.id,
            hosts,
          });
      },
    };
  }
}

function realOf(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

/** An agent never starts without the sandbox that its config requires. */
function notConfined(
  entry: ProcessAgent,
  { reason }: Extract<FoundSandbox, { sandbox: null }>,
): LandlineError {
  return new LandlineError("agent-start-failed", {
    message: `${entry.name} was not started, because it cannot be confined: ${reason}`,
    help: `Make the sandbox work, or remove "sandbox" from policy.${entry.id} in the config.`,
    data: { agent: entry.id, exitCode: null, signal: null, stderr: "" },
  });
}
