import type { AskOutcome } from "@landline/client";
import {
  kindUnknown,
  sandboxRequest,
  type AskOpened,
  type PermissionOpened,
} from "@landline/protocol";

type PermissionOption = PermissionOpened["options"][number];

const selected = (optionId: string): AskOutcome => ({ outcome: "selected", optionId });

/**
 * Whether it would let a command leave the sandbox, or keep a protected place that it created. Only a person may allow
 * that.
 */
export function leavesSandbox(ask: AskOpened): boolean {
  return ask.ask === "permission" && ask.toolCall._meta?.[sandboxRequest] !== undefined;
}

/** The answer of `--yes`; null if no option clearly allows the call. */
export function allowingAnswer(ask: AskOpened): AskOutcome | null {
  if (ask.ask === "question" || leavesSandbox(ask)) return null;
  const option = choose(ask.options, ["allow_once", "allow_always"]);
  return option && selected(option.optionId);
}

/** The answer if nobody can be asked. */
export function refusingAnswer(ask: AskOpened): AskOutcome {
  if (ask.ask === "question") return { action: "cancel" };
  const option = choose(ask.options, ["reject_once", "reject_always"]);
  return option ? selected(option.optionId) : { outcome: "cancelled" };
}

/** The option that a person chose by its number in the list, from 1. */
export function chosenAnswer(ask: AskOpened, typed: string): AskOutcome | null {
  if (ask.ask === "question") return null;
  const number = /^\d{1,3}$/.test(typed.trim()) ? Number(typed.trim()) : 0;
  const option = ask.options[number - 1];
  return option ? selected(option.optionId) : null;
}

export function optionLines(ask: AskOpened): string[] {
  if (ask.ask === "question") return [];
  return ask.options.map(
    ({ name, kind }, index) => `  ${index + 1}. ${name} (${kind.replaceAll("_", " ")})`,
  );
}

function choose(
  options: readonly PermissionOption[],
  kinds: readonly string[],
): PermissionOption | null {
  for (const kind of kinds) {
    // An option whose kind is a guess is never chosen automatically.
    const option = options.find((one) => one.kind === kind && one._meta?.[kindUnknown] !== true);
    if (option) return option;
  }
  return null;
}
