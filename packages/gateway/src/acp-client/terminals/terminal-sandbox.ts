import { type Confinement, LandlineError } from "@landline/protocol";
import type {
  ConfinedCall,
  LeavingText,
  Opening,
  PolicyAddition,
  Sandbox,
  SandboxPolicy,
} from "@landline/sandbox";
import type { TerminalSandboxPolicy } from "../../gateway-options.ts";
import type { SessionContext } from "../session-context.ts";
import { withOneOutput } from "@landline/system/command-shell";
import type { ProgramCall } from "./command.ts";
import { callWithExitReport, statusDescriptor } from "./sandboxed-program.ts";
import type { TerminalSandboxes } from "./terminal-sandboxes.ts";

/** How a command is run once. */
export interface ProgramRun {
  readonly call: ProgramCall;
  readonly reportsExit: boolean;
  readonly confined: ConfinedRun | null;
}

interface ConfinedRun {
  readonly confinement: Confinement;
  readonly policy: SandboxPolicy;
  readonly permits: ConfinedCall["permits"];
  deniedHosts(): readonly string[];
  close(): Promise<void>;
}

/** A command that failed in its sandbox. */
export interface StoppedLine {
  readonly line: string | readonly string[];
  readonly cwd: string;
  readonly output: string;
  /** What was opened for it before, by `Opening.what`. */
  readonly opened: ReadonlySet<string>;
}

/** What the sandbox kept a command from. */
export interface Denied {
  readonly openings: readonly Opening[];
  /** For the person who is asked. */
  readonly words: LeavingText;
}

/** The same command, outside the sandbox. */
export function unconfinedRun(words: readonly string[]): ProgramRun {
  return { call: withOneOutput(words), reportsExit: false, confined: null };
}

/** What the terminals of one session are confined to, with what a person has opened in it. */
export class TerminalSandbox {
  readonly #context: SessionContext;
  readonly #sandboxes: TerminalSandboxes;
  readonly #given: TerminalSandboxPolicy;
  #opened: readonly PolicyAddition[] = [];

  constructor(context: SessionContext, sandboxes: TerminalSandboxes, given: TerminalSandboxPolicy) {
    this.#context = context;
    this.#sandboxes = sandboxes;
    this.#given = given;
  }

  /**
   * With what a person opened for this command besides. Not confined where no sandbox works; throws `tool-disabled` when the
   * config asks for one.
   */
  async run(
    words: readonly string[],
    cwd: string,
    opened: readonly Opening[] = [],
  ): Promise<ProgramRun> {
    const found = await this.#sandboxes.find();
    if (found.sandbox !== null) {
      const policy = await this.#policy([...this.#opened, ...additions(opened)]);
      return this.#confine(found.sandbox, words, cwd, policy);
    }
    if (this.#given.isRequired) throw cannotConfine(this.#context.agent, found.reason);
    this.#sandboxes.warnUnconfined(found.reason);
    return unconfinedRun(words);
  }

  /** Remembered for later terminals of the session. */
  open(openings: readonly Opening[]): void {
    this.#opened = [...this.#opened, ...additions(openings)];
  }

  /** What the sandbox kept a command from; empty when it had no part in the failure. */
  async deniedTo(confined: ConfinedRun, stopped: StoppedLine): Promise<Denied> {
    const { leavingText, openingsFor } = await import("@landline/sandbox");
    const openings = await openingsFor({
      ...stopped,
      deniedHosts: confined.deniedHosts(),
      policy: confined.policy,
      permits: confined.permits,
      home: this.#sandboxes.home,
      closed: this.#context.closed ?? [],
    });
    return { openings, words: leavingText(openings) };
  }

  async #confine(
    sandbox: Sandbox,
    words: readonly string[],
    cwd: string,
    policy: SandboxPolicy,
  ): Promise<ProgramRun> {
    const reportsExit = sandbox.name === "bubblewrap";
    const call = reportsExit
      ? { ...callWithExitReport(words), statusDescriptor }
      : withOneOutput(words);
    const confined = await sandbox.confine({ ...call, cwd }, policy);
    return {
      call: confined,
      reportsExit,
      confined: {
        confinement: { sandbox: sandbox.name, network: policy.network },
        policy,
        permits: confined.permits,
        deniedHosts: () => confined.deniedHosts(),
        close: () => confined.close(),
      },
    };
  }

  async #policy(opened: readonly PolicyAddition[]): Promise<SandboxPolicy> {
    const { isUnmoved, withOpening } = await import("@landline/sandbox");
    const { write, read, caches, network } = this.#given;
    const own: SandboxPolicy = {
      write: [...this.#context.roots, ...write],
      caches,
      read,
      network,
      hide: this.#context.closed ?? [],
    };
    const isThere = await Promise.all(opened.map(isUnmoved));
    return opened.filter((_, index) => isThere[index]).reduce(withOpening, own);
  }
}

function additions(openings: readonly Opening[]): PolicyAddition[] {
  return openings.flatMap(({ adds }) => adds ?? []);
}

function cannotConfine(agent: string, reason: string): LandlineError {
  return new LandlineError("tool-disabled", {
    message: `The command was not run, because it cannot be confined: ${reason}`,
    help: `Make the sandbox work, or set "terminalSandbox" to false in policy.${agent} in the config.`,
  });
}
