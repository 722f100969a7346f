import type { SessionView, Subagent } from "@landline/protocol";
import { useMemo, useState } from "react";
import { Button } from "../ui/button.tsx";
import { withoutDetachedMessages } from "./thread-parts.ts";
import { ThreadRow } from "./thread-row.tsx";
import { useRows } from "./use-rows.ts";

export interface SubagentThreadProps {
  readonly subagent: Subagent;
  /** The view that contains the subagent. */
  readonly view: SessionView;
}

const rowsAtFirst = 40;

/** The thread of a subagent: the same rows, indented. */
export function SubagentThread({ subagent, view }: SubagentThreadProps) {
  const [shown, setShown] = useState(rowsAtFirst);
  const { trimmed } = subagent;
  const items = useMemo(
    () => withoutDetachedMessages(subagent.items, trimmed?.before ?? 0),
    [subagent.items, trimmed],
  );
  const notLoaded = (trimmed?.items ?? 0) + subagent.items.length - items.length;
  const latest = useMemo(() => items.slice(-shown), [items, shown]);
  const parts = useRows([{ key: "all", view, items: latest, opening: null, goesOn: false }]);
  const rows = parts[0]?.rows.rows ?? [];
  const isLive = view.turn.state !== "idle" && !ended.has(subagent.state);
  const last = rows.at(-1);
  return (
    <div className="border-l border-line pl-1">
      {items.length > shown ? (
        <Button variant="quiet" className="text-xs" onClick={() => setShown(shown + rowsAtFirst)}>
          Show {Math.min(rowsAtFirst, items.length - shown)} earlier
        </Button>
      ) : notLoaded === 0 ? null : (
        <p className="px-3 text-xs text-soft">{notLoaded} earlier are not loaded.</p>
      )}
      {items.length === 0 ? <p className="px-3 text-sm text-soft">No messages yet.</p> : null}
      {rows.map((row) => (
        <ThreadRow key={row.key} row={row} view={view} isLive={isLive && row === last} />
      ))}
    </div>
  );
}

const ended: ReadonlySet<string> = new Set([
  "completed",
  "failed",
  "cancelled",
  "unfinished",
  "idle",
]);
