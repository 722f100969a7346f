import type { DatabaseSync } from "node:sqlite";
import { LandlineError } from "@landline/protocol";
import type { Schema } from "./schema.ts";

/** The version of the database; 0 for an empty one. */
export function versionOf(database: DatabaseSync): number {
  return Number(database.prepare("PRAGMA user_version").get()?.["user_version"]);
}

/** Migrates the database to this version. A database of an older version is recreated, empty. */
export function migrate(database: DatabaseSync, schema: Schema): void {
  const found = versionOf(database);
  if (found > schema.version)
    throw new LandlineError("database-newer", {
      message: `The database has version ${found}, and this Landline knows versions up to ${schema.version}.`,
      data: { found, newest: schema.version },
    });
  if (found < schema.version) recreateTables(database, schema);
}

/** Drops and recreates all tables. Deleting the rows would remove every word from the search index one by one. */
export function recreateTables(database: DatabaseSync, { version, statements }: Schema): void {
  inTransaction(database, () => {
    const tables = database
      .prepare(
        `SELECT list.name FROM pragma_table_list AS list JOIN sqlite_schema ON sqlite_schema.name = list.name
         WHERE list.type IN ('virtual', 'table') ORDER BY sqlite_schema.rowid DESC`,
      )
      .all();
    // In reverse order of creation, because of references.
    for (const { name } of tables) database.exec(`DROP TABLE "${String(name)}"`);
    database.exec(statements);
    database.exec(`PRAGMA user_version = ${version}`);
  });
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
