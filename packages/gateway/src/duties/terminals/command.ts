import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { resolve } from "node:path";

export interface ProgramCall {
  readonly file: string;
  readonly args: readonly string[];
}

/**
 * The program that a command runs, with its arguments. Agents send whole command lines as the command, with no
 * arguments: those are for a shell. A command with arguments is run as it is, and so is one that is the path of a program.
 */
export async function programWords(
  command: string,
  args: readonly string[],
  folder: string,
): Promise<readonly string[]> {
  const direct =
    args.length > 0 || (command.includes("/") && (await isProgram(resolve(folder, command))));
  return direct ? [command, ...args] : [await shellPath(), "-c", command];
}

/**
 * One pipe takes both outputs, so that their lines stay in the order in which they were written; the shell that sees to
 * that is replaced by the program.
 */
export function programCall(words: readonly string[]): ProgramCall {
  return { file: "/bin/sh", args: ["-c", 'exec 2>&1; exec "$@"', "landline", ...words] };
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
