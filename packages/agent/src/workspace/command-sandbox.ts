import { join } from "node:path";
import { isSecretVariable } from "@landline/shell";
import type { FoundSandbox, ProgramCall } from "@landline/sandbox";
import type { SandboxConfig } from "../config/config.ts";
import { loadOnce } from "../load-once.ts";
import { CommandProblem, type Confinement } from "./workspace.ts";

export interface CommandSandboxOptions {
  /** What the config says now; null: commands are not confined. */
  config(): SandboxConfig | null;
  home: string;
  /** Our own data, which no command sees. */
  data: string;
}

/** Confines the commands of one session. The sandbox is looked for with the first of them. */
export class CommandSandbox {
  readonly #options: CommandSandboxOptions;
  readonly #find = loadOnce(() => this.#look());

  constructor(options: CommandSandboxOptions) {
    this.#options = options;
  }

  /** Why commands cannot be confined here; null when they can. */
  async problem(): Promise<string | null> {
    if (this.#options.config() === null) return "The configuration turns the sandbox off.";
    const found = await this.#find();
    return found.sandbox === null ? found.reason : null;
  }

  /** Throws CommandProblem where that is not possible. */
  async confine(
    call: ProgramCall,
    roots: readonly string[],
    confinement: Confinement,
  ): Promise<ProgramCall> {
    const config = this.#options.config();
    const found = await this.#find();
    if (config === null || found.sandbox === null)
      throw new CommandProblem("The command was to run in a sandbox, and there is none.");
    const { data } = this.#options;
    const { network, write, read, opened } = confinement;
    return found.sandbox.confine(
      { ...call, leavesBackground: true },
      {
        write: [...roots, ...config.write, ...write],
        caches: config.caches,
        read: [...config.read, ...read],
        opened,
        hide: [data],
        network,
        // What a person did not look at sends nothing, and reads no secret.
        unset: network === "off" ? secretVariables() : [],
      },
    );
  }

  async #look(): Promise<FoundSandbox> {
    const { findSandbox } = await import("@landline/sandbox");
    const { home, data } = this.#options;
    return findSandbox({ home, data: join(data, "sandbox") });
  }
}

function secretVariables(): string[] {
  return Object.entries(process.env).flatMap(([name, value = ""]) =>
    isSecretVariable(name, value) ? [name] : [],
  );
}
