import type { ToolKind } from "@agentclientprotocol/sdk";

/** What somebody decided once and for all. Of the rules that match an ask, the last one counts. */
export interface Rule extends NewRule {
  readonly id: string;
  readonly at: number;
}

export interface NewRule {
  readonly decision: RuleDecision;
  readonly what: RuleSubject;
  readonly where: RulePlace;
  /** The client that made it. */
  readonly by: string;
}

export type RuleDecision = "allow" | "ask" | "deny";

/** All that are given must hold; none given means anything. */
export interface RuleSubject {
  readonly toolKind?: ToolKind;
  readonly toolName?: string;
  /** The first words of a command: whole words, and nothing that a shell would act on. */
  readonly commandPrefix?: string;
  /** `*`, `**` and `?`; relative to the project's folder, or absolute. */
  readonly pathGlob?: string;
  /**
   * Of the addresses that a call fetches: their name, with the port where that is not the usual one. Without a port,
   * a rule that asks or denies is about all ports.
   */
  readonly host?: string;
  /** The id of an agent. */
  readonly agent?: string;
}

export type RulePlace =
  | { readonly in: "session"; readonly sessionId: string }
  /** Sessions in this folder and below it. */
  | { readonly in: "project"; readonly folder: string }
  | { readonly in: "everywhere" };

/** What a rule is held against. */
export interface AskFacts {
  readonly sessionId: string;
  readonly agent: string;
  readonly cwd: string;
  readonly roots: readonly string[];
  /** Folders where nothing is allowed by a rule: the gateway's own data, and with it the rules themselves. */
  readonly closed: readonly string[];
  readonly toolKind: string | null;
  readonly toolName: string | null;
  readonly command: CommandFacts | null;
  readonly paths: readonly PathFacts[];
  /** Of the addresses that it names, whatever its kind. */
  readonly hosts: readonly string[];
  /** False when one of the addresses can't be read. */
  readonly areHostsKnown: boolean;
  /** False when the call names more than could be followed. */
  readonly arePathsKnown: boolean;
}

export interface CommandFacts {
  /** A line for a shell, or the words of a program that is run without one. */
  readonly line: string | readonly string[];
  /** Where it runs, symlinks resolved; null when the agent did not say. */
  readonly cwd: string | null;
  /** False when it is known to be more than the line says: variables, or words that only may be a command. */
  readonly isWhole: boolean;
}

export interface PathFacts {
  /** Absolute, as the agent named it. */
  readonly named: string;
  /** Symlinks resolved, as far as it exists. */
  readonly real: string;
}
