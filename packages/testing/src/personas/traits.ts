import type { ClientCapabilities } from "@agentclientprotocol/sdk";

/** What kind of client somebody is: what it offers, and how it behaves. */
export interface Traits {
  readonly capabilities: ClientCapabilities;
  /** What it answers to a permission: the first option of this kind, or nothing for ever. */
  readonly permission: "allow_once" | "allow_always" | "reject_once" | "never";
  /** How long it takes for each answer. */
  readonly delayMs: number;
  /** Files outside the session's folder are refused, as editors do. */
  readonly refusesOutside: boolean;
}

const fs = { readTextFile: true, writeTextFile: true };

const usual: Traits = {
  capabilities: {},
  permission: "allow_once",
  delayMs: 0,
  refusesOutside: false,
};

const full: ClientCapabilities = {
  fs,
  terminal: true,
  session: { notices: {}, compaction: {}, configOptions: { boolean: {} } },
  elicitation: { form: {}, url: {} },
  auth: { terminal: true },
};

export const personas = {
  /** Offers everything. */
  full: { ...usual, capabilities: full },
  /** Offers nothing, and allows. */
  bare: usual,
  /** An editor that keeps to its worktree. */
  strict: { ...usual, capabilities: { fs, terminal: true }, refusesOutside: true },
  /** Terminals alone, which start a program and know no shell. */
  execvp: { ...usual, capabilities: { terminal: true } },
  /** Nobody is there to answer. */
  mute: { ...usual, permission: "never" },
  slow: { ...usual, capabilities: full, delayMs: 25 },
  rejecting: { ...usual, permission: "reject_once" },
  elicitation: { ...usual, capabilities: { elicitation: { form: {} } } },
  /** From before terminal sign-in and config options. */
  legacy: { ...usual, capabilities: { _meta: { "terminal-auth": true } } },
} as const satisfies Record<string, Traits>;

export type PersonaName = keyof typeof personas;
