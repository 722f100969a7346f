import type { Item, SessionView } from "@landline/protocol";
import { clsx } from "clsx";
import { memo, type ReactNode } from "react";
import { RequestRow } from "../requests/request-row.tsx";
import { ToolGroup } from "../tools/tool-group.tsx";
import { ToolRow } from "../tools/tool-row.tsx";
import { ErrorBoundary } from "../ui/error-boundary.tsx";
import { firstOf, type Row } from "./rows.ts";
import { MessageRow } from "./rows/message-row.tsx";
import {
  AgentExitedRow,
  AgentStartedRow,
  CompactionRow,
  ErrorRow,
  NoticeRow,
  SessionMessageRow,
  TurnEndedRow,
  UnknownRow,
} from "./rows/other-rows.tsx";
import { PromptRow } from "./rows/prompt-row.tsx";
import { ThoughtRow } from "./rows/thought-row.tsx";
import { TurnEndRow } from "./rows/turn-end-row.tsx";

export interface ThreadRowProps {
  readonly row: Row;
  /** The view that contains the row. */
  readonly view: SessionView;
  /** Whether the row may grow. */
  readonly isLive: boolean;
}

/** One row. It is rendered near the viewport; until then it has its last or estimated height. */
export const ThreadRow = memo(function ThreadRow({ row, view, isLive }: ThreadRowProps) {
  return (
    <div
      data-event={firstOf(row)}
      className={clsx(
        "px-3 transition-colors [content-visibility:auto] data-marked:rounded-card data-marked:bg-accent-soft medium:px-4",
        isLine(row)
          ? "py-px [contain-intrinsic-size:auto_1.875rem]"
          : "py-2 [contain-intrinsic-size:auto_6rem]",
      )}
    >
      <ErrorBoundary of={row}>{rowContent(row, view, isLive)}</ErrorBoundary>
    </div>
  );
}, isDrawn);

/** One-line rows have less space between them. */
function isLine(row: Row): boolean {
  if (row.type !== "item") return row.type === "tools";
  return lines.has(row.item.type);
}

const lines: ReadonlySet<Item["type"]> = new Set(["tool-call", "thought", "ask", "unknown"]);

/** The view changes with every event. Tool and request rows compare what they read from it themselves. */
function isDrawn(before: ThreadRowProps, after: ThreadRowProps): boolean {
  if (before.row !== after.row || before.isLive !== after.isLive) return false;
  return before.view === after.view || !readsView(after.row);
}

function readsView(row: Row): boolean {
  if (row.type !== "item") return row.type === "tools";
  return row.item.type === "tool-call" || row.item.type === "ask";
}

function rowContent(row: Row, view: SessionView, isLive: boolean): ReactNode {
  if (row.type === "tools") return <ToolGroup items={row.items} view={view} />;
  if (row.type === "turn-end") return <TurnEndRow row={row} />;
  if (row.item.type === "thought") {
    return <ThoughtRow item={row.item} until={row.until} isLive={isLive} />;
  }
  return itemContent(row.item, view, isLive);
}

function itemContent(item: Exclude<Item, { type: "thought" }>, view: SessionView, isLive: boolean) {
  switch (item.type) {
    case "prompt":
      return <PromptRow item={item} />;
    case "message":
      return <MessageRow item={item} isLive={isLive} />;
    case "tool-call":
      return <ToolRow item={item} view={view} />;
    case "ask":
      return <RequestRow item={item} view={view} />;
    case "turn-ended":
      return <TurnEndedRow item={item} />;
    case "notice":
      return <NoticeRow item={item} />;
    case "compaction":
      return <CompactionRow item={item} />;
    case "session-message":
      return <SessionMessageRow item={item} />;
    case "agent-started":
      return <AgentStartedRow item={item} />;
    case "agent-exited":
      return <AgentExitedRow item={item} />;
    case "error":
      return <ErrorRow item={item} />;
    case "unknown":
      return <UnknownRow item={item} />;
    default:
      return item satisfies never;
  }
}
