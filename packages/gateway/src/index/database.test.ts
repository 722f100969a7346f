import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
  closeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { limitsOf } from "@landline/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { setAside } from "./database.ts";
import { feed } from "../../test/index/feed.ts";
import { openIndexDatabase } from "./index-database.ts";
import { numbered, opened, prompt, says, turn, turnEnd } from "../../test/index/sample-events.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "landline-derived-"));
  path = join(folder, "derived.sqlite");
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A database with enough content that its middle is not a free page. */
async function fill(sessions = 200): Promise<void> {
  using indexDatabase = openIndexDatabase(path);
  for (let index = 0; index < sessions; index++) {
    const text = `message ${index} ${"with a lot of words ".repeat(20)}`;
    await feed(
      indexDatabase,
      `s${index}`,
      numbered([opened, prompt(text), turn(), says(text), turnEnd()]),
    );
  }
}

function overwrite(bytes: Buffer, at: number): void {
  const file = openSync(path, "r+");
  writeSync(file, bytes, 0, bytes.length, at);
  closeSync(file);
}

const contentOf = (place: string) =>
  readFileSync(statSync(place).isDirectory() ? join(place, "inside") : place);

const namesIn = () => readdirSync(folder).sort();

describe("a database that is missing", () => {
  it("is created, as a private file", async () => {
    using indexDatabase = openIndexDatabase(path);
    expect(indexDatabase.origin).toEqual({ how: "made" });
    await feed(indexDatabase, "s", numbered([opened]));
    for (const name of namesIn()) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    expect(namesIn()).toContain("derived.sqlite-wal");
  });

  it("is reported if it can't be created", async () => {
    writeFileSync(join(folder, "file"), "");
    for (const place of [
      join(folder, "file", "derived.sqlite"),
      join(folder, "no", "derived.sqlite"),
    ])
      expect(() => openIndexDatabase(place)).toThrow(
        expect.objectContaining({ code: "folder-unusable", data: { path: place } }),
      );
  });
});

describe("an intact database", () => {
  it("is opened with its content", async () => {
    await fill(3);
    using indexDatabase = openIndexDatabase(path);
    expect(indexDatabase.origin).toEqual({ how: "opened" });
    expect(indexDatabase.listSessions().sessions).toHaveLength(3);
    expect(namesIn().filter((name) => name.includes("damaged"))).toEqual([]);
  });

  it("is opened after its process was killed while it worked", async () => {
    const program = `
      const { openIndexDatabase } = await import(${JSON.stringify(new URL("index-database.ts", import.meta.url).href)});
      const { feed } = await import(${JSON.stringify(new URL("../../test/index/feed.ts", import.meta.url).href)});
      const indexDatabase = openIndexDatabase(${JSON.stringify(path)});
      for (let index = 0; ; index++) {
        await feed(indexDatabase, "s" + index, ${JSON.stringify(numbered([opened, prompt("killed")]))});
        if (index === 20) process.stdout.write("busy\\n");
      }`;
    const child = spawn(
      process.execPath,
      ["--conditions=@landline/source", "--input-type=module", "--eval", program],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    await once(child.stdout, "data");
    child.kill("SIGKILL");
    await once(child, "exit");
    using indexDatabase = openIndexDatabase(path);
    expect(indexDatabase.origin).toEqual({ how: "opened" });
    const { sessions } = indexDatabase.listSessions();
    expect(sessions.length).toBeGreaterThan(20);
    expect(new Set(sessions.map(({ head }) => head))).toEqual(new Set([2]));
    expect(indexDatabase.search("killed")).toHaveLength(sessions.length);
  });
});

describe("a database that is damaged or not Landline's", () => {
  const cases: Record<string, () => void | Promise<void>> = {
    "overwritten in the middle": async () => {
      await fill();
      const { size } = statSync(path);
      overwrite(Buffer.alloc(Math.floor(size / 4), 0xa5), Math.floor(size / 2));
    },
    "with garbage for a header": async () => {
      await fill(3);
      overwrite(Buffer.alloc(100, 0x5a), 0);
    },
    truncated: async () => {
      await fill();
      truncateSync(path, Math.floor(statSync(path).size / 2));
    },
    "a text file": () => writeFileSync(path, "Dear diary,\n".repeat(1_000)),
    "a short text file": () => writeFileSync(path, "x"),
    "a folder": () => {
      mkdirSync(path);
      writeFileSync(join(path, "inside"), "kept");
    },
    "another program's": () => {
      using database = closing(new DatabaseSync(path));
      database.exec("CREATE TABLE theirs (a); INSERT INTO theirs VALUES ('precious')");
    },
    "another program's, with its mark": () => {
      using database = closing(new DatabaseSync(path));
      database.exec("PRAGMA application_id = 77; PRAGMA user_version = 9");
    },
    "ours with a table missing": async () => {
      await fill(3);
      using database = closing(new DatabaseSync(path));
      database.exec("DROP TABLE audit");
    },
    "ours with a trigger that we did not make": async () => {
      await fill(3);
      using database = closing(new DatabaseSync(path));
      database.exec("CREATE TRIGGER evil AFTER INSERT ON calls BEGIN DELETE FROM sessions; END");
    },
  };

  it.each(Object.entries(cases))(
    "is moved aside unchanged, and created again: %s",
    async (_, make) => {
      await make();
      const before = contentOf(path);
      using indexDatabase = openIndexDatabase(path);
      if (indexDatabase.origin.how !== "replaced")
        throw new Error(`It was ${indexDatabase.origin.how}.`);
      expect(indexDatabase.origin.aside).toMatch(/derived\.sqlite\.damaged-\d{8}T\d+Z$/);
      expect(indexDatabase.origin.because).toMatch(/^it/);
      expect(contentOf(indexDatabase.origin.aside).equals(before)).toBe(true);
      expect(indexDatabase.listSessions().sessions).toEqual([]);
      await feed(indexDatabase, "s", numbered([opened, prompt("findable")]));
      expect(indexDatabase.search("findable")).toHaveLength(1);
    },
  );

  it("moves its side files too, and never replaces earlier ones", async () => {
    const asides = new Set<string>();
    for (let round = 0; round < 3; round++) {
      for (const suffix of ["", "-wal", "-shm"]) writeFileSync(path + suffix, `${round}${suffix}`);
      asides.add(setAside(path));
    }
    expect(asides.size).toBe(3);
    for (const [round, aside] of [...asides].entries()) {
      for (const suffix of ["", "-wal", "-shm"])
        expect(readFileSync(aside + suffix, "utf8")).toBe(`${round}${suffix}`);
    }
  });
});

describe("a database of an older version", () => {
  it("is emptied, and filled from the logs again", async () => {
    await fill(2);
    const database = new DatabaseSync(path);
    database.exec("PRAGMA user_version = 7; ALTER TABLE sessions ADD COLUMN turns INTEGER");
    database.close();
    using indexDatabase = openIndexDatabase(path);
    expect(indexDatabase.origin).toEqual({ how: "opened" });
    expect(indexDatabase.progress()).toEqual(new Map());
    expect(indexDatabase.search("message")).toEqual([]);
    await feed(indexDatabase, "s", numbered([opened, prompt("findable")]));
    expect(indexDatabase.search("findable")).toHaveLength(1);
  });
});

describe("a database of a newer version", () => {
  it("is refused and left unchanged", async () => {
    await fill(1);
    const database = new DatabaseSync(path);
    database.exec("PRAGMA user_version = 999; PRAGMA wal_checkpoint(TRUNCATE)");
    database.close();
    const before = readFileSync(path);
    expect(() => openIndexDatabase(path)).toThrow(
      expect.objectContaining({
        code: "database-newer",
        help: expect.stringContaining("landline doctor --rebuild") as string,
      }),
    );
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(namesIn().filter((name) => name.includes("damaged"))).toEqual([]);
  });
});

describe("a database that another process uses", () => {
  it("can be read and written by both", async () => {
    using indexDatabase = openIndexDatabase(path);
    const program = `
      const { openIndexDatabase } = await import(${JSON.stringify(new URL("index-database.ts", import.meta.url).href)});
      const { feed } = await import(${JSON.stringify(new URL("../../test/index/feed.ts", import.meta.url).href)});
      const indexDatabase = openIndexDatabase(${JSON.stringify(path)});
      for (let index = 0; index < 50; index++)
        await feed(indexDatabase, "other" + index, ${JSON.stringify(numbered([opened, prompt("theirs")]))});
      indexDatabase.close();`;
    const child = spawn(
      process.execPath,
      ["--conditions=@landline/source", "--input-type=module", "--eval", program],
      { stdio: ["ignore", "ignore", "inherit"] },
    );
    const ended = once(child, "exit") as Promise<[number]>;
    for (let index = 0; index < 50; index++) {
      await feed(indexDatabase, `ours${index}`, numbered([opened, prompt("ours")]));
      indexDatabase.search("theirs");
    }
    expect((await ended)[0]).toBe(0);
    expect(indexDatabase.search("theirs")).toHaveLength(50);
    expect(indexDatabase.search("ours")).toHaveLength(50);
  });

  it("is reported, and not treated as damaged, while it is locked", async () => {
    await fill(1);
    const holder = new DatabaseSync(path);
    holder.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
    const limits = limitsOf("default", { databaseBusyMs: 20 });
    expect(() => openIndexDatabase(path, { limits })).toThrow(
      expect.objectContaining({ code: "folder-locked" }),
    );
    holder.close();
    expect(namesIn()).toEqual(["derived.sqlite"]);
    using indexDatabase = openIndexDatabase(path, { limits });
    expect(indexDatabase.listSessions().sessions).toHaveLength(1);
  });
});

describe("a database that is full", () => {
  it("reports it, keeps its content, and continues when there is space", async () => {
    await fill(20);
    const databaseBytes = statSync(path).size + 64 * 1_024;
    using indexDatabase = openIndexDatabase(path, {
      limits: limitsOf("default", { databaseBytes }),
    });
    const bulky = numbered([
      opened,
      ...Array.from({ length: 20 }, (_, index) => prompt(uniqueWords(index), `p${index}`)),
    ]);
    await expect(feed(indexDatabase, "bulky", bulky)).rejects.toThrow(
      expect.objectContaining({ code: "disk-full", data: { path } }),
    );
    expect(indexDatabase.session("bulky")).toBeNull();
    expect(indexDatabase.search("message")).not.toEqual([]);
    for (let index = 0; index < 20; index++)
      expect(indexDatabase.deleteSession(`s${index}`)).toBe(true);
    await feed(indexDatabase, "small", numbered([opened, prompt("there is room")]));
    expect(indexDatabase.search("room")).toHaveLength(1);
  });
});

function uniqueWords(seed: number): string {
  return Array.from({ length: 1_500 }, (_, index) => `w${seed}x${index}`).join(" ");
}

function closing(database: DatabaseSync): DatabaseSync & Disposable {
  return Object.assign(database, { [Symbol.dispose]: () => database.close() });
}
