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
  /** The client that created it. */
  readonly by: string;
}

export type RuleDecision = "allow" | "ask" | "deny";

/** All given fields must match. Without fields, it matches everything. */
export interface RuleSubject {
  readonly toolKind?: ToolKind;
  readonly toolName?: string;
  /** The first words of a command: whole words, without anything that a shell would interpret. */
  readonly commandPrefix?: string;
  /** Commands that only read files of the project. Only for rules that allow. */
  readonly onlyReads?: true;
  /** `*`, `**` and `?`; relative to the project's folder, or absolute. */
  readonly pathGlob?: string;
  /**
   * The host of the URLs that a call fetches, with the port if it is not the default. Without a port, a rule that asks
   * or denies matches all ports.
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
export interface RuleInput {
  readonly sessionId: string;
  readonly agent: string;
  readonly cwd: string;
  readonly roots: readonly string[];
  /** Folders where no rule allows anything: the gateway's own data, including the rules. */
  readonly closed: readonly string[];
  readonly kinds: readonly string[];
  readonly names: readonly string[];
  readonly commands: readonly CommandUse[];
  /** Possible commands: titles and unknown fields. Only rules that deny or ask use them. */
  readonly maybeCommands: readonly LineFacts[];
  readonly paths: readonly PathFacts[];
  /** Possible paths. Only rules that deny or ask use them. */
  readonly maybePaths: readonly PathFacts[];
  /** False if one of them cannot be resolved. */
  readonly arePathsKnown: boolean;
  /** It shows a change of a file. */
  readonly hasDiff: boolean;
  /** The hosts of all URLs that it names, whatever its kind. */
  readonly hosts: readonly string[];
  /** False if a URL cannot be parsed. */
  readonly areHostsKnown: boolean;
  /** Why the call may do more than it names, each as a clause: "it sets environment variables". */
  readonly unknown: readonly string[];
  /** Why the call was not read completely, each as a clause; then no rule allows it. */
  readonly unread: readonly string[];
  /** Why only a person may allow it, each as a clause: ".env may hold passwords or keys". */
  readonly protections: readonly string[];
}

/** A command that a call runs, with the result of the analysis. */
export interface CommandUse {
  /** A line for a shell, or the words of a program that runs without one. */
  readonly line: Line;
  /** The real path of its folder; empty if it cannot be resolved. */
  readonly folder: string;
  readonly facts: LineFacts;
  /** The real paths that it names or may name. */
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
  /** It includes the paths below: all of them, or those without a leading dot. */
  readonly below?: "all" | "visible";
}
