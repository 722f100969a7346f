import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { resolve } from "node:path";

export interface ProgramCall {
  readonly file: string;
  readonly args: readonly string[];
}

/**
 * How a command is run. Agents send whole command lines as the command, with no arguments: those are for a
 * shell. A command with arguments is run as it is, and so is one that is the path of a program.
 * One pipe takes both outputs, so that their lines stay in the order in which they were written; the
 * shell that sees to that is replaced by the command.
 */
export async function programCall(
  command: string,
  args: readonly string[],
  folder: string,
): Promise<ProgramCall> {
  const direct =
    args.length > 0 || (command.includes("/") && (await isProgram(resolve(folder, command))));
  const call = direct ? [command, ...args] : [await shellPath(), "-c", command];
  return { file: "/bin/sh", args: ["-c", 'exec 2>&1; exec "$@"', "landline", ...call] };
}

/** Command lines are written for bash, by people and models alike. */
async function shellPath(): Promise<string> {
  return (await isProgram("/bin/bash")) ? "/bin/bash" : "/bin/sh";
}

async function isProgram(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
