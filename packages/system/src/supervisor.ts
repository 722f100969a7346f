import { execFile } from "node:child_process";
import { constants } from "node:os";
import { promisify } from "node:util";
import { findOnPath, trustedPath } from "./find-command.ts";
import { perlSupervisor } from "./perl-supervisor.ts";
import { pythonSupervisor } from "./python-supervisor.ts";
import { signalName } from "./signals.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** A program to run with everything that it needs. */
export interface SupervisedCall {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface Supervision {
  /**
   * When the program has ended, what it left behind is ended at once, or runs on until the supervisor gets SIGTERM or
   * `supervisorKill`.
   */
  readonly leftovers: "end" | "stay";
  /** The descriptor 3 is a pipe that is told what becomes of the program (`SupervisorReport`). */
  readonly reports: boolean;
  /** What does not end within this time is given up. */
  readonly limitMs: number;
}

/**
 * Runs a program as the child of a process that everything is re-parented to which the program starts and leaves, whatever its
 * environment, session and group. It ends all of them when the program ends, when it is told to, and when the gateway is
 * gone; then it exits as the program did. The program leads a session and a group of its own. Signals that the supervisor
 * gets are passed on to that group.
 */
export interface Supervisor {
  /** The interpreter that runs it. */
  readonly interpreter: string;
  supervise(call: SupervisedCall, supervision: Supervision): SupervisedCall;
}

/** What makes a supervisor kill everything: SIGKILL would end it alone. */
export const supervisorKill = "SIGUSR2";

/**
 * The supervisor that works here, or null, for what is started in a session with these folders. It is proven by a run,
 * once for each PATH.
 */
export function findSupervisor(
  environment: Environment,
  roots: readonly string[],
): Promise<Supervisor | null> {
  const path = trustedPath(environment, roots);
  const found = known.get(path) ?? search(path, trustedPath(process.env, roots));
  known.set(path, found);
  // A machine that was too busy for it may not be so later.
  void found.then((supervisor) => supervisor ?? known.delete(path));
  return found;
}

const known = new Map<string, Promise<Supervisor | null>>();

async function search(path: string, proofPath: string): Promise<Supervisor | null> {
  if (process.platform !== "linux") return null;
  for (const kind of [perl, python]) {
    const interpreter = findOnPath(kind.command, { PATH: path }, []);
    const proven = interpreter === null ? null : await prove(kind, interpreter, proofPath);
    if (proven !== null) return proven;
  }
  return null;
}

interface Kind {
  readonly command: string;
  /** What comes before the arguments that both have; null where it cannot run on this machine. */
  readonly options: readonly string[] | null;
}

/** prctl, rt_sigprocmask, rt_sigtimedwait, setsid and read: perl has no names for them. */
const systemCalls: Partial<Record<NodeJS.Architecture, readonly number[]>> = {
  x64: [157, 14, 128, 112, 0],
  arm64: [167, 135, 137, 157, 63],
  riscv64: [167, 135, 137, 157, 63],
  loong64: [167, 135, 137, 157, 63],
};

const perl: Kind = {
  command: "perl",
  options: perlOptions(systemCalls[process.arch]),
};

function perlOptions(numbers: readonly number[] | undefined): readonly string[] | null {
  return numbers ? ["-f", "-C0", "-e", perlSupervisor, "--", ...numbers.map(String)] : null;
}

const python: Kind = { command: "python3", options: ["-I", "-S", "-c", pythonSupervisor] };

const run = promisify(execFile);
/** A machine that takes longer to start a program has other worries. */
const proofMs = 10_000;
const proofCode = 7;

/** The interpreter may be a script of a version manager: from then on, the program behind it is run. */
async function prove(kind: Kind, interpreter: string, path: string): Promise<Supervisor | null> {
  if (kind.options === null) return null;
  const env = { PATH: path };
  const line = `readlink /proc/$PPID/exe && exit ${proofCode}`;
  const call = { file: "/bin/sh", args: ["-c", line], env };
  const supervision = { leftovers: "end", reports: false, limitMs: proofMs } as const;
  const supervised = supervisorOf(kind.options, interpreter).supervise(call, supervision);
  try {
    await run(supervised.file, [...supervised.args], { env: supervised.env, timeout: proofMs });
  } catch (error) {
    const { code, stdout } = error as { code?: unknown; stdout?: string };
    const program = stdout?.trim() ?? "";
    if (code === proofCode && program.startsWith("/")) return supervisorOf(kind.options, program);
  }
  return null;
}

function supervisorOf(options: readonly string[], interpreter: string): Supervisor {
  return {
    interpreter,
    supervise({ file, args, env }, { leftovers, reports, limitMs }) {
      const numbers = [process.pid, limitMs, Number(leftovers === "stay"), Number(reports)];
      return {
        file: interpreter,
        args: [...options, ...numbers.map(String), keptPrefix, file, ...args],
        env: keptEnvironment(env),
      };
    },
  };
}

const keptPrefix = "LANDLINE_KEPT_";
/** What the interpreter itself would obey; python is told not to. */
const obeyed = new RegExp(`^(?:PERL|${keptPrefix})`);

/** The supervisor gives these variables their names back. A locale that is missing is not to be complained about. */
function keptEnvironment(env: Readonly<Record<string, string>>): Record<string, string> {
  const kept = Object.entries(env).map(
    ([name, value]) => [obeyed.test(name) ? `${keptPrefix}${name}` : name, value] as const,
  );
  return { ...Object.fromEntries(kept), PERL_BADLANG: "0" };
}

/** A line that a supervisor reports. */
export type SupervisorReport =
  | { readonly kind: "started" }
  /** The program could not be executed; `code` is as Node names it (ENOENT). */
  | { readonly kind: "failed"; readonly code: string; readonly errno: number }
  | { readonly kind: "exited"; readonly code: number | null; readonly signal: string | null };

export function readReport(line: string): SupervisorReport | null {
  const [kind, first, second] = line.split(" ");
  const number = Number(first);
  if (kind === "started") return { kind };
  if (kind === "failed") return { kind, code: errorName(number), errno: number };
  if (kind !== "exited") return null;
  const signal = Number(second);
  return signal === 0
    ? { kind, code: number, signal: null }
    : { kind, code: null, signal: signalName(signal) ?? String(signal) };
}

function errorName(number: number): string {
  return (
    Object.entries(constants.errno).find(([, value]) => value === number)?.[0] ?? String(number)
  );
}
