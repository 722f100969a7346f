import { useEffect, useMemo, useReducer, useState } from "react";
import { collectDefinitions } from "./definitions.ts";
import type { ShownBlock } from "./groups.ts";
import { Reader } from "./reader.ts";
import type { Reading } from "./reading.ts";
import { repairedTail } from "./repair.ts";
import { readWhole } from "./whole.ts";

export interface ShownReading {
  readonly reading: Reading;
  readonly tail: readonly ShownBlock[];
  /** Whether more may come, of the text or of what was not read yet. */
  readonly isOpen: boolean;
}

/** Longer texts stay as they were read: a reference over the border of a piece is shown as it was written. */
const wholeLength = 500_000;

/** A text as blocks: it is read on as it grows, never faster than the page can bear. */
export function useReading(text: string, isLive: boolean): ShownReading {
  const [reader] = useState(() => new Reader());
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

/** The text parsed at once when nothing more comes and something in it may refer from one piece to another. */
function useWhole(reading: Reading, isDone: boolean): Reading | null {
  const [whole, setWhole] = useState<Reading | null>(null);
  const isWanted = isDone && needsWhole(reading);
  const { text } = reading;
  useEffect(() => {
    if (!isWanted) return undefined;
    return whenIdle(() => setWhole(readWhole(text)));
  }, [isWanted, text]);
  return isWanted && whole?.text === text ? whole : null;
}

function needsWhole({ passes, text, tail, definitions, hasReferences }: Reading): boolean {
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
