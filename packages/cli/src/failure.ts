import { errorRow, LandlineError } from "@landline/protocol";
import { exitCode, type ExitCode } from "./exit-code.ts";

/** The error and its remedy, for a person. */
export function failureText(error: unknown): string {
  if (error instanceof LandlineError) {
    const stderr = error.data["stderr"];
    const tail = typeof stderr === "string" && stderr.trim() !== "" ? [indented(stderr)] : [];
    const isSaid = error.help === "" || error.message.includes(error.help);
    return [error.message, ...tail, ...(isSaid ? [] : [error.help])].join("\n");
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `${errorRow("internal-error").message} Report it with these lines:\n${indented(text)}`;
}

const LINES_SHOWN = 20;

function indented(text: string): string {
  const lines = text.trimEnd().split("\n").slice(-LINES_SHOWN);
  return lines.map((line) => `  ${line}`).join("\n");
}

export function exitCodeOfError(error: unknown): ExitCode {
  if (!(error instanceof LandlineError)) return exitCode.failed;
  switch (error.code) {
    case "config-invalid":
    case "invalid-params":
    case "agent-not-found":
    case "session-not-found":
      return exitCode.usage;
    case "gateway-not-running":
    case "connection-lost":
      return exitCode.unreachable;
    case "unauthorized":
    case "forbidden":
      return exitCode.refused;
    case "request-cancelled":
      return exitCode.cancelled;
    default:
      return exitCode.failed;
  }
}
