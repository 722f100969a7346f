export { type CreatedPlace, PlaceWatch, type SetAside } from "./created-places.ts";
export { type CreatedWords, createdWords } from "./created-words.ts";
export { findSandbox, type FoundSandbox, type Sandbox } from "./find-sandbox.ts";
export type { Opening, PolicyAddition } from "./opening.ts";
export { leavingWords, type LeavingWords, notesOn } from "./opening-words.ts";
export { isUnmoved, openingsFor, type StoppedProgram, withOpening } from "./openings.ts";
export type { ConfinedCall, ProgramCall, SandboxNetwork, SandboxPolicy } from "./policy.ts";
