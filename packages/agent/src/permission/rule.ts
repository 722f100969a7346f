import type { ToolView } from "../tools/tool.ts";
import type { CommandFile } from "./file-rules.ts";

/**
 * A permission rule. `permission` names what is wanted (`edit`, `bash`, `read`, `webfetch`, `task`, an MCP tool's full
 * name …), `pattern` on what (a path, a command, an address); `*` and `?` are wildcards in both.
 */
export interface Rule {
  permission: string;
  pattern: string;
  /** `default` takes back what an earlier rule of the same source says. */
  action: Action | "default";
  /** The rule leaves commands alone that only read inside of the project. */
  exceptReading?: true;
  /** Of an approval for a place outside of the project: it covers this and nothing else. */
  access?: Access;
  /** Of a default: what it allows only reads. */
  reads?: true;
}

/** What is done in a place outside of the project. */
export type Access = "read" | "change";

export type Action = "allow" | "ask" | "deny";

/**
 * Rules by where they come from: the person's config, the project's, the mode. Inside one source the last match wins;
 * between sources deny goes before ask, and ask before allow.
 */
export interface Policy {
  readonly sources: readonly (readonly Rule[])[];
  /** Used where no source has a match. */
  readonly defaults: readonly Rule[];
}

/**
 * What a tool wants to do, as it is judged and as people are asked about it. A call may want several things at once: each
 * is judged by itself, and those that nothing allows are one question.
 */
export interface PermissionRequest {
  permission: string;
  /** All of them must be allowed; one that is denied denies. */
  patterns: readonly Wanted[];
  /** What "always" would allow (`npm test *`); empty when always must not be offered. */
  always: readonly string[];
  /** What the rules of `always` are about, where it is not `permission`. */
  alwaysAs?: Pick<Rule, "permission" | "access">;
  /** What `always` lets through besides this call, each as a noun phrase for people. */
  alsoAllows?: readonly string[];
  /** Absolute paths that a read or an edit leads to: protected ones are a person's to decide. */
  paths?: readonly string[];
  /** Files of a command, for rules that name files. */
  files?: readonly CommandFile[];
  /** Hosts of a command, for rules that name addresses. */
  hosts?: readonly string[];
  /** Why only a person may allow this, whatever rules, approvals and levels say. */
  mustAsk?: readonly string[];
  /** Why it is asked about, for people. */
  because?: readonly string[];
  /** What the person sees instead of the call's own title and content (the command, the diff). */
  view?: Partial<ToolView>;
  /** In place of the call's input, where it comes to something else: the client's rules are matched against it. */
  input?: Readonly<Record<string, unknown>>;
  /**
   * A command that the sandbox stopped would run again: what a person reads about that. Clients that answer for a person leave
   * it to the person.
   */
  leavesSandbox?: string;
}

/** One thing that is wanted: a text for rules, or more where more is known of it. */
export type Wanted = string | WantedCommand;

export interface WantedCommand {
  readonly pattern: string;
  /** It only reads inside of the project. */
  readonly isReading?: boolean;
  /** It runs in a sandbox, and needs nothing outside of it. */
  readonly isConfined?: boolean;
  /** It may be run by the line: a rule can refuse or ask about it, and nothing has to allow it. */
  readonly isGuess?: boolean;
  /** What is done in the place outside of the project that the pattern names. */
  readonly access?: Access;
  /** Of an edit outside of the project: the folder, as `external_directory` has it. */
  readonly outside?: string;
  /** What would be opened for a command in its sandbox: a person may have opened that for the session. */
  readonly opens?: string;
  /** Nobody can say which commands it runs: one that a rule refuses may be among them. */
  readonly isUnreadable?: boolean;
  /** Whether a decision to allow this pattern covers it; by text when absent. */
  isCoveredBy?(pattern: string): boolean;
  /** Whether a decision to refuse or ask about this pattern is about it, in another spelling than its text. */
  isFoundBy?(pattern: string): boolean;
}

/** The permission for places outside of the session's folders. */
export const EXTERNAL_DIRECTORY = "external_directory";

/** The permission for hosts that a command in its sandbox may reach. */
export const EXTERNAL_HOST = "external_host";

/** Of approvals alone: a path that a person opened for commands in their sandbox. The pattern is the path itself. */
export const SANDBOX_PATH = "sandbox_path";

/** An answer that a question offers in place of the usual ones. */
export interface OfferedOption {
  readonly id: string;
  readonly name: string;
  readonly kind: "allow_once" | "allow_always" | "reject_once";
  /** Kept for the rest of the session when it is chosen. */
  readonly rules?: readonly Rule[];
}

/** What a person opened for commands in their sandbox, for the rest of the session. */
export interface SandboxOpenings {
  readonly write: readonly string[];
  readonly read: readonly string[];
  readonly hosts: readonly string[];
}

/** The pattern of one thing that is wanted. */
export function patternOf(wanted: Wanted): string {
  return typeof wanted === "string" ? wanted : wanted.pattern;
}

/** What a model reads when the person said no. */
export const REFUSED_BY_PERSON =
  "The person refused this. Do not try it in another way; ask what they want.";

/** The person said no, or a rule did. The message is for the model; `shown` is what people see of it. */
export class PermissionRefused extends Error {
  override readonly name = "PermissionRefused";
  readonly by: "person" | "rule";
  readonly shown: string;
  constructor(by: "person" | "rule", message: string, shown: string = message) {
    super(message);
    this.by = by;
    this.shown = shown;
  }
}
