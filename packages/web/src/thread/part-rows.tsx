import type { SessionView } from "@landline/protocol";
import { memo } from "react";
import type { Rows } from "./rows.ts";
import { ThreadRow } from "./thread-row.tsx";

export interface PartRowsProps {
  readonly view: SessionView;
  readonly rows: Rows;
  /** Whether its last row may grow. */
  readonly isLive: boolean;
}

/** The rows of one part. Parts before the live one never change. */
export const PartRows = memo(function PartRows({ view, rows, isLive }: PartRowsProps) {
  const last = rows.rows.at(-1);
  return rows.rows.map((row) => (
    <ThreadRow key={row.key} row={row} view={view} isLive={isLive && row === last} />
  ));
});
