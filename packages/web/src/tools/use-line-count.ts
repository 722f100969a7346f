import type { ToolCallItem } from "@landline/protocol";
import { useEffect, useState } from "react";
import { changesOf } from "./call-changes.ts";
import { countOfItem, knownCount, type LineCount } from "./line-count.ts";

/** How many lines a call adds and removes; null while unknown or if it changes none. */
export function useLineCount(item: ToolCallItem): LineCount | null {
  const [, setCounted] = useState<ToolCallItem | null>(null);
  const hasChanges = changesOf(item).length > 0;
  useEffect(() => {
    if (!hasChanges || knownCount(item) !== undefined) return undefined;
    let isMounted = true;
    void countOfItem(item).then(() => isMounted && setCounted(item));
    return () => {
      isMounted = false;
    };
  }, [item, hasChanges]);
  return hasChanges ? (knownCount(item) ?? null) : null;
}
