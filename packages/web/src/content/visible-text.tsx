import { Fragment } from "react";
import { visibleParts } from "./visible.ts";

/** Text in which characters that hide or reorder others are shown by their numbers. */
export function VisibleText({ text }: { readonly text: string }) {
  const parts = visibleParts(text);
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
