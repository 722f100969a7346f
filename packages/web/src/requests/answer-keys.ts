import { kindUnknown, type PermissionItem } from "@landline/protocol";

export type PermissionChoice = PermissionItem["options"][number];

export type AnswerKeyAction =
  | { readonly do: "choose"; readonly optionId: string }
  | { readonly do: "next" };

export interface AnswerKeyContext {
  readonly key: string;
  readonly hasModifier: boolean;
  /** Whether the focused element accepts text, or is a menu or a dialog. */
  readonly isTyping: boolean;
  /** Whether it is the message field and the field is empty. */
  readonly isInEmptyMessage: boolean;
  /** Whether the card or an element in it has the focus. */
  readonly isOnCard: boolean;
  /** The options of the open permission request; empty for a question. */
  readonly options: readonly PermissionChoice[];
  readonly openCount: number;
}

/**
 * What a key does to the request that is shown. Digits also work from the empty message field; letters do not,
 * because messages start with them. Only a key on the card chooses an option that lasts or may last.
 */
export function answerKeyAction(facts: AnswerKeyContext): AnswerKeyAction | null {
  const { key, options } = facts;
  const isDigit = /^[1-9]$/.test(key);
  if (facts.hasModifier || (facts.isTyping && !(isDigit && facts.isInEmptyMessage))) return null;
  if (key === "n" && facts.openCount > 1) return { do: "next" };
  const option = isDigit ? options[Number(key) - 1] : byLetter(key, options);
  if (option === undefined || !(facts.isOnCard || countsOnce(option))) return null;
  return { do: "choose", optionId: option.optionId };
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

export function countsOnce(option: PermissionChoice): boolean {
  return isOfKind(option, "allow_once") || isOfKind(option, "reject_once");
}

/** A kind that the agent did not send is never taken for one that applies once. */
function isOfKind({ kind, _meta: meta }: PermissionChoice, wanted: PermissionChoice["kind"]) {
  return kind === wanted && meta?.[kindUnknown] !== true;
}

const typed = "input, textarea, select, [contenteditable], [role=textbox], .xterm";
const above = "[role=dialog], [role=alertdialog], [role=menu], [role=listbox]";
/** Inputs that accept no text. */
const ticks = "input[type=checkbox], input[type=radio], input[type=button], input[type=submit]";

export function takesKeys(target: EventTarget | null): boolean {
  if (!(target instanceof Element)) return false;
  if (target.closest(above)) return true;
  return target.closest(typed) !== null && !target.matches(ticks);
}
