import type { SessionSummary } from "@landline/protocol";
import { summariesOf } from "./heard-frame.ts";
import { problemOf } from "./problem.ts";

/** The session that was opened, as an answer says it. */
export function summaryOf(result: unknown): SessionSummary {
  const [summary] = summariesOf([result]);
  if (summary) return summary;
  throw problemOf(null);
}
