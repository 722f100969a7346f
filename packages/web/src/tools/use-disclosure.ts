import { useState } from "react";

/** `kept`: open by default once, and so it stays. */
type Choice = "open" | "closed" | "kept";

/** What a person opened or closed, kept while the page lives; the oldest choices go first. */
const choices = new Map<string, Choice>();
const CHOICES_KEPT = 2_000;

/**
 * Whether something is open: as the person left it, else `byDefault`, which may change with what is shown.
 * `stays`: what was open by default stays so for as long as this holds, because nothing that is being read should
 * fold up by itself.
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
