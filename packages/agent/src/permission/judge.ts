import type { PermissionLevel } from "../config/permission-level.ts";
import { matchingAction, sourcesSay, strictest } from "./evaluate.ts";
import { fileFindings } from "./file-rules.ts";
import { protectionsOf } from "./protected-paths.ts";
import {
  EXTERNAL_DIRECTORY,
  type Action,
  type PermissionRequest,
  type Policy,
  type Rule,
  type WantedCommand,
} from "./rule.ts";

export interface Judgement {
  policy: Policy;
  /** What the person said in this session: an allow answers what would be asked, a deny holds always. */
  approved: readonly Rule[];
  level: PermissionLevel;
}

/** Whether a request is allowed, refused, or a person's to decide. */
export function judge(judgement: Judgement, request: PermissionRequest): Action {
  const { permission, patterns } = request;
  const actions = patterns.map((wanted) =>
    judgeOne(judgement, permission, typeof wanted === "string" ? { pattern: wanted } : wanted),
  );
  const byFiles = fileFindings(judgement.policy, request.files ?? []).map((each) => each.action);
  const answered = byFiles.filter((each) => each === "deny" || judgement.level !== "allow-all");
  const action = strictest([...actions, ...answered]) ?? "ask";
  return action === "allow" && mustAsk(request).length > 0 ? "ask" : action;
}

/** Why only a person may allow a request. */
export function mustAsk(request: PermissionRequest): readonly string[] {
  return [...new Set([...(request.mustAsk ?? []), ...protectionsOf(request)])];
}

function judgeOne(judgement: Judgement, permission: string, wanted: WantedCommand): Action {
  const { policy, approved, level } = judgement;
  const byPerson = matchingAction(approved, permission, wanted);
  const byRule = sourcesSay(policy, permission, wanted);
  if (byPerson === "deny" || byRule === "deny") return "deny";
  const action = byRule ?? defaultOf(policy, permission, wanted);
  if (action !== "ask") return action;
  if (level === "allow-all") return "allow";
  // A mode or a config that says "ask" is asked, in a sandbox too.
  if (level === "sandboxed" && wanted.isConfined === true && byRule === null) return "allow";
  const acceptsEdits = level === "accept-edits" || level === "sandboxed";
  const isAccepted = byPerson === "allow" || (acceptsEdits && permission === "edit");
  if (wanted.outside === undefined) return isAccepted ? "allow" : "ask";
  return mayChange(judgement, wanted.outside, isAccepted) ? "allow" : "ask";
}

/**
 * Accepting edits means those inside of the project. An edit outside needs an approval for changing that place, or a rule
 * of the config that opens the place where edits are accepted.
 */
function mayChange({ policy, approved }: Judgement, pattern: string, isAccepted: boolean): boolean {
  const place = { pattern, access: "change" } as const;
  if (matchingAction(approved, EXTERNAL_DIRECTORY, place) === "allow") return true;
  return isAccepted && sourcesSay(policy, EXTERNAL_DIRECTORY, place) === "allow";
}

/** A guess needs no allowance of its own: the command that it belongs to is asked about. */
function defaultOf({ defaults }: Policy, permission: string, wanted: WantedCommand): Action {
  if (wanted.isReading || wanted.isGuess) return "allow";
  return matchingAction(defaults, permission, wanted) ?? "ask";
}
