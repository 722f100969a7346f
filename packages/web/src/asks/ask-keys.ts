import { kindUnknown, type PermissionItem } from "@landline/protocol";

export type PermissionChoice = PermissionItem["options"][number];

/** How long after an ask appeared a key may still have been meant for something else. */
export const guardMs = 400;

export type AskKeyAction =
  | { readonly do: "choose"; readonly optionId: string }
  | { readonly do: "next" };

export interface AskKeyFacts {
  readonly key: string;
  readonly hasModifier: boolean;
  /** Whether what has the focus takes text, or is a menu or a dialog. */
  readonly isTyping: boolean;
  readonly isRepeat: boolean;
  /** Since the ask that would be answered is shown. */
  readonly shownMs: number;
  /** Of the ask that is open; none for a question. */
  readonly options: readonly PermissionChoice[];
  readonly openCount: number;
}

/**
 * What a key does to the ask that is shown: nothing, when in doubt. There is no chord for the message field: Alt with
 * a digit changes tabs in browsers on Linux, and Option with a letter or a digit types one on a Mac. Esc leads out of it.
 */
export function askKeyAction(facts: AskKeyFacts): AskKeyAction | null {
  const { key, options } = facts;
  if (facts.hasModifier || facts.isTyping || facts.isRepeat) return null;
  if (key === "n" && facts.openCount > 1) return { do: "next" };
  if (facts.shownMs < guardMs) return null;
  const option = /^[1-9]$/.test(key) ? options[Number(key) - 1] : byLetter(key, options);
  return option ? { do: "choose", optionId: option.optionId } : null;
}

function byLetter(key: string, options: readonly PermissionChoice[]): PermissionChoice | undefined {
  if (key === "a") return allowOnce(options);
  return key === "r" ? rejectOnce(options) : undefined;
}

export function allowOnce(options: readonly PermissionChoice[]): PermissionChoice | undefined {
  return options.find((option) => isOfKind(option, "allow_once"));
}

export function rejectOnce(options: readonly PermissionChoice[]): PermissionChoice | undefined {
  return options.find((option) => isOfKind(option, "reject_once"));
}

/** For certain: a kind that the agent did not say is no reason to press it by a letter. */
function isOfKind({ kind, _meta: meta }: PermissionChoice, wanted: PermissionChoice["kind"]) {
  return kind === wanted && meta?.[kindUnknown] !== true;
}

const typed = "input, textarea, select, [contenteditable], [role=textbox], .xterm";
const above = "[role=dialog], [role=alertdialog], [role=menu], [role=listbox]";
/** Inputs that take no text. */
const ticks = "input[type=checkbox], input[type=radio], input[type=button], input[type=submit]";

export function takesKeys(target: EventTarget | null): boolean {
  if (!(target instanceof Element)) return false;
  if (target.closest(above)) return true;
  return target.closest(typed) !== null && !target.matches(ticks);
}
