import { errorRow, type ErrorCode } from "@landline/protocol";

/** The expectation of a scenario step for a request that is refused for this reason. */
export function refused(reason: ErrorCode): object {
  const { rpc, seed } = errorRow(reason);
  const data = { reason, ...(seed === undefined ? {} : { code: seed }) };
  return { expect: { error: { code: rpc, data } } };
}
