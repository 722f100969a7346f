import { execFile } from "node:child_process";
import { constants } from "node:os";
import { promisify } from "node:util";
import { findOnPath, trustedPath } from "./find-command.ts";
import { perlSupervisor } from "./perl-supervisor.ts";
import { pythonSupervisor } from "./python-supervisor.ts";
import { signalName } from "./signals.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** A program with its arguments and environment. */
export interface SupervisedCall {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface Supervision {
  /**
   * Whether processes that the program leaves behind are ended when it exits, or stay until the supervisor receives
   * SIGTERM or `supervisorKill`.
   */
  readonly leftovers: "end" | "stay";
  /** Whether the supervisor writes reports (`SupervisorReport`) to descriptor 3. */
  readonly reports: boolean;
  /** Processes that do not end within this time are given up. */
  readonly limitMs: number;
}

/**
 * Runs a program as its child and becomes the parent of all its orphans, whatever their environment, session and group.
 * It ends all of them when the program exits, when it is signalled, and when the gateway is gone, and then exits as the
 * program did. The program has its own process session and group, to which the supervisor forwards signals.
 */
export interface Supervisor {
  /** The interpreter that runs it. */
  readonly interpreter: string;
  supervise(call: SupervisedCall, supervision: Supervision): SupervisedCall;
}

/** The signal that makes a supervisor kill everything. SIGKILL would end only the supervisor. */
export const supervisorKill = "SIGUSR2";

/**
 * A supervisor that works on this machine, for programs of a session with these folders; null if there is none. It is
 * tested by a run, once per PATH.
 */
export function findSupervisor(
  environment: Environment,
  roots: readonly string[],
): Promise<Supervisor | null> {
  const path = trustedPath(environment, roots);
  const found = known.get(path) ?? search(path, trustedPath(process.env, roots));
  known.set(path, found);
  // Search again later, because the machine may have been too busy.
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
  /** The arguments before the common ones; null if it cannot run on this machine. */
  readonly options: readonly string[] | null;
}

/** The numbers of prctl, rt_sigprocmask, rt_sigtimedwait, setsid and read, which perl does not define. */
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
/** The time limit of the test run. */
const proofMs = 10_000;
const proofCode = 7;

/** The interpreter may be a script of a version manager. Later runs use the real program. */
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
/** Variables that affect perl itself. Python ignores its own with -I. */
const interpreterVariables = new RegExp(`^(?:PERL|${keptPrefix})`);

/** Renames these variables; the supervisor restores them. PERL_BADLANG=0 suppresses warnings about a missing locale. */
function keptEnvironment(env: Readonly<Record<string, string>>): Record<string, string> {
  const kept = Object.entries(env).map(
    ([name, value]) =>
      [interpreterVariables.test(name) ? `${keptPrefix}${name}` : name, value] as const,
  );
  return { ...Object.fromEntries(kept), PERL_BADLANG: "0" };
}

/** One line of the reports. */
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
