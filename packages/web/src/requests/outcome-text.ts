import type { Me } from "@landline/client";
import {
  filledStringOf,
  type AskItem,
  type GatewayReason,
  type PermissionItem,
  type QuestionItem,
} from "@landline/protocol";
import { isNamed, personName } from "../state/person-name.ts";

export type Settled = NonNullable<AskItem["settled"]>;
export type Verdict = "allowed" | "rejected" | "answered" | "declined" | "dismissed" | "unanswered";

/** The outcome, whatever the agent called its options. */
export function verdictOf(item: AskItem, { outcome }: Settled): Verdict {
  if ("action" in outcome) return questionVerdicts[outcome.action] ?? "answered";
  if (outcome.outcome !== "selected" || item.ask !== "permission") return "unanswered";
  const option = item.options.find(({ optionId }) => optionId === outcome.optionId);
  return option && isRejection(option) ? "rejected" : "allowed";
}

const questionVerdicts: Readonly<Record<string, Verdict>> = {
  accept: "answered",
  decline: "declined",
  cancel: "dismissed",
};

const verbs: Readonly<Record<Verdict, string>> = {
  allowed: "allowed",
  rejected: "rejected",
  answered: "answered",
  declined: "declined",
  dismissed: "dismissed",
  unanswered: "closed",
};

/** "You allowed", "Anna rejected", "A rule allowed", "Not answered: the turn was stopped". */
export function outcomeText(item: AskItem, settled: Settled, me: Me | null): string {
  const { by } = settled;
  if ("gateway" in by) return reasons[by.gateway];
  const verb = verbs[verdictOf(item, settled)];
  return "rule" in by ? `A rule ${verb}` : `${personName(by.client, me)} ${verb}`;
}

/** Follows the subject: "you allowed it", "Anna rejected it", "not answered in time". */
export function outcomeTextAfterSubject(item: AskItem, settled: Settled, me: Me | null): string {
  const words = outcomeText(item, settled, me);
  const { by } = settled;
  const isName = "client" in by && isNamed(by.client, me);
  const begun = isName ? words : words.charAt(0).toLowerCase() + words.slice(1);
  return "gateway" in by ? begun : `${begun} it`;
}

const reasons: Readonly<Record<GatewayReason, string>> = {
  "turn-cancelled": "Not answered: the turn was stopped",
  "turn-ended": "Not answered: the turn ended",
  "agent-gone": "Not answered: the agent exited",
  timeout: "Not answered in time",
  policy: "Answered by the settings of this gateway",
  withdrawn: "Withdrawn by the agent",
  completed: "Completed elsewhere",
};

/** The name of the chosen option, if it says more than the verdict. */
export function optionText(item: AskItem, { outcome }: Settled): string | null {
  if (item.ask !== "permission" || !("outcome" in outcome)) return null;
  if (outcome.outcome !== "selected") return null;
  const option = item.options.find(({ optionId }) => optionId === outcome.optionId);
  return option === undefined || isOnce(option) ? null : optionName(option);
}

type Option = PermissionItem["options"][number];

export function isRejection({ kind }: Option): boolean {
  return kind === "reject_once" || kind === "reject_always";
}

/** The agent's own label. */
export function optionName({ name, optionId }: Option): string {
  return filledStringOf(name) ?? optionId;
}

/** The message of a question; an agent may send any type. */
export function messageOf({ message }: QuestionItem["request"]): string {
  return filledStringOf(message) ?? "";
}

function isOnce({ kind }: Option): boolean {
  return kind === "allow_once" || kind === "reject_once";
}
