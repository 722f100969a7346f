import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { inTransaction, migrate, versionOf } from "./migrate.ts";
import { migrations, type Migration } from "./schema.ts";

const synthetic: readonly Migration[] = [
  { version: 1, statements: "CREATE TABLE words (word TEXT) STRICT" },
  { version: 2, statements: "ALTER TABLE words ADD COLUMN seen INTEGER NOT NULL DEFAULT 7" },
  { version: 3, statements: "CREATE TABLE more (a TEXT) STRICT; INSERT INTO more VALUES ('x')" },
];

const tablesOf = (database: DatabaseSync) =>
  database.prepare("SELECT name, sql FROM sqlite_schema ORDER BY name").all();

describe("migrations", () => {
  it("lead from every earlier version to the same tables, and keep what is there", () => {
    const straight = new DatabaseSync(":memory:");
    migrate(straight, synthetic);
    for (const version of [1, 2, 3]) {
      const database = new DatabaseSync(":memory:");
      migrate(database, synthetic.slice(0, version));
      expect(versionOf(database)).toBe(version);
      database.exec("INSERT INTO words (word) VALUES ('kept')");
      migrate(database, synthetic);
      expect(versionOf(database)).toBe(3);
      expect(tablesOf(database)).toEqual(tablesOf(straight));
      expect(database.prepare("SELECT * FROM words").all()).toEqual([{ word: "kept", seen: 7 }]);
      expect(database.prepare("SELECT * FROM more").all()).toEqual([{ a: "x" }]);
    }
  });

  it("refuse a database that a newer version wrote, and leave it as it is", () => {
    const database = new DatabaseSync(":memory:");
    migrate(database, synthetic);
    expect(() => migrate(database, synthetic.slice(0, 2))).toThrow(
      expect.objectContaining({ code: "database-newer", data: { found: 3, newest: 2 } }),
    );
    expect(versionOf(database)).toBe(3);
  });

  it("stop at the one that fails, with the earlier ones done", () => {
    const database = new DatabaseSync(":memory:");
    const broken = { version: 2, statements: "CREATE TABLE half (a TEXT); SELECT nonsense" };
    expect(() => migrate(database, [synthetic[0]!, broken])).toThrow("nonsense");
    expect(versionOf(database)).toBe(1);
    expect(tablesOf(database)).toHaveLength(1);
    migrate(database, synthetic);
    expect(versionOf(database)).toBe(3);
  });

  it.each([4, 5])("of ours read all sessions again that version %i has", (version) => {
    const database = new DatabaseSync(":memory:");
    migrate(database, migrations.slice(0, 4));
    database.exec(`
      INSERT INTO sessions (id, applied, deleted, agent, cwd, roots, last_at, turn, open_asks, prompts, turns, tool_calls, errors)
        VALUES ('s', 9, 0, 'a', '/', '[]', 1, 'idle', 0, 0, 0, 0, 0);
      PRAGMA user_version = ${version};
    `);
    migrate(database, migrations);
    expect(database.prepare("SELECT id FROM sessions").all()).toEqual([]);
  });

  it("of ours are numbered from 1 without holes", () => {
    expect(migrations.map(({ version }) => version)).toEqual(
      migrations.map((_, index) => index + 1),
    );
  });
});

describe("a transaction", () => {
  it("is all or nothing", () => {
    const database = new DatabaseSync(":memory:");
    migrate(database, synthetic);
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
