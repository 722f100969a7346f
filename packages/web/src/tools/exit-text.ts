import { numberOf, recordOf, type TerminalView, type ToolCallItem } from "@landline/protocol";
import { firstOf } from "./raw-values.ts";

export interface Exit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** A command that was killed did not fail. */
export function isBadExit({ exitCode }: Exit): boolean {
  return exitCode !== null && exitCode !== 0;
}

const codeFields = ["exit", "exit_code", "exitCode"];

/** The exit code of a command that failed, from its terminal or from the agent; null if there is none. */
export function failedExitCode(
  { kind, rawOutput }: Pick<ToolCallItem, "kind" | "rawOutput">,
  terminals: readonly Pick<TerminalView, "exit">[],
): number | null {
  if (kind !== "execute") return null;
  const output = recordOf(rawOutput);
  const reported =
    firstOf(output, codeFields, numberOf) ??
    firstOf(recordOf(output?.["metadata"]), codeFields, numberOf);
  const codes = [...terminals.map(({ exit }) => exit?.exitCode ?? null), reported];
  return codes.find((code) => code !== null && code !== 0) ?? null;
}

/** How a command exited. */
export function exitText({ exitCode, signal }: Exit): string {
  if (signal !== null) return `Ended by ${signal}`;
  if (exitCode === null) return "Ended";
  return exitCode === 0 ? "Done, exit code 0" : `Failed with exit code ${exitCode}`;
}
