import type { DatabaseSync } from "node:sqlite";
import { LandlineError } from "@landline/protocol";
import type { Migration } from "./schema.ts";

/** The version that the database was brought to last; 0 for an empty one. */
export function versionOf(database: DatabaseSync): number {
  return Number(database.prepare("PRAGMA user_version").get()?.["user_version"]);
}

/**
 * Brings the database to the newest version, one migration in one transaction: a process that is killed
 * in between goes on from where it was.
 */
export function migrate(database: DatabaseSync, migrations: readonly Migration[]): void {
  const newest = migrations.at(-1)?.version ?? 0;
  const found = versionOf(database);
  if (found > newest)
    throw new LandlineError("database-newer", {
      message: `The database has version ${found}, and this Landline knows versions up to ${newest}.`,
      data: { found, newest },
    });
  for (const { version, statements } of migrations) {
    if (version <= found) continue;
    inTransaction(database, () => {
      database.exec(statements);
      database.exec(`PRAGMA user_version = ${version}`);
    });
  }
}

/** All or nothing. */
export function inTransaction<Result>(database: DatabaseSync, action: () => Result): Result {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = action();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    // A full disk or a damaged file may have rolled back already.
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}
