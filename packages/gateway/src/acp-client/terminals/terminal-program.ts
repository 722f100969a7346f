import type { Readable } from "node:stream";
import { hasErrorCode } from "@landline/system/error-code";
import { LandlineError } from "@landline/protocol";
import { startProgram } from "@landline/system/start-program";
import type { Supervisor } from "@landline/system/supervisor";
import { systemRefusal } from "../paths/refusal.ts";
import type { ProgramCall } from "./command.ts";
import { startSandboxedProgram } from "./sandboxed-program.ts";

export interface TerminalExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** A program that was started in a terminal, confined or not. */
export interface TerminalProgram {
  readonly stdout: Readable;
  /** How it ended; `problem`: why it could not be run. Its background processes may still run. Never rejects. */
  readonly exited: Promise<TerminalExit & { readonly problem?: string }>;
  /** SIGTERM, and SIGKILL after `graceMs`. Resolves when all its processes have ended, or cannot be ended. */
  end(graceMs: number): Promise<unknown>;
}

export interface TerminalProgramStart {
  readonly call: ProgramCall;
  /** Whether the call was made by `callWithExitReport`, and is confined by bubblewrap. */
  readonly reportsExit: boolean;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Ends processes that leave the process group, if there is no sandbox that does. */
  readonly supervisor: Supervisor | null;
  /** Processes that do not end within this time are given up. */
  readonly limitMs: number;
}

/** Throws if the system cannot start it. A command that does not exist is a command that fails. */
export async function startTerminalProgram(start: TerminalProgramStart): Promise<TerminalProgram> {
  const { call, cwd, environment: env, supervisor, limitMs } = start;
  if (start.reportsExit) return startSandboxedProgram(call, { cwd, env }, startError);
  const program = startProgram({
    call: { ...call, env },
    cwd,
    stdio: ["ignore", "pipe", "ignore"],
    supervisor,
    leftovers: "stay",
    limitMs,
  });
  const { group, child } = program;
  if (group === null || child.stdout === null)
    throw startError(await program.started.catch((error: unknown) => error));
  const exited = program.exited.then(({ code: exitCode, signal }) => ({ exitCode, signal }));
  const end = (graceMs: number) => group.end({ termMs: graceMs, killMs: graceMs });
  return { stdout: child.stdout, exited, end };
}

function startError(error: unknown): LandlineError {
  if (hasErrorCode(error, "E2BIG")) {
    return new LandlineError("invalid-params", {
      message: "The command with its arguments and environment is too long for the system.",
      cause: error,
    });
  }
  // The shell exists, so the folder is missing.
  if (hasErrorCode(error, "ENOENT", "ENOTDIR", "EACCES")) return systemRefusal(error);
  return new LandlineError("internal-error", {
    message: "The system could not start another process.",
    help: "End some processes and try again.",
    cause: error,
  });
}
