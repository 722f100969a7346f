export { type Denial, denialsIn } from "./denials.ts";
export { findSandbox, type FoundSandbox, type Sandbox } from "./find-sandbox.ts";
export type { ProgramCall, SandboxPolicy } from "./policy.ts";
