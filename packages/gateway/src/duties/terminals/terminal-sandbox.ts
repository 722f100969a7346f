import { type Confinement, LandlineError } from "@landline/protocol";
import type { Opening, PolicyAddition, Sandbox, SandboxPolicy } from "@landline/sandbox";
import type { TerminalSandboxPolicy } from "../../gateway-options.ts";
import type { DutyContext } from "../duty.ts";
import { type ProgramCall, programCall } from "./command.ts";
import { heldCall, statusDescriptor } from "./held-program.ts";
import type { TerminalSandboxes } from "./terminal-sandboxes.ts";

/** How a command is run once. */
export interface ProgramRun {
  readonly call: ProgramCall;
  readonly isHeld: boolean;
  readonly confined: ConfinedRun | null;
}

interface ConfinedRun {
  readonly confinement: Confinement;
  readonly policy: SandboxPolicy;
  deniedHosts(): readonly string[];
  close(): Promise<void>;
}

/** What the sandbox kept a command from. */
export interface Denied {
  readonly openings: readonly Opening[];
  /** What a person may allow for the session, in words. Null where not all of it may be. */
  readonly inSession: string | null;
}

/** The same command, outside of the sandbox. */
export function unconfinedRun(words: readonly string[]): ProgramRun {
  return { call: programCall(words), isHeld: false, confined: null };
}

/** What the terminals of one session are confined to, with what a person has opened in it. */
export class TerminalSandbox {
  readonly #context: DutyContext;
  readonly #sandboxes: TerminalSandboxes;
  readonly #given: TerminalSandboxPolicy;
  #opened: readonly PolicyAddition[] = [];

  constructor(context: DutyContext, sandboxes: TerminalSandboxes, given: TerminalSandboxPolicy) {
    this.#context = context;
    this.#sandboxes = sandboxes;
    this.#given = given;
  }

  /** Not confined where no sandbox works; throws `tool-disabled` when the config asks for one. */
  async run(words: readonly string[], cwd: string): Promise<ProgramRun> {
    const found = await this.#sandboxes.find();
    if (found.sandbox !== null) return this.#confine(found.sandbox, words, cwd);
    if (this.#given.isRequired) throw cannotConfine(this.#context.agent, found.reason);
    this.#sandboxes.tellUnconfined(found.reason);
    return unconfinedRun(words);
  }

  /** Remembered for later terminals of the session. */
  open(openings: readonly Opening[]): void {
    this.#opened = [...this.#opened, ...openings.flatMap(({ adds }) => adds ?? [])];
  }

  /** What the sandbox kept a command from; empty when it had no part in the failure. */
  async deniedTo(confined: ConfinedRun, cwd: string, output: string): Promise<Denied> {
    const { openedTogether, openingsFor } = await import("@landline/sandbox");
    const found = await openingsFor({
      output,
      deniedHosts: confined.deniedHosts(),
      policy: confined.policy,
      cwd,
      home: this.#sandboxes.home,
      closed: this.#context.closed ?? [],
    });
    // A person who allowed it for the session is not asked about it again.
    const openings = found.filter(({ wasOpen }) => !wasOpen);
    const together = openedTogether(openings);
    return { openings, inSession: together?.isOnce === false ? together.what : null };
  }

  async #confine(sandbox: Sandbox, words: readonly string[], cwd: string): Promise<ProgramRun> {
    const policy = await this.#policy();
    const isHeld = sandbox.name === "bubblewrap";
    const call = isHeld ? { ...heldCall(words), statusDescriptor } : programCall(words);
    const confined = await sandbox.confine({ ...call, cwd }, policy);
    return {
      call: confined,
      isHeld,
      confined: {
        confinement: { sandbox: sandbox.name, network: policy.network },
        policy,
        deniedHosts: () => confined.deniedHosts(),
        close: () => confined.close(),
      },
    };
  }

  async #policy(): Promise<SandboxPolicy> {
    const { isUnmoved, withOpening } = await import("@landline/sandbox");
    const { write, read, caches, network } = this.#given;
    const own: SandboxPolicy = {
      write: [...this.#context.roots, ...write],
      caches,
      read,
      network,
      hide: this.#context.closed ?? [],
    };
    const isThere = await Promise.all(this.#opened.map(isUnmoved));
    return this.#opened.filter((_, index) => isThere[index]).reduce(withOpening, own);
  }
}

function cannotConfine(agent: string, reason: string): LandlineError {
  return new LandlineError("tool-disabled", {
    message: `The command was not run, because it cannot be confined: ${reason}`,
    help: `Make the sandbox work, or set "terminalSandbox" to false in policy.${agent} in the config.`,
  });
}
