export { clausesOf } from "./reason-clauses.ts";
export {
  coversCommand,
  coversLine,
  isAlteredByProject,
  isCovered,
  needsNoRule,
  wholeLineReason,
} from "./rule-coverage.ts";
export type { CommandFacts, Effect, LineFacts, PathUse, Role, Use } from "./line-facts.ts";
export { harmlessEnvironment, isSecretVariable, isWithheldVariable } from "./environment.ts";
export { effectText, hasNoEffect, isReadOnly } from "./effects.ts";
export { type SuggestedRule, suggestedRule, suggestedRules } from "./suggested-rules.ts";
export { followLinks, isWithin, realPath } from "./paths/real-path.ts";
export type { ResolvedUse } from "./paths/resolve-paths.ts";
export {
  credentialPlaces,
  type Protection,
  gitConfigPaths,
  mayBeProtectedName,
  protectedPlaces,
  protectionOf,
  protectionReason,
} from "./protected-paths.ts";
export {
  type Judge,
  type Line,
  openJudge,
  type Reason,
  type ReasonCode,
  type LineContext,
  type Subject,
  type Verdict,
} from "./verdict.ts";
