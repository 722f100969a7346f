import { isToolKind, kindUnknown, LandlineError, type PermissionOpened } from "@landline/protocol";
import { type AskOutcome, isPermissionOutcome } from "./request-outcome.ts";
import { hostPlaceholder, isHost } from "./rule-input.ts";
import type { CallNames } from "../../tool-calls/call-names.ts";
import { plainWords } from "./command-prefix.ts";
import type { SessionContext } from "../session-context.ts";
import type { NewRule, RulePlace, RuleSubject } from "./rule.ts";

/**
 * The `_meta` key of an answer that is to become a rule: `{ where: "session" | "project" | "everywhere", what?:
 * RuleSubject }`. Without `what`, the rule is about the exact command, or about the tool and its kind.
 */
export const rememberKey = "landline/remember";

/** The rule that the answer requests, or null. Throws `invalid-params` if it cannot be a rule. */
export function ruleToRemember(
  context: SessionContext,
  { opened, names }: { readonly opened: PermissionOpened; readonly names: CallNames },
  outcome: AskOutcome,
  by: string,
): NewRule | null {
  if (!isPermissionOutcome(outcome) || outcome.outcome !== "selected") return null;
  const remember = outcome._meta?.[rememberKey];
  if (remember === undefined || remember === null) return null;
  if (typeof remember !== "object") throw refusal("it must be an object");
  const { where, what } = remember as { where?: unknown; what?: unknown };
  const option = opened.options.find(({ optionId }) => optionId === outcome.optionId);
  if (option === undefined || option._meta?.[kindUnknown] === true)
    throw refusal("the agent does not say whether that option allows or rejects");
  const decision = option.kind.startsWith("allow") ? "allow" : "deny";
  return {
    decision,
    what: what === undefined ? subjectOf(context, names) : readSubject(what, decision),
    where: placeOf(context, where),
    by,
  };
}

/** Throws `invalid-params` if the answer requests a rule. */
export function mustNotBecomeRule(outcome: AskOutcome): void {
  if (!isPermissionOutcome(outcome) || outcome.outcome !== "selected") return;
  if (outcome._meta?.[rememberKey]) throw refusal(onlyPerson);
}

/** Why no rule answers a request about the sandbox. */
export const onlyPerson =
  "Only a person can let a command out of the sandbox, or keep a protected place that a confined program created";

/** As narrow as possible, because the person named nothing wider. */
function subjectOf({ agent }: SessionContext, { commands, kinds, names }: CallNames): RuleSubject {
  const [command, ...otherCommands] = commands.filter(({ isEditorVerb }) => !isEditorVerb);
  const line = otherCommands.length > 0 ? null : command?.line;
  if (typeof line === "string" && plainWords(line) !== null)
    return { agent, commandPrefix: line.trim() };
  if (command !== undefined || kinds.includes("execute"))
    throw refusal(
      "the command is more than one plain command; say in `what` how the command starts",
    );
  const [kind, ...otherKinds] = kinds;
  const [name, ...otherNames] = names;
  if (otherKinds.length + otherNames.length > 0)
    throw refusal("the call has more than one kind or name; say in `what` which one is meant");
  if (!isToolKind(kind) && name === undefined)
    throw refusal("the call has neither a kind nor a name; say in `what` which one is meant");
  return {
    agent,
    ...(isToolKind(kind) && { toolKind: kind }),
    ...(name !== undefined && { toolName: name }),
  };
}

const subjectFields: ReadonlySet<string> = new Set([
  "toolKind",
  "toolName",
  "commandPrefix",
  "onlyReads",
  "pathGlob",
  "host",
  "agent",
]);

/** Checked before the ask is settled, so that an invalid rule leaves it open. `Rules.add` checks again. */
function readSubject(what: unknown, decision: NewRule["decision"]): RuleSubject {
  if (typeof what !== "object" || what === null || Array.isArray(what))
    throw refusal("`what` must be an object");
  const { onlyReads, ...fields }: Readonly<Record<string, unknown>> = { ...what };
  for (const [name, value] of Object.entries(fields)) {
    if (!subjectFields.has(name)) throw refusal("`what` has an unknown field");
    if (typeof value !== "string" || value === "")
      throw refusal(`\`what.${name}\` must be a string`);
  }
  if (onlyReads !== undefined && (onlyReads !== true || decision !== "allow"))
    throw refusal("`what.onlyReads` can only be true, and only to allow");
  const { toolKind, commandPrefix, host } = fields;
  if (toolKind !== undefined && !isToolKind(toolKind)) throw refusal("`what.toolKind` is unknown");
  if (typeof commandPrefix === "string" && plainWords(commandPrefix) === null)
    throw refusal("`what.commandPrefix` must be the first words of one plain command");
  if (typeof host === "string" && !isHost(host)) throw refusal(`\`what.host\` ${hostPlaceholder}`);
  return { ...fields, ...(onlyReads === true && { onlyReads }) };
}

function placeOf(context: SessionContext, where: unknown): RulePlace {
  switch (where) {
    case "session":
      return { in: "session", sessionId: context.sessionId };
    case "project":
      return { in: "project", folder: context.cwd };
    case "everywhere":
      return { in: "everywhere" };
    default:
      throw refusal('`where` must be "session", "project" or "everywhere"');
  }
}

function refusal(because: string): LandlineError {
  return new LandlineError("invalid-params", {
    message: `The answer can't become a rule: ${because}.`,
    help: "Answer without a rule, or change the rule; the request is still open.",
    data: { field: `outcome._meta.${rememberKey}` },
  });
}
