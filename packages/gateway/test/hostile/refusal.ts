import { errorRow, type ErrorCode } from "@landline/protocol";

/** What a step of a scenario expects of a request that is refused for this reason. */
export function refused(reason: ErrorCode): object {
  const { rpc, seed } = errorRow(reason);
  const data = { reason, ...(seed === undefined ? {} : { code: seed }) };
  return { expect: { error: { code: rpc, data } } };
}
