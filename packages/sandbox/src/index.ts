export { findSandbox, type FoundSandbox, type Sandbox } from "./find-sandbox.ts";
export {
  isUnmoved,
  type Opening,
  openedTogether,
  openingsFor,
  type PolicyAddition,
  type StoppedProgram,
  withOpening,
} from "./openings.ts";
export type { ConfinedCall, ProgramCall, SandboxNetwork, SandboxPolicy } from "./policy.ts";
