/** One name for each spelling that is accepted on input and never sent (decision 0005). */
export type NormaliseRule =
  // session/update
  | "update-kind"
  | "update-flat"
  | "update-status"
  | "tool-call-nested"
  | "tool-call-id"
  | "tool-call-name"
  | "tool-call-input"
  | "tool-call-result"
  | "tool-call-subagent"
  | "tool-status"
  | "plan-steps"
  | "command-input"
  | "mode-current"
  | "config-option"
  | "content-link-name"
  | "content-image-link"
  // requests
  | "message-id"
  | "version-missing"
  | "client-capabilities"
  | "auth-method-id"
  | "mcp-servers-missing"
  | "mcp-server-type"
  | "mcp-server-command"
  | "mcp-server-list"
  | "permission-request"
  | "permission-option"
  | "permission-kind"
  | "session-missing"
  // responses
  | "agent-info"
  | "stop-reason"
  | "permission-outcome"
  | "null-result";

/** Counts the uses of each rule, so that an operator sees which peer uses which spelling. */
export class Hits {
  readonly #counts = new Map<NormaliseRule, number>();
  #total = 0;

  get total(): number {
    return this.#total;
  }

  count(rule: NormaliseRule): void {
    this.#counts.set(rule, (this.#counts.get(rule) ?? 0) + 1);
    this.#total += 1;
  }

  entries(): readonly [NormaliseRule, number][] {
    return [...this.#counts];
  }
}
