import { basename } from "node:path";
import { isProgram } from "./find-command.ts";

/**
 * The shell for command lines: bash, because people and models write for it and lines are judged as it reads them; sh where
 * there is none. Some systems have no /bin/bash, and name theirs in SHELL.
 */
export function lineShell(environment: Readonly<Record<string, string | undefined>>): string {
  const own = environment["SHELL"] ?? "";
  const candidates = basename(own) === "bash" ? [own, "/bin/bash"] : ["/bin/bash"];
  return candidates.find(isProgram) ?? "/bin/sh";
}

/**
 * One pipe takes both outputs, so that their lines stay in the order in which they were written. The shell that joins them
 * is replaced by the program.
 */
export function withOneOutput(words: readonly string[]): { file: string; args: string[] } {
  return { file: "/bin/sh", args: ["-c", 'exec 2>&1; exec "$@"', "landline", ...words] };
}
