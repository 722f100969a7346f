import { useEffect, useMemo, useState } from "react";
import { highlight, highlighted, onHighlightRetry, type HighlightedLine } from "./highlight.ts";

interface Coloured {
  readonly text: string;
  readonly lines: readonly HighlightedLine[];
}

/** A stream that pauses for this long is highlighted before it continues. */
const restMs = 500;

/** The highlighted lines so far. While the text grows, those of the shorter text are used. */
export function useHighlight(
  text: string,
  language: string | null,
  isLive: boolean,
  isWanted: boolean,
): readonly HighlightedLine[] | null {
  const [coloured, setColoured] = useState<Coloured | null>(null);
  useEffect(() => {
    if (!isWanted || text === "") return undefined;
    const controller = new AbortController();
    const show = (lines: readonly HighlightedLine[]) => setColoured({ text, lines });
    const begin = async () => {
      const lines = await highlight(text, language, { signal: controller.signal, onLines: show });
      if (lines && !controller.signal.aborted) show(lines);
    };
    const timer = setTimeout(() => void begin(), isLive ? restMs : 0);
    const hearNoMore = onHighlightRetry(() => void begin());
    return () => {
      hearNoMore();
      clearTimeout(timer);
      controller.abort();
    };
  }, [text, language, isLive, isWanted]);
  const isNew = !isLive && coloured?.text !== text;
  const known = useMemo(
    () => (isNew ? highlighted(text, language) : null),
    [isNew, text, language],
  );
  if (known) return known;
  if (coloured === null || !text.startsWith(coloured.text)) return null;
  // The last line of the shorter text has grown.
  return coloured.text === text ? coloured.lines : coloured.lines.slice(0, -1);
}
