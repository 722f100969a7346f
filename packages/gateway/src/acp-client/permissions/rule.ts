import type { ToolKind } from "@agentclientprotocol/sdk";
import type { Line, LineFacts } from "@landline/shell";

/** A stored decision. Of the rules that match, deny takes precedence over ask, and ask over allow. */
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
  /** Commands that only read files of the project. Only for rules that allow. */
  readonly onlyReads?: true;
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

/** What a rule is compared with: everything that a call and its permission requests named. */
export interface AskFacts {
  readonly sessionId: string;
  readonly agent: string;
  readonly cwd: string;
  readonly roots: readonly string[];
  /** Folders where nothing is allowed by a rule: the gateway's own data, and with it the rules themselves. */
  readonly closed: readonly string[];
  readonly kinds: readonly string[];
  readonly names: readonly string[];
  readonly commands: readonly CommandUse[];
  /** What may be a command: titles, and fields that nobody knows. Only rules that deny or ask look at it. */
  readonly maybeCommands: readonly LineFacts[];
  readonly paths: readonly PathFacts[];
  /** What may be a path. Only rules that deny or ask look at it. */
  readonly maybePaths: readonly PathFacts[];
  /** False if one of them cannot be resolved. */
  readonly arePathsKnown: boolean;
  /** It shows a change of a file. */
  readonly hasDiff: boolean;
  /** Of the addresses that it names, whatever its kind. */
  readonly hosts: readonly string[];
  /** False when one of the addresses can't be read. */
  readonly areHostsKnown: boolean;
  /** Why the call may do more than it names, each as a clause: "it sets environment variables". */
  readonly unknown: readonly string[];
  /** Why the call was not read to its end, each as a clause: no rule allows it then. */
  readonly unread: readonly string[];
  /** Why only a person may allow it, each as a clause: ".env may hold passwords or keys". */
  readonly protections: readonly string[];
}

/** A command that a call runs, and what the analysis says about it. */
export interface CommandUse {
  /** A line for a shell, or the words of a program that is run without one. */
  readonly line: Line;
  /** Where it runs, links followed; empty when that can't be followed. */
  readonly folder: string;
  readonly facts: LineFacts;
  /** Every path that it names or may name, links followed. */
  readonly paths: readonly PathFacts[];
  /** It only reads files of the project. */
  readonly isFree: boolean;
  /** Why it is unknown what it touches, as a clause; null if it is known. */
  readonly unclear: string | null;
  /** Whether a rule about commands that start with these words covers all of the line. */
  isCoveredBy(prefix: readonly string[]): boolean;
  /** Why rules about commands that start with these words do not cover all that it runs, each as a clause. */
  uncovered(prefixes: readonly (readonly string[])[]): readonly string[];
}

export interface PathFacts {
  /** Absolute, as the agent named it. */
  readonly named: string;
  /** Symlinks resolved, as far as it exists. */
  readonly real: string;
  /** What lies below it is meant, too: all of it, or what is not hidden by a dot. */
  readonly below?: "all" | "visible";
}
