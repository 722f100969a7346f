import type { ComponentProps } from "react";

export interface ScrollPreProps extends ComponentProps<"pre"> {
  /** The accessible name. */
  readonly name: string;
}

/** A scroll region must be focusable. It is no landmark, because a conversation has many. */
const reachable = { role: "group", tabIndex: 0 } as const;

/** Output with its own scroll bar. */
export function ScrollPre({ name, ...rest }: ScrollPreProps) {
  return <pre {...reachable} aria-label={name} {...rest} />;
}
