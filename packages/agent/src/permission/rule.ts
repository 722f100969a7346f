import type { ToolView } from "../tools/tool.ts";

/**
 * A rule of permission. `permission` names what is wanted (`edit`, `bash`, `read`, `webfetch`, `task`,
 * an MCP tool's full name …), `pattern` on what (a path, a command, an address); `*` and `?` are
 * wildcards in both. The last rule that matches decides; where none does, a person is asked.
 */
export interface Rule {
  permission: string;
  pattern: string;
  action: "allow" | "ask" | "deny";
}

/** What a tool wants to do, as it is judged and as people are asked about it. */
export interface PermissionRequest {
  permission: string;
  /** All of them must be allowed; one that is denied denies. */
  patterns: string[];
  /** What "always" would allow, wider than `patterns` (`git checkout *`); empty when always must not be offered. */
  always: string[];
  /** What the person sees instead of the call's own title and content (the command, the diff). */
  view?: Partial<ToolView>;
  /** In place of what the call was made with, where it comes to something else: a rule of the client is held against it. */
  input?: Readonly<Record<string, unknown>>;
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
