export { type Denial, denialsIn } from "./denials.ts";
export { findSandbox, type FoundSandbox, type Sandbox } from "./find-sandbox.ts";
export { isHostPattern } from "./host-pattern.ts";
export {
  type Opening,
  openingFor,
  type PolicyAddition,
  type StoppedProgram,
  withOpening,
} from "./openings.ts";
export type { ConfinedCall, ProgramCall, SandboxNetwork, SandboxPolicy } from "./policy.ts";
