export { type CreatedPlace, PlaceWatch, type SetAside } from "./created-places.ts";
export { type CreatedText, createdText } from "./created-text.ts";
export { findSandbox, type FoundSandbox, type Sandbox } from "./find-sandbox.ts";
export type { Opening, PolicyAddition } from "./opening.ts";
export { leavingText, type LeavingText, notesOn } from "./opening-text.ts";
export { isUnmoved, openingsFor, type StoppedProgram, withOpening } from "./openings.ts";
export type { ConfinedCall, ProgramCall, SandboxNetwork, SandboxPolicy } from "./policy.ts";
