import type { ToolCallUpdate } from "@agentclientprotocol/sdk";
import { kindUnknown, LandlineError, type PermissionOpened } from "@landline/protocol";
import { type AskOutcome, isPermissionOutcome } from "./ask-outcome.ts";
import { commandLine, hostWords, isHost } from "./ask-facts.ts";
import { plainWords } from "./command-line.ts";
import { isToolKind } from "./describe-rule.ts";
import type { DutyContext } from "./duty.ts";
import type { NewRule, RulePlace, RuleSubject } from "./rule.ts";

/**
 * Stands in `_meta` of an answer that is to become a rule: `{ where: "session" | "project" | "everywhere",
 * what?: RuleSubject }`. Without `what`, the rule is about the very command, or about the tool and its kind.
 */
export const rememberKey = "landline/remember";

/** The rule that the answer asks for, or null. Throws `invalid-params` when it can't be one. */
export function ruleToRemember(
  context: DutyContext,
  opened: PermissionOpened,
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
    throw refusal("nobody can say whether that option allows or rejects");
  return {
    decision: option.kind.startsWith("allow") ? "allow" : "deny",
    what: what === undefined ? subjectOf(context, opened.toolCall) : readSubject(what),
    where: placeOf(context, where),
    by,
  };
}

/** As narrow as can be said: nobody has named anything wider. */
function subjectOf(context: DutyContext, toolCall: ToolCallUpdate): RuleSubject {
  const { agent } = context;
  const line = commandLine(toolCall);
  if (typeof line === "string" && plainWords(line) !== null)
    return { agent, commandPrefix: line.trim() };
  if (line !== null || toolCall.kind === "execute")
    throw refusal(
      "the command is more than one plain command; say in `what` how the command starts",
    );
  const { kind, name } = toolCall;
  if (!kind && !name)
    throw refusal("the call has neither a kind nor a name; say in `what` which are meant");
  return {
    agent,
    ...(kind ? { toolKind: kind } : {}),
    ...(name ? { toolName: name } : {}),
  };
}

const subjectFields: ReadonlySet<string> = new Set([
  "toolKind",
  "toolName",
  "commandPrefix",
  "pathGlob",
  "host",
  "agent",
]);

/** Looked at before the ask is settled, so that a wrong rule costs nothing; `Rules.add` looks again. */
function readSubject(what: unknown): RuleSubject {
  if (typeof what !== "object" || what === null || Array.isArray(what))
    throw refusal("`what` must be an object");
  const fields: Readonly<Record<string, unknown>> = { ...what };
  for (const [name, value] of Object.entries(fields)) {
    if (!subjectFields.has(name)) throw refusal("`what` has a field that is not known");
    if (typeof value !== "string" || value === "") throw refusal(`\`what.${name}\` must be a text`);
  }
  const { toolKind, commandPrefix, host } = fields;
  if (toolKind !== undefined && !isToolKind(toolKind))
    throw refusal("`what.toolKind` is not known");
  if (typeof commandPrefix === "string" && plainWords(commandPrefix) === null)
    throw refusal("`what.commandPrefix` must be the first words of one plain command");
  if (typeof host === "string" && !isHost(host)) throw refusal(`\`what.host\` ${hostWords}`);
  return fields;
}

function placeOf(context: DutyContext, where: unknown): RulePlace {
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
    help: "Answer without a rule, or change what is to be remembered; the ask is still open.",
    data: { field: `outcome._meta.${rememberKey}` },
  });
}
