import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { stat } from "node:fs/promises";
import type { Readable, Writable } from "node:stream";
import { LandlineError } from "@landline/protocol";
import type { ProgramCall } from "@landline/sandbox";
import type { ProcessAgent } from "./agent.ts";

export type AgentProcess = ChildProcessByStdio<Writable, Readable, Readable> & {
  readonly pid: number;
};

/**
 * Starts the agent's program as the leader of a process group and session of its own, so that it can be
 * ended with what it started, and so that a Ctrl-C in our terminal does not reach it.
 */
export async function startProcess(
  entry: ProcessAgent,
  { file, args, cwd }: ProgramCall,
  env: Record<string, string>,
): Promise<AgentProcess> {
  try {
    const child = spawn(file, args, {
      cwd,
      env,
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
      windowsHide: true,
    });
    await once(child, "spawn");
    // A signal that can't be sent is told by its return value; nobody else needs to know.
    child.on("error", () => {});
    return child as AgentProcess;
  } catch (error) {
    throw await startFailure(entry, cwd, error as NodeJS.ErrnoException);
  }
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
      // The system says the same of a missing folder and a missing program.
      if (!(await isFolder(cwd)))
        return {
          message: `the folder ${cwd} does not exist.`,
          help: "Open the session in a folder that exists.",
        };
      return {
        message: isPath
          ? `there is no program ${command}, or what its first line names is missing.`
          : `there is no program "${command}" on the PATH.`,
        help: "Install it, or give its whole path in the config.",
      };
    case "EACCES":
    case "EPERM":
      return (await isFolder(command))
        ? { message: `${command} is a folder.`, help: "Name the program in it." }
        : {
            message: `${command} may not be run, or ${cwd} may not be entered.`,
            help: `Run: chmod +x '${command}', or name the program that runs it first.`,
          };
    case "ENOEXEC":
      return {
        message: `${command} is not a program of this machine.`,
        help: "Install the build for this system, or name the program that runs it first.",
      };
    default:
      return {
        message: `the system refused (${error.code ?? error.message}).`,
        help: "Run its command by hand in the same folder.",
      };
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}
