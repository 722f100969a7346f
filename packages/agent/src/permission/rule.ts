import type { ToolView } from "../tools/tool.ts";
import type { CommandFile } from "./file-rules.ts";

/**
 * A permission rule. `permission` is the action (`edit`, `bash`, `read`, `webfetch`, `task`, the full name of
 * an MCP tool …), `pattern` its object (a path, a command, an address). `*` and `?` are wildcards in both.
 */
export interface Rule {
  permission: string;
  pattern: string;
  /** `default` cancels an earlier rule of the same source. */
  action: Action | "default";
  /** Does not apply to commands that only read inside the project. */
  exceptReading?: true;
  /** For an approval outside the project: the access that it covers. */
  access?: Access;
  /** For a default rule: what it allows is read-only. */
  reads?: true;
}

/** Access outside the project. */
export type Access = "read" | "change";

export type Action = "allow" | "ask" | "deny";

/**
 * Rules by source: the user's configuration, the project's, the mode. Within a source the last match wins;
 * between sources deny wins over ask, and ask over allow.
 */
export interface Policy {
  readonly sources: readonly (readonly Rule[])[];
  /** Used when no source matches. */
  readonly defaults: readonly Rule[];
}

/**
 * What a tool wants to do. A call may have several requests: each is decided separately, and those that
 * nothing allows become one question.
 */
export interface PermissionRequest {
  permission: string;
  /** All must be allowed; one deny denies the request. */
  patterns: readonly Wanted[];
  /** What "always" would allow (`npm test *`); empty when it must not be offered. */
  always: readonly string[];
  /** The permission of the rules in `always`, if it differs. */
  alwaysAs?: Pick<Rule, "permission" | "access">;
  /** What else `always` would allow, as noun phrases for the user. */
  alsoAllows?: readonly string[];
  /** Absolute paths of a read or an edit; protected ones need a person. */
  paths?: readonly string[];
  /** Files of a command, for file rules. */
  files?: readonly CommandFile[];
  /** Hosts of a command, for address rules. */
  hosts?: readonly string[];
  /** Reasons why only a person may allow this, regardless of rules, approvals and levels. */
  mustAsk?: readonly string[];
  /** Why it is asked about, for the user. */
  because?: readonly string[];
  /** Replaces the call's title and content in the request (the command, the diff). */
  view?: Partial<ToolView>;
  /** Replaces the call's input, against which the client matches its rules. */
  input?: Readonly<Record<string, unknown>>;
  /**
   * Set for a command that would run again outside its sandbox: the text for the user. Clients must not
   * answer it automatically.
   */
  leavesSandbox?: string;
}

/** A pattern for rules, with more facts where they are known. */
export type Wanted = string | WantedCommand;

export interface WantedCommand {
  readonly pattern: string;
  readonly isReading?: boolean;
  /** It runs in a sandbox and needs nothing outside it. */
  readonly isConfined?: boolean;
  /** The line may run it: a rule can deny or ask about it, but nothing has to allow it. */
  readonly isGuess?: boolean;
  /** Access to the external folder that the pattern names. */
  readonly access?: Access;
  /** For an edit outside the project: the folder, as in `external_directory`. */
  readonly outside?: string;
  /** The path that would be opened in the sandbox; the user may have opened it for the session. */
  readonly opens?: string;
  /** Its commands are not known, so a denied one may be among them. */
  readonly isUnreadable?: boolean;
  /** Whether allowing this pattern covers it; default: by text. */
  isCoveredBy?(pattern: string): boolean;
  /** Whether a deny or ask rule with this pattern applies to another spelling of it. */
  isFoundBy?(pattern: string): boolean;
}

export const EXTERNAL_DIRECTORY = "external_directory";

export const EXTERNAL_HOST = "external_host";

/** Only in approvals: a path that the user opened for commands in their sandbox. */
export const SANDBOX_PATH = "sandbox_path";

/** An option that replaces the default answers. */
export interface OfferedOption {
  readonly id: string;
  readonly name: string;
  readonly kind: "allow_once" | "allow_always" | "reject_once";
  /** Stored for the session when it is chosen. */
  readonly rules?: readonly Rule[];
}

/** What the user opened for commands in their sandbox, for this session. */
export interface SandboxOpenings {
  readonly write: readonly string[];
  readonly read: readonly string[];
  readonly hosts: readonly string[];
}

export function patternOf(wanted: Wanted): string {
  return typeof wanted === "string" ? wanted : wanted.pattern;
}

/** What the model reads when the user refused. */
export const REFUSED_BY_PERSON =
  "The person refused this. Do not try it in another way; ask what they want.";

/** The user or a rule refused. The message is for the model, `shown` for the user. */
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
