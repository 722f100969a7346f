import type { DatabaseSync } from "node:sqlite";
import type { Limits } from "@landline/protocol";
import { AskTable } from "./ask-table.ts";
import { AuditTable } from "./audit-table.ts";
import { DraftTable } from "./drafts.ts";
import { PassageTable } from "./passage-table.ts";
import { SessionTable } from "./session-table.ts";
import { SnapshotTable } from "./snapshot-table.ts";
import { TerminalTable } from "./terminal-table.ts";
import { ToolCallTable } from "./tool-calls.ts";

/** All tables of one database, each with its statements prepared. */
export interface Tables {
  readonly sessions: SessionTable;
  readonly asks: AskTable;
  readonly toolCalls: ToolCallTable;
  readonly terminals: TerminalTable;
  readonly drafts: DraftTable;
  readonly passages: PassageTable;
  readonly audit: AuditTable;
  readonly snapshots: SnapshotTable;
}

export function openTables(database: DatabaseSync, limits: Limits): Tables {
  return {
    sessions: new SessionTable(database),
    asks: new AskTable(database, limits.searchTextLength),
    toolCalls: new ToolCallTable(database),
    terminals: new TerminalTable(database),
    drafts: new DraftTable(database),
    passages: new PassageTable(database, limits),
    audit: new AuditTable(database, limits.searchTextLength),
    snapshots: new SnapshotTable(database),
  };
}
