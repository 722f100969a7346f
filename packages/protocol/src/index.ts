export type * from "./events.ts";
export {
  errorCodes,
  errorRow,
  fromRpcError,
  isErrorCode,
  LandlineError,
  toProblem,
  toRpcError,
} from "./errors.ts";
export type { ErrorCode, ErrorDetails, ProblemShape, RpcErrorShape } from "./errors.ts";
export { limitNames, limitRow, limitsOf } from "./limits.ts";
export type { LimitName, Limits, LimitsProfile } from "./limits.ts";
