import { join, sep } from "node:path";
import { strictest } from "../permission/evaluate.ts";
import { fileFindings } from "../permission/file-rules.ts";
import { byPerson, mainApproval } from "../permission/approval.ts";
import { hostRequest } from "../permission/host-rules.ts";
import { mustAsk, rulingOn, type Ruling } from "../permission/judge.ts";
import {
  EXTERNAL_DIRECTORY,
  EXTERNAL_HOST,
  patternOf,
  PermissionRefused,
  REFUSED_BY_PERSON,
  SANDBOX_PATH,
  type Access,
  type OfferedOption,
  type PermissionRequest,
  type Rule,
  type SandboxOpenings,
} from "../permission/rule.ts";
import { PermissionQueue } from "./permission-queue.ts";
import type { DisplayedCall } from "./user-requests.ts";
import type { Session } from "./session.ts";
import type { HostedCall, Permitted } from "./turn-host.ts";

/**
 * Decides what a session may do, and asks the user. A subagent may never do more than its ancestors. Requests
 * appear on the root session.
 */
export class Permissions {
  readonly #session: Session;
  readonly #asks = new PermissionQueue();

  constructor(session: Session) {
    this.#session = session;
  }

  /**
   * Resolves to what allowed the requests; throws PermissionRefused. `options` replace the default answers.
   */
  async ask(
    call: HostedCall,
    requests: readonly PermissionRequest[],
    signal: AbortSignal,
    options?: readonly OfferedOption[],
  ): Promise<Permitted> {
    const denied = requests.find((request) => this.#isDenied(request));
    if (denied) throw refusedByRule(denied);
    if (this.#open(requests).length === 0) return this.#permitted(requests);
    const { root, parts } = this.#session;
    const displayedCall = this.displayedCall(call, inputOf(call, requests));
    let asked: readonly PermissionRequest[] = [];
    let option: OfferedOption | undefined;
    const answer = await root.permissions.#asks.ask({
      signal,
      isAllowed: () => this.#open(requests).length === 0,
      decide: async () => {
        asked = this.#open(requests).map((request) => this.#withReasons(request));
        const question = { call: displayedCall, requests: asked, ...(options && { options }) };
        const decision = await parts.user.decide(question, signal);
        option = options?.find(({ id }) => id === decision.option);
        return decision;
      },
    });
    if (answer === null) return this.#permitted(requests);
    if (options) this.#keepRules(option?.rules ?? []);
    else if (answer === "always" || answer === "never") this.#remember(asked, answer);
    if (answer === "reject" || answer === "never" || (options && option === undefined))
      throw new PermissionRefused("person", REFUSED_BY_PERSON, "Rejected.");
    return { approval: byPerson, option: option?.id ?? null };
  }

  /** Allowed without asking. */
  #permitted(requests: readonly PermissionRequest[]): Permitted {
    const approvals = requests.map((request) => this.#ruling(request).approval);
    return { approval: mainApproval(approvals), option: null };
  }

  /** What the user opened for commands in their sandbox, unless a rule denies it now. */
  openings(): SandboxOpenings {
    const { approved } = this.#session.root.state;
    const allowed = approved.filter(({ action }) => action === "allow");
    const paths = (access: Access) =>
      allowed.flatMap((rule) => {
        const { permission, pattern } = rule;
        if (permission !== SANDBOX_PATH || rule.access !== access) return [];
        const patterns = [pattern, join(pattern, "*")].map((each) => ({ pattern: each, access }));
        return this.#isDenied({ permission: EXTERNAL_DIRECTORY, patterns, always: [] })
          ? []
          : [pattern];
      });
    const hosts = allowed.flatMap(({ permission, pattern }) =>
      permission === EXTERNAL_HOST && !this.#isDenied(hostRequest(pattern)) ? [pattern] : [],
    );
    return { write: paths("change"), read: paths("read"), hosts };
  }

  #isDenied(request: PermissionRequest): boolean {
    return this.#ruling(request).action === "deny";
  }

  #open(requests: readonly PermissionRequest[]): readonly PermissionRequest[] {
    return requests.filter((request) => this.#ruling(request).action !== "allow");
  }

  displayedCall(call: HostedCall, rawInput: unknown = call.input): DisplayedCall {
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

  /** The strictest ruling of a subagent and its ancestors applies. */
  #ruling(request: PermissionRequest): Ruling {
    const { approved, permissions: level } = this.#session.root.state;
    const rulings = this.#sessions.map(({ policy }) =>
      rulingOn({ policy, approved, level }, request),
    );
    return {
      action: strictest(rulings.map(({ action }) => action)) ?? "ask",
      approval: mainApproval(rulings.map(({ approval }) => approval)),
    };
  }

  get #sessions(): Session[] {
    return [this.#session, ...this.#session.bounds];
  }

  /** Adds the reasons, and removes "always" from requests that only a person may allow. */
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
    this.#keepRules(rules);
  }

  #keepRules(rules: readonly Rule[]): void {
    if (rules.length > 0) this.#session.root.append({ kind: "rule-approved", rules: [...rules] });
  }
}

function refusedByRule({ permission, patterns }: PermissionRequest): PermissionRefused {
  const named = `${permission} on ${patterns.map(patternOf).join(", ")}`;
  const words = `A rule of this mode or of the person's config refuses ${named}.`;
  return new PermissionRefused("rule", words, `A rule refuses ${named}.`);
}

/** Makes paths inside the project relative. */
function relativeTo(cwd: string, reason: string): string {
  return ` ${reason}`.replaceAll(` ${join(cwd, sep)}`, " ").slice(1);
}

/** Clients show it instead of the call's own input, so it must contain all of that. */
function inputOf({ input }: HostedCall, requests: readonly PermissionRequest[]): unknown {
  const other = requests.find((request) => request.input)?.input;
  const isObject = typeof input === "object" && input !== null;
  return other && isObject ? { ...input, ...other } : (other ?? input);
}
