import type { ClientCapabilities } from "@agentclientprotocol/sdk";

/** The capabilities and the behaviour of a client. */
export interface Traits {
  readonly capabilities: ClientCapabilities;
  /** The answer to a permission request: the first option of this kind, or none. */
  readonly permission: "allow_once" | "allow_always" | "reject_once" | "never";
  /** The delay before each answer. */
  readonly delayMs: number;
  /** Refuses files outside the session's folder, like editors do. */
  readonly refusesOutside: boolean;
  /** Writes files to the disk, and not only into its buffers. */
  readonly savesFiles: boolean;
}

const fs = { readTextFile: true, writeTextFile: true };

const usual: Traits = {
  capabilities: {},
  permission: "allow_once",
  delayMs: 0,
  refusesOutside: false,
  savesFiles: true,
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
  /** An editor that is limited to its worktree. */
  strict: { ...usual, capabilities: { fs, terminal: true }, refusesOutside: true },
  /** Only terminals, which start a program without a shell. */
  execvp: { ...usual, capabilities: { terminal: true } },
  /** Never answers. */
  mute: { ...usual, permission: "never" },
  slow: { ...usual, capabilities: full, delayMs: 25 },
  rejecting: { ...usual, permission: "reject_once" },
  elicitation: { ...usual, capabilities: { elicitation: { form: {} } } },
  /** From before terminal sign-in and config options. */
  legacy: { ...usual, capabilities: { _meta: { "terminal-auth": true } } },
} as const satisfies Record<string, Traits>;

export type PersonaName = keyof typeof personas;
