import type { ComponentProps } from "react";

export interface ScrollPreProps extends ComponentProps<"pre"> {
  /** Read out. */
  readonly name: string;
}

/** What scrolls has to be reached by the keyboard. */
const reachable = { role: "region", tabIndex: 0 } as const;

/** Output that scrolls inside itself. */
export function ScrollPre({ name, ...rest }: ScrollPreProps) {
  return <pre {...reachable} aria-label={name} {...rest} />;
}
