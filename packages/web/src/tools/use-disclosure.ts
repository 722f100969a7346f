import { useState } from "react";

/** `kept`: opened by default, and stays open. */
type Choice = "open" | "closed" | "kept";

/** What the person opened or closed, in memory; the oldest entries are dropped first. */
const choices = new Map<string, Choice>();
const CHOICES_KEPT = 2_000;

/**
 * Whether something is open: as the person left it, else `byDefault`. While `stays` is true, something that was
 * open by default stays open, so that it does not collapse while it is read.
 */
export function useDisclosure(
  key: string,
  byDefault: boolean,
  stays = false,
): readonly [isOpen: boolean, setOpen: (isOpen: boolean) => void] {
  const [choice, setChoice] = useState(() => choices.get(key));
  const keep = (isOpen: boolean) => {
    choices.delete(key);
    const chosen = isOpen ? "open" : "closed";
    choices.set(key, chosen);
    const [oldest] = choices.keys();
    if (choices.size > CHOICES_KEPT && oldest !== undefined) choices.delete(oldest);
    setChoice(chosen);
  };
  if (choice === undefined && byDefault && stays) {
    choices.set(key, "kept");
    setChoice("kept");
  }
  const isOpen = choice === "kept" ? stays || byDefault : choice === "open";
  return [choice === undefined ? byDefault : isOpen, keep];
}

/** Whether the person has it open. */
export function isDisclosureOpen(key: string): boolean {
  const choice = choices.get(key);
  return choice === "open" || choice === "kept";
}
