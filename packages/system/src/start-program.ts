import { type ChildProcess, spawn, type StdioOptions } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { ProcessGroup } from "./process-group.ts";
import {
  readReport,
  type SupervisedCall,
  type Supervisor,
  supervisorKill,
  type SupervisorReport,
} from "./supervisor.ts";

export interface ProgramStart {
  readonly call: SupervisedCall;
  readonly cwd: string;
  /** A supervisor uses descriptor 3. */
  readonly stdio: readonly ("pipe" | "ignore")[];
  /** Without one, the program itself is the leader of the process group. */
  readonly supervisor?: Supervisor | null;
  /** Whether processes that the program leaves behind are ended when it exits, or stay until the group is ended. */
  readonly leftovers: "end" | "stay";
  /** The time limit of a supervisor for ending remaining processes. */
  readonly limitMs?: number;
  readonly windowsVerbatimArguments?: boolean;
}

export interface ProgramExit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A started program. It, or its supervisor, is the leader of a process session and group. */
export interface Program {
  readonly child: ChildProcess;
  /** Null if no process was started. */
  readonly group: ProcessGroup<ProgramExit> | null;
  /** Rejects with the error of `spawn` if the program could not be executed. */
  readonly started: Promise<void>;
  /** Resolves when the program has exited. If leftovers stay, its supervisor may still run. Never rejects. */
  readonly exited: Promise<ProgramExit>;
  /** Resolves when its pipes are closed. */
  readonly closed: Promise<void>;
}

/** SIGCONT wakes a stopped supervisor, so that it handles the signal. */
export function killSignalsOf(supervisor: Supervisor | null): readonly NodeJS.Signals[] {
  return supervisor === null ? ["SIGKILL"] : [supervisorKill, "SIGCONT"];
}

export function startProgram(start: ProgramStart): Program {
  const { call, cwd, stdio, supervisor = null, leftovers, limitMs = 0 } = start;
  const reported = supervisor?.supervise(call, { leftovers, reports: true, limitMs });
  const { file, args, env } = reported ?? call;
  const child = spawn(file, args, {
    cwd,
    env,
    // Its own process session: it can be ended with its children, and Ctrl-C in our terminal does not reach it.
    detached: process.platform !== "win32",
    stdio: [...stdio, ...(reported ? ["pipe"] : [])] as StdioOptions,
    windowsHide: true,
    windowsVerbatimArguments: start.windowsVerbatimArguments,
  });
  const spawned = new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    // Later errors, of signals that can't be sent, are reported by their return value.
    child.on("error", reject);
  });
  const closed = new Promise<void>((resolve) => {
    child.once("close", () => resolve());
  });
  const ended = new Promise<ProgramExit>((resolve) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
  // Missing if the system has no descriptors left.
  const pipe = reported && (child.stdio as ChildProcess["stdio"] | undefined)?.[3];
  const reports = pipe ? new Reports(pipe as Readable, call.file) : null;
  const started = reports === null ? spawned : spawned.then(() => reports.started);
  // Callers may ignore it.
  started.catch(() => {});
  const exited = reports === null ? ended : Promise.race([reports.exited, ended]);
  const killSignals = killSignalsOf(supervisor);
  const group =
    child.pid === undefined
      ? null
      : new ProcessGroup(child.pid, { exited: ended, leftovers, killSignals });
  return { child, group, started, exited, closed };
}

/** The reports of a supervisor. If it is gone, its exit code replaces them. */
class Reports {
  /** Also resolves if the supervisor was ended before; its exit has the reason. */
  readonly started: Promise<void>;
  /** Settled only if the supervisor stays for leftovers. */
  readonly exited: Promise<ProgramExit>;

  constructor(pipe: Readable, file: string) {
    // A broken pipe means that the supervisor is gone.
    pipe.on("error", () => {});
    const lines = createInterface({ input: pipe });
    const started = Promise.withResolvers<void>();
    const exited = Promise.withResolvers<ProgramExit>();
    const take = (report: SupervisorReport | null) => {
      if (report?.kind === "started") started.resolve();
      else if (report?.kind === "failed") started.reject(executionError(report, file));
      else if (report?.kind === "exited") exited.resolve(exitOf(report));
    };
    lines.on("line", (line) => take(readReport(line)));
    lines.once("close", () => started.resolve());
    this.started = started.promise;
    this.exited = exited.promise;
  }
}

function exitOf({ code, signal }: ProgramExit): ProgramExit {
  return { code, signal };
}

function executionError({ code, errno }: { code: string; errno: number }, file: string): Error {
  return Object.assign(new Error(`exec ${file} ${code}`), { code, errno: -errno, syscall: "exec" });
}
