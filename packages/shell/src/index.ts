export { clausesOf } from "./clauses.ts";
export { coversCommand, coversLine, isFree, isMisled, unclearReason } from "./coverage.ts";
export type { CommandFacts, Effect, LineFacts, PathUse, Role, Use } from "./facts.ts";
export { harmlessEnvironment, isSecretVariable, isWithheldVariable } from "./environment.ts";
export { effectWords, type Form, formOf, formsOf, isCovered, isIdle, isReading } from "./forms.ts";
export { followLinks, isWithin, realPath } from "./paths/real-path.ts";
export type { ResolvedUse } from "./paths/resolve.ts";
export {
  credentialPlaces,
  type Protection,
  gitSettings,
  isSpecialName,
  protectedPlaces,
  protectionOf,
  protectionReason,
} from "./places.ts";
export {
  type Judge,
  type Line,
  openJudge,
  type Reason,
  type ReasonCode,
  type Setting,
  type Subject,
  type Verdict,
} from "./verdict.ts";
