import { resolve } from "node:path";
import { isProgram } from "@landline/system/find-command";
import { lineShell } from "@landline/system/command-shell";

export interface ProgramCall {
  readonly file: string;
  readonly args: readonly string[];
}

/**
 * The program that a command runs, with its arguments. Agents send whole command lines as the command, with no
 * arguments: those are for a shell. A command with arguments is run as it is, and so is a command that is the path of a program.
 */
export function programWords(
  command: string,
  args: readonly string[],
  folder: string,
): readonly string[] {
  const direct = args.length > 0 || (command.includes("/") && isProgram(resolve(folder, command)));
  return direct ? [command, ...args] : [lineShell(process.env), "-c", command];
}
