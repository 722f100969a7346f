import { useState } from "react";
import type { Part } from "./thread-parts.ts";
import { growRows, noRows, type Rows } from "./rows.ts";

export interface PartWithRows {
  readonly part: Part;
  readonly rows: Rows;
}

interface Memory {
  readonly part: Part;
  readonly rows: Rows;
}

/** The rows of each part, built on the previous ones. */
export function useRows(parts: readonly Part[]): readonly PartWithRows[] {
  const [memory] = useState(() => new Map<string, Memory>());
  return growIn(memory, parts);
}

function growIn(memory: Map<string, Memory>, parts: readonly Part[]): readonly PartWithRows[] {
  const grown = parts.map((part) => {
    const before = memory.get(part.key);
    const isSame = isSamePart(before?.part, part);
    return {
      part,
      rows:
        before && isSame
          ? before.rows
          : growRows(before?.rows ?? noRows, part.items, part.opening, part.goesOn),
    };
  });
  memory.clear();
  for (const entry of grown) memory.set(entry.part.key, entry);
  return grown;
}

function isSamePart(before: Part | undefined, part: Part): boolean {
  if (before?.items !== part.items) return false;
  return before.opening === part.opening && before.goesOn === part.goesOn;
}
