import { basename } from "node:path";
import { isProgram } from "./find-command.ts";

/**
 * The shell for command lines: bash, because people and models write for it and the analysis assumes it; otherwise sh.
 * Systems without /bin/bash may name theirs in SHELL.
 */
export function lineShell(environment: Readonly<Record<string, string | undefined>>): string {
  const own = environment["SHELL"] ?? "";
  const candidates = basename(own) === "bash" ? [own, "/bin/bash"] : ["/bin/bash"];
  return candidates.find(isProgram) ?? "/bin/sh";
}

/** Joins stdout and stderr in one pipe, so that lines stay in order. The program replaces the joining shell. */
export function withOneOutput(words: readonly string[]): { file: string; args: string[] } {
  return { file: "/bin/sh", args: ["-c", 'exec 2>&1; exec "$@"', "landline", ...words] };
}
