import { executionText, personName, type Execution } from "@landline/protocol";
import type { AuditEntry } from "../../index/audit-table.ts";
import type { Names } from "../tokens.ts";

/** Adds to each tool call entry a sentence that says how it was executed. */
export function withExecutionText(
  entries: readonly AuditEntry[],
  names: Names,
): readonly AuditEntry[] {
  const person = (id: string) => personName(id, names) ?? id;
  return entries.map((entry) => {
    const { execution, status } = entry.detail;
    if (!isExecution(execution)) return entry;
    const call = { execution, status: typeof status === "string" ? status : null };
    const executed = executionText(call, { person });
    return { ...entry, detail: { ...entry.detail, executed } };
  });
}

/** Details that were too long are cut. */
function isExecution(value: unknown): value is Execution {
  const { by, agent, decisions } = (value ?? {}) as Partial<Record<keyof Execution, unknown>>;
  return typeof by === "string" && typeof agent === "string" && Array.isArray(decisions);
}
