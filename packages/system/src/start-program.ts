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
  /** The descriptor 3 is the supervisor's, where there is one. */
  readonly stdio: readonly ("pipe" | "ignore")[];
  /** Without one, the program itself leads the process group. */
  readonly supervisor?: Supervisor | null;
  /** What the program leaves behind is ended at once, or runs on until its group is ended. */
  readonly leftovers: "end" | "stay";
  /** How long a supervisor may take to end what is left. */
  readonly limitMs?: number;
  readonly windowsVerbatimArguments?: boolean;
}

export interface ProgramExit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A program that was started as the leader of a session and a group, or its supervisor, which leads one too. */
export interface Program {
  readonly child: ChildProcess;
  /** Null when there is no process. */
  readonly group: ProcessGroup<ProgramExit> | null;
  /** Rejects as `spawn` tells it when the program could not be executed. */
  readonly started: Promise<void>;
  /** When the program has ended. With leftovers that stay, its supervisor may still run. Never rejects. */
  readonly exited: Promise<ProgramExit>;
  /** When nothing more comes from its pipes. */
  readonly closed: Promise<void>;
}

/** A supervisor that somebody has stopped is continued, so that it hears of it. */
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
    // A session of its own: it can be ended with what it starts, and no Ctrl-C in our terminal reaches it.
    detached: process.platform !== "win32",
    stdio: [...stdio, ...(reported ? ["pipe"] : [])] as StdioOptions,
    windowsHide: true,
    windowsVerbatimArguments: start.windowsVerbatimArguments,
  });
  const spawned = new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    // Later on, a signal that can't be sent is told by its return value; nobody else needs to know.
    child.on("error", reject);
  });
  const closed = new Promise<void>((resolve) => {
    child.once("close", () => resolve());
  });
  const ended = new Promise<ProgramExit>((resolve) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
  // There is none when the system has no descriptor left.
  const pipe = reported && (child.stdio as ChildProcess["stdio"] | undefined)?.[3];
  const reports = pipe ? new Reports(pipe as Readable, call.file) : null;
  const started = reports === null ? spawned : spawned.then(() => reports.started);
  // Not everybody waits for it.
  started.catch(() => {});
  const exited = reports === null ? ended : Promise.race([reports.exited, ended]);
  const killSignals = killSignalsOf(supervisor);
  const group =
    child.pid === undefined
      ? null
      : new ProcessGroup(child.pid, { exited: ended, leftovers, killSignals });
  return { child, group, started, exited, closed };
}

/** What a supervisor tells. When it is gone, its own exit tells the rest. */
class Reports {
  /** Also when the supervisor was ended before: its exit tells how. */
  readonly started: Promise<void>;
  /** Settled only by a supervisor that stays with what its program left. */
  readonly exited: Promise<ProgramExit>;

  constructor(pipe: Readable, file: string) {
    // A pipe that breaks is a supervisor that is gone.
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
