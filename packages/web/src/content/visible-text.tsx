import { Fragment } from "react";
import { splitAtInvisible } from "./invisible-characters.ts";

export interface VisibleTextProps {
  readonly text: string;
  readonly isProse?: boolean;
}

/** Shows invisible and reordering characters as code points. */
export function VisibleText({ text, isProse = false }: VisibleTextProps) {
  const parts = splitAtInvisible(text, isProse);
  if (parts === null) return text;
  let at = 0;
  return parts.map((part) => {
    const key = at;
    at += part.text.length;
    return part.name === null ? (
      <Fragment key={key}>{part.text}</Fragment>
    ) : (
      <span
        key={key}
        title={`Hidden character ${part.name}`}
        className="mx-px rounded-input bg-ask-soft px-0.5 text-xs text-ask"
      >
        {part.name}
      </span>
    );
  });
}
