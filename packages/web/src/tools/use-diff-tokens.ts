import "../content/code.css";
import { useMemo } from "react";
import { languageOfPath } from "../content/highlight/languages.ts";
import { useHighlight } from "../content/use-highlight.ts";
import type { DiffTokens } from "./diff-line.tsx";

/** The syntax colours of both texts, as they become available. */
export function useDiffTokens(path: string, oldText: string, newText: string): DiffTokens {
  const language = languageOfPath(path);
  const before = useHighlight(oldText, language, false, true);
  const after = useHighlight(newText, language, false, true);
  return useMemo(() => ({ old: before, new: after }), [before, after]);
}
