import { ProgramTimeout } from "../workspace/run-program.ts";
import { SearchProblem } from "../workspace/workspace.ts";
import { ToolFailure } from "./tool.ts";

/** Converts a search error to a failure that the model can act on. */
export function searchFailure(error: unknown): unknown {
  if (!(error instanceof SearchProblem)) return error;
  const isLate = error.cause instanceof ProgramTimeout;
  return new ToolFailure(isLate ? "tool-timeout" : "invalid-input", error.message);
}
