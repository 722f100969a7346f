import { join, sep } from "node:path";
import { strictest } from "../permission/evaluate.ts";
import { fileFindings } from "../permission/file-rules.ts";
import { judge, mustAsk } from "../permission/judge.ts";
import {
  patternOf,
  PermissionRefused,
  REFUSED_BY_PERSON,
  type Action,
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
  async ask(
    call: HostedCall,
    requests: readonly PermissionRequest[],
    signal: AbortSignal,
  ): Promise<void> {
    const denied = requests.find((request) => this.#judge(request) === "deny");
    if (denied) throw refusedByRule(denied);
    if (this.#open(requests).length === 0) return;
    const { root, parts } = this.#session;
    const screen = this.screen(call, inputOf(call, requests));
    let asked: readonly PermissionRequest[] = [];
    const answer = await root.permissions.#asks.ask({
      signal,
      isAllowed: () => this.#open(requests).length === 0,
      decide: () => {
        asked = this.#open(requests).map((request) => this.#withReasons(request));
        return parts.people.decide({ call: screen, requests: asked }, signal);
      },
    });
    if (answer === "always" || answer === "never") this.#remember(asked, answer);
    if (answer === "reject" || answer === "never")
      throw new PermissionRefused("person", REFUSED_BY_PERSON, "Rejected.");
  }

  #open(requests: readonly PermissionRequest[]): readonly PermissionRequest[] {
    return requests.filter((request) => this.#judge(request) !== "allow");
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

  /** A helper is asked about whatever one of those it helps would be asked about. */
  #judge(request: PermissionRequest): Action {
    const { approved, permissions: level } = this.#session.root.state;
    const actions = this.#sessions.map(({ policy }) => judge({ policy, approved, level }, request));
    return strictest(actions) ?? "ask";
  }

  get #sessions(): Session[] {
    return [this.#session, ...this.#session.bounds];
  }

  /** What only a person may allow is not offered for good, and the person is told why. */
  #withReasons(request: PermissionRequest): PermissionRequest {
    const { files = [], because = [] } = request;
    const found = this.#sessions.flatMap(({ policy }) => fileFindings(policy, files));
    const reasons = [...mustAsk(request), ...found.map(({ reason }) => reason)];
    const { cwd } = this.#session.workspace;
    const all = [...reasons, ...because].map((reason) => relativeTo(cwd, reason));
    const shown = [...new Set(all)];
    return { ...request, because: shown, ...(reasons.length > 0 && { always: [] }) };
  }

  #remember(requests: readonly PermissionRequest[], answer: "always" | "never"): void {
    const action = answer === "always" ? "allow" : "deny";
    const rules = requests.flatMap(({ permission, always, alwaysAs }) =>
      always.map((pattern): Rule => ({ permission, ...alwaysAs, pattern, action })),
    );
    this.#session.root.keep({ kind: "rule-approved", rules });
  }
}

function refusedByRule({ permission, patterns }: PermissionRequest): PermissionRefused {
  const named = `${permission} on ${patterns.map(patternOf).join(", ")}`;
  const words = `A rule of this mode or of the person's config refuses ${named}.`;
  return new PermissionRefused("rule", words, `A rule refuses ${named}.`);
}

/** A reason with the paths inside of the project as people name them. */
function relativeTo(cwd: string, reason: string): string {
  return ` ${reason}`.replaceAll(` ${join(cwd, sep)}`, " ").slice(1);
}

/** The client shows it in place of the call's own input, so nothing of that may be missing. */
function inputOf({ input }: HostedCall, requests: readonly PermissionRequest[]): unknown {
  const other = requests.find((request) => request.input)?.input;
  const isObject = typeof input === "object" && input !== null;
  return other && isObject ? { ...input, ...other } : (other ?? input);
}
