import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { inTransaction, migrate, versionOf } from "./migrate.ts";
import { schema, type Schema } from "./schema.ts";

const older: Schema = {
  version: 1,
  statements: `CREATE TABLE words (word TEXT PRIMARY KEY) STRICT;
    CREATE TABLE uses (word TEXT REFERENCES words (word)) STRICT;
    CREATE VIRTUAL TABLE found USING fts5(text);
    CREATE TRIGGER used AFTER INSERT ON uses BEGIN INSERT INTO found (text) VALUES (new.word); END`,
};

const tablesOf = (database: DatabaseSync) =>
  database.prepare("SELECT name, sql FROM sqlite_schema ORDER BY name").all();

describe("a database of an older version", () => {
  it("is created again, and empty", () => {
    const database = new DatabaseSync(":memory:");
    migrate(database, older);
    database.exec("INSERT INTO words VALUES ('old'); INSERT INTO uses VALUES ('old')");
    migrate(database, schema);
    const fresh = new DatabaseSync(":memory:");
    migrate(fresh, schema);
    expect(tablesOf(database)).toEqual(tablesOf(fresh));
    expect(versionOf(database)).toBe(schema.version);
  });

  it("stays unchanged if that fails", () => {
    const database = new DatabaseSync(":memory:");
    migrate(database, older);
    const before = tablesOf(database);
    const broken = { version: 2, statements: "CREATE TABLE half (a TEXT); SELECT nonsense" };
    expect(() => migrate(database, broken)).toThrow("nonsense");
    expect(versionOf(database)).toBe(1);
    expect(tablesOf(database)).toEqual(before);
  });
});

it("refuses a database that a newer version wrote, and leaves it unchanged", () => {
  const database = new DatabaseSync(":memory:");
  migrate(database, { ...older, version: 3 });
  expect(() => migrate(database, { ...older, version: 2 })).toThrow(
    expect.objectContaining({ code: "database-newer", data: { found: 3, newest: 2 } }),
  );
  expect(versionOf(database)).toBe(3);
});

describe("a transaction", () => {
  it("is all or nothing", () => {
    const database = new DatabaseSync(":memory:");
    migrate(database, older);
    expect(() =>
      inTransaction(database, () => {
        database.exec("INSERT INTO words (word) VALUES ('lost')");
        throw new Error("in between");
      }),
    ).toThrow("in between");
    expect(database.prepare("SELECT count(*) AS count FROM words").get()).toEqual({ count: 0 });
    expect(inTransaction(database, () => 5)).toBe(5);
  });
});
