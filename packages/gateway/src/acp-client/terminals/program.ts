import type { Readable } from "node:stream";
import { hasErrorCode } from "@landline/system/error-code";
import { LandlineError } from "@landline/protocol";
import { startProgram as startSupervised } from "@landline/system/start-program";
import type { Supervisor } from "@landline/system/supervisor";
import { systemRefusal } from "../paths/refusal.ts";
import type { ProgramCall } from "./command.ts";
import { startHeldProgram } from "./held-program.ts";

export interface TerminalExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** A program that was started in a terminal, confined or not. */
export interface Program {
  readonly stdout: Readable;
  /** How it ended; `problem`: why it could not be run at all. What it left behind may still run. Never rejects. */
  readonly exited: Promise<TerminalExit & { readonly problem?: string }>;
  /** SIGTERM, and after `graceMs` SIGKILL. Resolves when nothing of it is left, or nothing more can be done. */
  end(graceMs: number): Promise<unknown>;
}

export interface ProgramStart {
  readonly call: ProgramCall;
  /** Whether the call is made by `heldCall`, and confined by bubblewrap. */
  readonly isHeld: boolean;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Ends what leaves the process group, where the sandbox does not. */
  readonly supervisor: Supervisor | null;
  /** What does not end within this time is given up. */
  readonly limitMs: number;
}

/** Throws when the system can't start it. A command that does not exist is a command that fails. */
export async function startProgram(start: ProgramStart): Promise<Program> {
  const { call, cwd, environment: env, supervisor, limitMs } = start;
  if (start.isHeld) return startHeldProgram(call, { cwd, env }, startError);
  const program = startSupervised({
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
      message: "The command with its arguments and environment is longer than the system takes.",
      cause: error,
    });
  }
  // The shell is there, so what is not is the folder.
  if (hasErrorCode(error, "ENOENT", "ENOTDIR", "EACCES")) return systemRefusal(error);
  return new LandlineError("internal-error", {
    message: "The system could not start another process.",
    help: "End what is not needed, and try again.",
    cause: error,
  });
}
