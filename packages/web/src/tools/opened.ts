import { useState } from "react";

/** What a person opened or closed, kept while the page lives; the oldest choices go first. */
const choices = new Map<string, boolean>();
const CHOICES_KEPT = 2_000;

/**
 * Whether something is open: as the person left it, else `byDefault`, which may change with what is shown.
 * `stays`: what was open by default stays so, because nothing that is being read should fold up by itself.
 */
export function useOpened(
  key: string,
  byDefault: boolean,
  stays = false,
): readonly [isOpen: boolean, setOpen: (isOpen: boolean) => void] {
  const [choice, setChoice] = useState(() => choices.get(key));
  const keep = (isOpen: boolean) => {
    choices.delete(key);
    choices.set(key, isOpen);
    const [oldest] = choices.keys();
    if (choices.size > CHOICES_KEPT && oldest !== undefined) choices.delete(oldest);
    setChoice(isOpen);
  };
  if (choice === undefined && byDefault && stays) {
    choices.set(key, true);
    setChoice(true);
  }
  return [choice ?? byDefault, keep];
}

/** Whether the person has it open. */
export function wasOpened(key: string): boolean {
  return choices.get(key) === true;
}
