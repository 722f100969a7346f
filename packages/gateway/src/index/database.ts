import { closeSync, existsSync, openSync, renameSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { LandlineError, type Limits } from "@landline/protocol";
import { hasErrorCode, isDiskFull } from "@landline/system/error-code";
import { inTransaction, migrate, versionOf } from "./migrate.ts";
import { databaseError, isDamage } from "./database-error.ts";
import { applicationId, type Schema } from "./schema.ts";

/** How the database was opened. Unless `opened`, it is empty and must be filled from the logs. */
export type Origin =
  | { readonly how: "opened" }
  | { readonly how: "made" }
  /** The existing file was unusable and was moved aside. */
  | { readonly how: "replaced"; readonly aside: string; readonly because: string };

export interface OpenedDatabase {
  readonly database: DatabaseSync;
  readonly origin: Origin;
}

/**
 * Opens and migrates the database. A damaged or foreign file is moved aside, never deleted. A file that is from a newer
 * version, is locked or is inaccessible stays unchanged and is an error.
 */
export function openDatabase(
  path: string,
  schema: Schema,
  limits: Pick<Limits, "databaseBusyMs" | "databaseBytes">,
): OpenedDatabase {
  const existed = path !== ":memory:" && existsSync(path);
  try {
    return {
      database: attemptOpen(path, schema, limits),
      origin: { how: existed ? "opened" : "made" },
    };
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
    const aside = setAside(path);
    return {
      database: attemptOpen(path, schema, limits),
      origin: { how: "replaced", aside, because: error.message },
    };
  }
}

/** Opens another connection to a database that this process has open, without checking it again. */
export function joinDatabase(
  path: string,
  limits: Pick<Limits, "databaseBusyMs" | "databaseBytes">,
): DatabaseSync {
  if (!existsSync(path))
    throw new LandlineError("folder-unusable", {
      message: `The database ${path} no longer exists.`,
      help: "Restart Landline: it rebuilds the database from the logs, which are intact.",
      data: { path },
    });
  const database = connect(path, limits);
  try {
    configure(database, limits.databaseBytes);
    return database;
  } catch (error) {
    database.close();
    throw databaseError(error, path);
  }
}

/** Moves a database and its side files aside and returns the new name. */
export function setAside(path: string): string {
  const stamp = new Date().toISOString().replaceAll(/[-:.]/g, "");
  let aside = `${path}.damaged-${stamp}`;
  for (let count = 2; existsSync(aside); count++) aside = `${path}.damaged-${stamp}-${count}`;
  try {
    for (const suffix of ["", "-wal", "-shm"])
      if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix);
  } catch (error) {
    throw new LandlineError("folder-unusable", {
      message: `The database ${path} can't be used, and could not be moved to ${aside}.`,
      data: { path },
      cause: error,
    });
  }
  return aside;
}

/** The file must be replaced. Internal to this module. */
class Unusable extends Error {}

function attemptOpen(
  path: string,
  schema: Schema,
  limits: Pick<Limits, "databaseBusyMs" | "databaseBytes">,
): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    makePrivateFile(path);
    database = connect(path, limits);
    mustBeOurs(database);
    mustBeWhole(database);
    configure(database, limits.databaseBytes);
    migrate(database, schema);
    mustHaveSchema(database, schema);
    return database;
  } catch (error) {
    database?.close();
    if (error instanceof Unusable || error instanceof LandlineError) throw error;
    if (isDamage(error)) throw new Unusable("it is damaged", { cause: error });
    throw databaseError(error, path);
  }
}

function connect(path: string, { databaseBusyMs }: Pick<Limits, "databaseBusyMs">): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: databaseBusyMs, defensive: true });
  // Set before any read, so that a hostile file cannot run functions or crash SQLite.
  database.exec("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON");
  return database;
}

/** One page of the smallest size. */
const smallestDatabase = 512;

/** SQLite would create a file that others can read. Side files get the mode of this file. */
function makePrivateFile(path: string): void {
  if (path === ":memory:") return;
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if (isDiskFull(error))
      throw new LandlineError("disk-full", {
        message: `There is no disk space for the database ${path}.`,
        data: { path },
        cause: error,
      });
    // SQLite reports other errors when it opens the file.
    if (!hasErrorCode(error, "EEXIST")) return;
    const status = statSync(path);
    if (status.isDirectory()) throw new Unusable("it is a folder");
    // SQLite treats a file of a few bytes as empty.
    if (status.size > 0 && status.size < smallestDatabase)
      throw new Unusable("it is not a database");
  }
}

function mustBeOurs(database: DatabaseSync): void {
  const id = Number(database.prepare("PRAGMA application_id").get()?.["application_id"]);
  if (id === applicationId) return;
  if (id !== 0 || versionOf(database) !== 0 || schemaOf(database) !== "")
    throw new Unusable("it is another program's database");
  inTransaction(database, () => database.exec(`PRAGMA application_id = ${applicationId}`));
}

function mustBeWhole(database: DatabaseSync): void {
  const found = database.prepare("PRAGMA quick_check(1)").get()?.["quick_check"];
  if (found !== "ok") throw new Unusable("it is damaged");
}

function configure(database: DatabaseSync, bytes: number | null): void {
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  // Pages that change often are copied from the write-ahead log once for 16 MB of it, and not for 4 MB.
  database.exec("PRAGMA wal_autocheckpoint = 4096; PRAGMA journal_size_limit = 16777216");
  database.exec("PRAGMA foreign_keys = ON");
  // Overwrites deleted data, so that `delete` erases it.
  database.exec("PRAGMA secure_delete = ON");
  if (bytes === null) return;
  const pageBytes = Number(database.prepare("PRAGMA page_size").get()?.["page_size"]);
  database.exec(`PRAGMA max_page_count = ${Math.max(1, Math.floor(bytes / pageBytes))}`);
}

/** Rejects any schema that differs, for example by an additional trigger. */
function mustHaveSchema(database: DatabaseSync, schema: Schema): void {
  const fresh = new DatabaseSync(":memory:");
  try {
    migrate(fresh, schema);
    if (schemaOf(database) !== schemaOf(fresh))
      throw new Unusable("its tables are not those of Landline");
  } finally {
    fresh.close();
  }
}

function schemaOf(database: DatabaseSync): string {
  return database
    .prepare("SELECT type || ' ' || name || ' ' || ifnull(sql, '') AS line FROM sqlite_schema")
    .all()
    .map((row) => String(row["line"]))
    .sort()
    .join("\n");
}
