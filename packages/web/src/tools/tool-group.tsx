import type { SessionView, ToolCallItem } from "@landline/protocol";
import { memo, useId, useMemo } from "react";
import { callState } from "./call-state.ts";
import { toolGroupText } from "./tool-group-text.ts";
import { ToolKindIcon } from "./tool-kind-icon.tsx";
import { useDisclosure, isDisclosureOpen } from "./use-disclosure.ts";
import { RunningIndicator } from "./running-indicator.tsx";
import { isSameRowData } from "./tool-row-data.ts";
import { disclosureKey, ToolRow } from "./tool-row.tsx";
import { Chevron } from "../ui/chevron.tsx";

export interface ToolGroupProps {
  readonly items: readonly ToolCallItem[];
  readonly view: SessionView;
}

/** Consecutive reads and searches as one row that opens. */
export const ToolGroup = memo(
  function ToolGroup({ items, view }: ToolGroupProps) {
    const [first] = items;
    const firstKey = first === undefined ? "" : disclosureKey(first);
    // A row that was open stays open when it becomes part of a group.
    const [isOpen, setOpen] = useDisclosure(`group ${firstKey}`, isDisclosureOpen(firstKey), true);
    const id = useId();
    const words = useMemo(() => toolGroupText(items), [items]);
    const states = items.map(callState);
    const failed = states.filter(({ isBad }) => isBad).length;
    const isReading = items.some(({ kind }) => kind === "read");
    return (
      <div className="min-w-0">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
          className="touchable flex w-full min-w-0 items-center gap-2 rounded-input py-1 text-left text-sm hover:bg-raised"
        >
          <ToolKindIcon kind={isReading ? "read" : "search"} />
          <span className="min-w-0 grow truncate">{words}</span>
          {failed > 0 ? (
            <span className="shrink-0 text-xs font-medium text-bad">{failed} failed</span>
          ) : null}
          <Chevron isOpen={isOpen} />
        </button>
        {states.some((state) => state.isOpen) ? <RunningIndicator /> : null}
        <div id={id} hidden={!isOpen} className="pl-6">
          {isOpen ? items.map((item) => <ToolRow key={item.key} item={item} view={view} />) : null}
        </div>
      </div>
    );
  },
  (before, after) =>
    before.items.length === after.items.length &&
    before.items.every((item, at) => item === after.items[at]) &&
    after.items.every((item) => isSameRowData(before.view, after.view, item)),
);
