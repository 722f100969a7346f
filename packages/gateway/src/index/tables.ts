import type { DatabaseSync } from "node:sqlite";
import type { Limits } from "@landline/protocol";
import { AuditTable } from "./audit-table.ts";
import { CallTable } from "./call-table.ts";
import { PassageTable } from "./passage-table.ts";
import { SessionTable } from "./session-table.ts";
import { SnapshotTable } from "./snapshot-table.ts";

/** All tables of one database, each with its statements prepared. */
export interface Tables {
  readonly sessions: SessionTable;
  readonly calls: CallTable;
  readonly passages: PassageTable;
  readonly audit: AuditTable;
  readonly snapshots: SnapshotTable;
}

export function openTables(database: DatabaseSync, limits: Limits): Tables {
  return {
    sessions: new SessionTable(database),
    calls: new CallTable(database),
    passages: new PassageTable(database, limits),
    audit: new AuditTable(database, limits.searchTextLength),
    snapshots: new SnapshotTable(database),
  };
}
