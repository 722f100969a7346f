import type { ChildProcessByStdio } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { isFolder } from "@landline/system/missing-file";
import { LandlineError } from "@landline/protocol";
import type { ProgramCall } from "@landline/sandbox";
import { findOnPath } from "@landline/system/find-command";
import type { ProcessGroup } from "@landline/system/process-group";
import { type Program, type ProgramExit, startProgram } from "@landline/system/start-program";
import type { Supervisor } from "@landline/system/supervisor";
import type { ProcessAgent } from "./agent.ts";

type AgentProcess = ChildProcessByStdio<Writable, Readable, Readable> & {
  readonly pid: number;
};

export interface StartedAgent extends Program {
  readonly child: AgentProcess;
  readonly group: ProcessGroup<ProgramExit>;
}

interface AgentStart {
  readonly call: ProgramCall;
  readonly env: Readonly<Record<string, string>>;
  /** Null for a confined program, and if no supervisor is available. */
  readonly supervisor: Supervisor | null;
  readonly sweepMs: number;
}

export async function startProcess(
  entry: ProcessAgent,
  { call, env, supervisor, sweepMs }: AgentStart,
): Promise<StartedAgent> {
  const { args, cwd } = call;
  try {
    const file = fileOf(call, env);
    const program = startProgram({
      call: { file, args, env },
      cwd,
      stdio: ["pipe", "pipe", "pipe"],
      supervisor,
      leftovers: "end",
      limitMs: sweepMs,
    });
    await program.started;
    return program as StartedAgent;
  } catch (error) {
    throw await startFailure(entry, cwd, error as NodeJS.ErrnoException);
  }
}

/** The PATH search of the system could find a program in the session's folder. */
function fileOf({ file, cwd }: ProgramCall, env: Readonly<Record<string, string>>): string {
  if (/[/\\]/.test(file)) return file;
  const found = findOnPath(file, env, [cwd]);
  if (found === null) throw Object.assign(new Error(`${file} does not exist`), { code: "ENOENT" });
  return found;
}

async function startFailure(
  entry: ProcessAgent,
  cwd: string,
  error: NodeJS.ErrnoException,
): Promise<LandlineError> {
  const { message, help } = await reasonOf(entry, cwd, error);
  return new LandlineError("agent-start-failed", {
    message: `${entry.name} could not be started: ${message}`,
    help,
    data: {
      agent: entry.id,
      command: entry.command,
      reason: error.code ?? "unknown",
      exitCode: null,
      signal: null,
      stderr: "",
    },
    cause: error,
  });
}

async function reasonOf(entry: ProcessAgent, cwd: string, error: NodeJS.ErrnoException) {
  const { command } = entry;
  const isPath = command.includes("/") || command.includes("\\");
  switch (error.code) {
    case "ENOENT":
    case "ENOTDIR":
      // The system reports a missing folder and a missing program with the same code.
      if (!(await isFolder(cwd)))
        return {
          message: `the folder ${cwd} does not exist.`,
          help: "Open the session in a folder that exists.",
        };
      return {
        message: isPath
          ? `there is no program ${command}, or the interpreter in its first line is missing.`
          : `there is no program "${command}" on the PATH.`,
        help: "Install it, or give its absolute path in the config.",
      };
    case "EACCES":
    case "EPERM":
      return (await isFolder(command))
        ? { message: `${command} is a folder.`, help: "Name the program in it." }
        : {
            message: `no permission to run ${command} or to enter ${cwd}.`,
            help: `Run: chmod +x '${command}', or name the program that runs it first.`,
          };
    case "ENOEXEC":
      return {
        message: `${command} is not a program for this machine.`,
        help: "Install the build for this system, or name the program that runs it first.",
      };
    default:
      return {
        message: `the system refused (${error.code ?? error.message}).`,
        help: "Run its command in a terminal in the same folder.",
      };
  }
}
