import type {
  CreateElicitationRequest,
  CreateElicitationResponse,
  ElicitationSchema,
  PermissionOption,
  PermissionOptionKind,
  RequestPermissionOutcome,
} from "@agentclientprotocol/sdk";
import {
  type AskOpened,
  type AskSettled,
  kindUnknown,
  LandlineError,
  type PermissionOpened,
} from "@landline/protocol";
import { secretFields, withoutAnswersTo } from "../../telemetry/mask-answers.ts";
import { formProblem } from "../elicitation/form.ts";
import type { RuleDecision } from "./rule.ts";

export type AskOutcome = AskSettled["outcome"];

/** For the log: answers in hidden fields are sent to the agent only. */
export function withoutSecrets(opened: AskOpened, outcome: AskOutcome): AskOutcome {
  return opened.ask === "question"
    ? withoutAnswersTo(secretFields(opened.request), outcome)
    : outcome;
}

/** The outcome without a decision. */
export function cancelledOutcome(ask: AskOpened["ask"]): AskOutcome {
  return ask === "permission" ? { outcome: "cancelled" } : { action: "cancel" };
}

/** Throws `option-not-offered` or `invalid-params`; the ask stays open then. */
export function checkOutcome(opened: AskOpened, outcome: AskOutcome): void {
  if (opened.ask === "permission") checkPermission(opened.options, outcome);
  else checkQuestion(opened.request, outcome);
}

function checkPermission(options: readonly PermissionOption[], outcome: AskOutcome): void {
  if (!isPermissionOutcome(outcome)) throw wrongKind("a permission request", "outcome");
  if (outcome.outcome === "cancelled") return;
  if (outcome.outcome !== "selected") throw wrongKind("a permission request", "outcome");
  if (!options.some(({ optionId }) => optionId === outcome.optionId))
    throw new LandlineError("option-not-offered", {
      data: { offered: options.map(({ optionId }) => optionId) },
    });
}

function checkQuestion(request: CreateElicitationRequest, outcome: AskOutcome): void {
  if (!isQuestionOutcome(outcome)) throw wrongKind("a question", "action");
  if (outcome.action === "decline" || outcome.action === "cancel") return;
  if (outcome.action !== "accept") throw wrongKind("a question", "action");
  const content = contentOf(outcome);
  const problem =
    request.mode === "form"
      ? formProblem(request["requestedSchema"] as ElicitationSchema, content)
      : Object.keys(content).length > 0 && "a question that opens a page takes no content";
  if (problem)
    throw new LandlineError("invalid-params", {
      message: `The answer does not match the form: ${problem}.`,
      help: "The question describes its fields.",
    });
}

function contentOf(outcome: CreateElicitationResponse): Readonly<Record<string, unknown>> {
  return "content" in outcome && typeof outcome.content === "object" && outcome.content !== null
    ? { ...outcome.content }
    : {};
}

export function isPermissionOutcome(outcome: AskOutcome): outcome is RequestPermissionOutcome {
  return "outcome" in outcome;
}

export function isQuestionOutcome(outcome: AskOutcome): outcome is CreateElicitationResponse {
  return "action" in outcome;
}

/** Whether the outcome clearly allows the call. */
export function isAllowed(opened: AskOpened, outcome: AskOutcome): opened is PermissionOpened {
  const kind = chosenKind(opened, outcome);
  return kind === "allow_once" || kind === "allow_always";
}

/** Whether the outcome clearly rejects the call. */
export function isRejected(opened: AskOpened, outcome: AskOutcome): boolean {
  const kind = chosenKind(opened, outcome);
  return kind === "reject_once" || kind === "reject_always" || kind === "cancelled";
}

/** Null for a question, and for an option whose kind is a guess. */
function chosenKind(
  opened: AskOpened,
  outcome: AskOutcome,
): PermissionOptionKind | "cancelled" | null {
  if (opened.ask !== "permission" || !isPermissionOutcome(outcome)) return null;
  if (outcome.outcome === "cancelled") return "cancelled";
  if (outcome.outcome !== "selected") return null;
  const chosen = opened.options.find(({ optionId }) => optionId === outcome.optionId);
  return chosen === undefined || chosen._meta?.[kindUnknown] === true ? null : chosen.kind;
}

function wrongKind(what: string, field: string): LandlineError {
  return new LandlineError("invalid-params", {
    message: `The answer to ${what} needs a valid ${field}.`,
    data: { field },
  });
}

/**
 * The option that a rule chooses, never one whose kind is a guess. Null if no option clearly allows the call; then a
 * person is asked.
 */
export function outcomeByRule(
  decision: Exclude<RuleDecision, "ask">,
  options: readonly PermissionOption[],
): RequestPermissionOutcome | null {
  const known = options.filter((option) => option._meta?.[kindUnknown] !== true);
  const kinds = choices[decision];
  const found = kinds.map((kind) => known.find((option) => option.kind === kind)).find(Boolean);
  if (found) return { outcome: "selected", optionId: found.optionId };
  return decision === "deny" ? { outcome: "cancelled" } : null;
}

/** "Once" comes before "always": the gateway's rule applies each time, and can be removed. */
const choices: Readonly<Record<"allow" | "deny", readonly PermissionOptionKind[]>> = {
  allow: ["allow_once", "allow_always"],
  deny: ["reject_once", "reject_always"],
};

/** For the agent: without metadata of Landline. */
export function forAgent<Outcome extends AskOutcome>(outcome: Outcome): Outcome {
  const { _meta: meta, ...rest } = outcome as Outcome & { _meta?: object | null };
  if (meta === undefined || meta === null) return outcome;
  const others = Object.entries(meta).filter(([name]) => !name.startsWith("landline/"));
  const kept = others.length === 0 ? {} : { _meta: Object.fromEntries(others) };
  return { ...rest, ...kept } as unknown as Outcome;
}

/** For clients that answer too late: without the form content. */
export function withoutContent(outcome: AskOutcome): AskOutcome {
  return isPermissionOutcome(outcome) ? outcome : { action: outcome.action };
}
