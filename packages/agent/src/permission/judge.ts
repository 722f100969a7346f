import { isWithin } from "@landline/shell";
import type { PermissionLevel } from "../config/permission-level.ts";
import {
  type Approval,
  byEarlierAnswer,
  byNobody,
  byReading,
  byRule,
  mainApproval,
} from "./approval.ts";
import { decidingRule, matchingAction, matchingRule, sourcesSay, strictest } from "./evaluate.ts";
import { fileFindings } from "./file-rules.ts";
import { isFetchDenied } from "./host-rules.ts";
import { protectionsOf } from "./protected-paths.ts";
import {
  EXTERNAL_DIRECTORY,
  SANDBOX_PATH,
  type Action,
  type PermissionRequest,
  type Policy,
  type Rule,
  type WantedCommand,
} from "./rule.ts";

export interface Judgement {
  policy: Policy;
  /** The user's answers in this session: an allow replaces asking, a deny always applies. */
  approved: readonly Rule[];
  level: PermissionLevel;
}

export function judge(judgement: Judgement, request: PermissionRequest): Action {
  return rulingOn(judgement, request).action;
}

export interface Ruling {
  readonly action: Action;
  /** What allows it, if allowed. */
  readonly approval: Approval;
}

/** Decides a request, and names what allows it. */
export function rulingOn(judgement: Judgement, request: PermissionRequest): Ruling {
  const { permission, patterns, files = [], hosts = [] } = request;
  const { policy, level } = judgement;
  const rulings = patterns.map((wanted) =>
    rulingOnOne(judgement, permission, typeof wanted === "string" ? { pattern: wanted } : wanted),
  );
  const byFiles = fileFindings(policy, files).map((each) => each.action);
  const answered = byFiles.filter((each) => each === "deny" || level !== "allow-all");
  const byHosts = hosts.some((host) => isFetchDenied(policy, host)) ? (["deny"] as const) : [];
  const actions = rulings.map((each) => each.action);
  const action = strictest([...actions, ...answered, ...byHosts]) ?? "ask";
  return {
    action: action === "allow" && mustAsk(request).length > 0 ? "ask" : action,
    approval: mainApproval(rulings.map((each) => each.approval)),
  };
}

/** Reasons why only a person may allow a request. */
export function mustAsk(request: PermissionRequest): readonly string[] {
  return [...new Set([...(request.mustAsk ?? []), ...protectionsOf(request)])];
}

const denied: Ruling = { action: "deny", approval: byNobody };
const asked: Ruling = { action: "ask", approval: byNobody };
const allowed = (approval: Approval): Ruling => ({ action: "allow", approval });

function rulingOnOne(judgement: Judgement, permission: string, wanted: WantedCommand): Ruling {
  const { policy, approved, level } = judgement;
  const answer = matchingAction(approved, permission, wanted) ?? openedAnswer(approved, wanted);
  const rule = decidingRule(policy, permission, wanted);
  if (answer === "deny" || rule?.action === "deny") return denied;
  const first = rule ? { action: rule.action, approval: byRule(rule.rule) } : null;
  const ruling = first ?? defaultOf(policy, permission, wanted);
  if (ruling.action !== "ask") return ruling;
  const byLevel = { by: "level", name: level } as const;
  if (level === "allow-all") return allowed(byLevel);
  // An explicit ask rule applies in a sandbox too.
  if (level === "sandboxed" && wanted.isConfined === true && rule === null) return allowed(byLevel);
  const acceptsEdits = level === "accept-edits" || level === "sandboxed";
  const isAccepted = answer === "allow" || (acceptsEdits && permission === "edit");
  const approval = answer === "allow" ? byEarlierAnswer : byLevel;
  if (wanted.outside === undefined) return isAccepted ? allowed(approval) : asked;
  const place = { pattern: wanted.outside, access: "change" } as const;
  if (matchingAction(approved, EXTERNAL_DIRECTORY, place) === "allow")
    return allowed(byEarlierAnswer);
  return isAccepted && mayChange(policy, place) ? allowed(approval) : asked;
}

/** Whether the user opened the path or one of its parents. Write access includes reading. */
function openedAnswer(approved: readonly Rule[], { opens, access }: WantedCommand): Action | null {
  if (opens === undefined) return null;
  const isOpen = approved.some(
    (rule) =>
      rule.permission === SANDBOX_PATH &&
      rule.action === "allow" &&
      (rule.access === "change" || rule.access === access) &&
      isWithin(rule.pattern, opens),
  );
  return isOpen ? "allow" : null;
}

/**
 * Accept-edits covers the project only. An edit outside needs an approval for that folder, or a configuration
 * rule that allows it.
 */
function mayChange(policy: Policy, place: WantedCommand): boolean {
  return sourcesSay(policy, EXTERNAL_DIRECTORY, place) === "allow";
}

/** A guessed command needs no permission of its own: the command that contains it is asked about. */
function defaultOf({ defaults }: Policy, permission: string, wanted: WantedCommand): Ruling {
  if (wanted.isGuess) return allowed(byNobody);
  if (wanted.isReading) return allowed(byReading);
  const found = matchingRule(defaults, permission, wanted);
  if (found === null) return asked;
  return { action: found.action, approval: found.rule.reads ? byReading : byNobody };
}
