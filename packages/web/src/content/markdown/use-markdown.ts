import { useEffect, useMemo, useReducer, useState } from "react";
import { collectDefinitions } from "./definitions.ts";
import type { ShownBlock } from "./block-groups.ts";
import { PacedParser } from "./paced-parser.ts";
import type { ParseState } from "./incremental-parse.ts";
import { repairedTail } from "./repair-tail.ts";
import { parseWhole } from "./parse-whole.ts";

export interface ParsedMarkdown {
  readonly reading: ParseState;
  readonly tail: readonly ShownBlock[];
  /** Whether the text may grow or is not completely parsed. */
  readonly isOpen: boolean;
}

/** Longer texts are not parsed again as a whole: references across pieces stay unresolved. */
const wholeLength = 500_000;

/** Parses a text as it grows, at a pace that keeps the page responsive. */
export function useMarkdown(text: string, isLive: boolean): ParsedMarkdown {
  const [reader] = useState(() => new PacedParser());
  const [, readAgain] = useReducer((count: number) => count + 1, 0);
  const reading = reader.read(text, isLive);
  const [length, readLength] = [text.length, reading.text.length];
  const isRead = length === readLength;
  useEffect(() => {
    if (length === readLength) return undefined;
    return reader.afterRest(readAgain);
  }, [reader, length, readLength]);
  const whole = useWhole(reading, isRead && !isLive);
  const shown = whole ?? reading;
  const tail = useMemo(() => (isLive ? repairedTail(shown) : shown.tail), [shown, isLive]);
  return { reading: shown, tail, isOpen: isLive || !isRead };
}

/** Parses the complete text at once if references may cross pieces. */
function useWhole(reading: ParseState, isDone: boolean): ParseState | null {
  const [whole, setWhole] = useState<ParseState | null>(null);
  const isWanted = isDone && needsWhole(reading);
  const { text } = reading;
  useEffect(() => {
    if (!isWanted) return undefined;
    return whenIdle(() => setWhole(parseWhole(text)));
  }, [isWanted, text]);
  return isWanted && whole?.text === text ? whole : null;
}

function needsWhole({ passes, text, tail, definitions, hasReferences }: ParseState): boolean {
  if (passes < 2 || text.length > wholeLength) return false;
  return hasReferences || collectDefinitions(tail, definitions).hasReferences;
}

function whenIdle(work: () => void): () => void {
  if (typeof requestIdleCallback !== "function") {
    const timer = setTimeout(work, 200);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(work, { timeout: 2_000 });
  return () => cancelIdleCallback(handle);
}
