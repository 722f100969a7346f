import { judge } from "../permission/judge.ts";
import {
  PermissionRefused,
  REFUSED_BY_PERSON,
  type PermissionRequest,
  type Rule,
} from "../permission/rule.ts";
import { AskQueue } from "./ask-queue.ts";
import type { CallOnScreen } from "./people.ts";
import type { Session } from "./session.ts";
import type { HostedCall } from "./turn-host.ts";

/**
 * What a session may do, and whom it asks. A helper may never do what those it helps may not, and
 * people are asked on the session that they see, whoever of its descendants asks.
 */
export class Permissions {
  readonly #session: Session;
  readonly #asks = new AskQueue();

  constructor(session: Session) {
    this.#session = session;
  }

  /** Resolves when it is allowed; throws PermissionRefused. */
  async ask(call: HostedCall, request: PermissionRequest, signal: AbortSignal): Promise<void> {
    const action = this.#judge(request);
    if (action === "allow") return;
    if (action === "deny") {
      const named = `${request.permission} on ${request.patterns.join(", ")}`;
      const words = `A rule of this mode or of the person's config refuses ${named}.`;
      throw new PermissionRefused("rule", words, `A rule refuses ${named}.`);
    }
    const { root, parts } = this.#session;
    const answer = await root.permissions.#asks.ask({
      signal,
      isAllowed: () => this.#judge(request) === "allow",
      decide: () =>
        parts.people.decide({ call: this.screen(call, inputOf(call, request)), request }, signal),
    });
    if (answer === "always" || answer === "never") this.#remember(request, answer);
    if (answer === "reject" || answer === "never")
      throw new PermissionRefused("person", REFUSED_BY_PERSON, "Rejected.");
  }

  screen(call: HostedCall, rawInput: unknown = call.input): CallOnScreen {
    const { root, parts, definition } = this.#session;
    const { callId, tool, view } = call;
    return {
      rootSessionId: root.sessionId,
      taskCallId: parts.taskCallId,
      callId,
      tool,
      view,
      rawInput,
      agent: parts.parent ? definition.name : null,
    };
  }

  #judge(request: PermissionRequest): Rule["action"] {
    const { root, rules } = this.#session;
    const { approved, permissions: level } = root.state;
    const own = judge({ rules, approved, level }, request);
    const bounds = this.#session.bounds.map(({ rules: bound, isPlanning }) => {
      const action = judge({ rules: bound, approved, level }, request);
      // What a helper may do without a question is its own affair, but for planning.
      return action === "ask" && !isPlanning ? "allow" : action;
    });
    const actions = new Set([own, ...bounds]);
    if (actions.has("deny")) return "deny";
    return actions.has("ask") ? "ask" : "allow";
  }

  #remember(request: PermissionRequest, answer: "always" | "never"): void {
    const { permission } = request;
    const action = answer === "always" ? "allow" : "deny";
    const rules = request.always.map((pattern): Rule => ({ permission, pattern, action }));
    this.#session.root.keep({ kind: "rule-approved", rules });
  }
}

/** The client shows it in place of the call's own input, so nothing of that may be missing. */
function inputOf({ input }: HostedCall, request: PermissionRequest): unknown {
  const isObject = typeof input === "object" && input !== null;
  return request.input && isObject ? { ...input, ...request.input } : (request.input ?? input);
}
