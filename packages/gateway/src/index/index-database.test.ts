import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { emptyView, fold, limitsOf, type EventBody } from "@landline/protocol";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { feed, finishMessages } from "../../test/index/feed.ts";
import { openIndexDatabase, type IndexDatabase } from "./index-database.ts";
import {
  conversation,
  numbered,
  opened,
  permission,
  prompt,
  says,
  toolCall,
  turn,
  turnEnd,
  update,
} from "../../test/index/sample-events.ts";

let folder: string;
let path: string;
let indexDatabase: IndexDatabase;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "landline-derived-"));
  path = join(folder, "derived.sqlite");
  indexDatabase = openIndexDatabase(path);
});

afterEach(() => {
  indexDatabase.close();
  rmSync(folder, { recursive: true, force: true });
});

const found = (text: string) => indexDatabase.search(text).map(({ snippet }) => snippet.text);

describe("applied events", () => {
  it("create a session in the list", async () => {
    await feed(indexDatabase, "s", numbered(conversation));
    expect(indexDatabase.session("s")).toEqual({
      sessionId: "s",
      agent: "held",
      cwd: "/repo",
      roots: ["/repo"],
      title: null,
      firstPrompt: "Please rename the helper",
      hasFailed: false,
      parent: null,
      openedAt: 1_001,
      closedAt: null,
      lastAt: 1_008,
      state: "needs-answer",
      head: 8,
    });
    expect(indexDatabase.session("other")).toBeNull();
  });

  it("make its title searchable, as the list shows it", async () => {
    const titled = (title: unknown) => update({ sessionUpdate: "session_info_update", title });
    await feed(indexDatabase, "s", numbered([opened, titled("By agent")]));
    expect(found("agent")).toEqual(["By agent"]);
    await feed(
      indexDatabase,
      "s",
      numbered([{ kind: "session-changed", title: null, by: "x" }], 3),
    );
    expect(found("agent")).toEqual([]);
    await feed(indexDatabase, "s", numbered([titled("Long ".repeat(1_000))], 4));
    expect(indexDatabase.session("s")?.title).toHaveLength(1_000);
    expect(found("long")).toHaveLength(1);
    expect(indexDatabase.titlesBeginning("Long L")).toHaveLength(1);
  });

  it("are ignored if they are already applied, and refused if one is missing", async () => {
    const events = numbered(conversation);
    await feed(indexDatabase, "s", events.slice(0, 5));
    await feed(indexDatabase, "s", events.slice(0, 5));
    await feed(indexDatabase, "s", events.slice(2));
    await feed(indexDatabase, "s", []);
    expect(indexDatabase.applied("s")).toBe(8);
    expect(indexDatabase.audit().entries).toHaveLength(1);
    await expect(feed(indexDatabase, "s", numbered([turnEnd()], 10))).rejects.toThrow(
      expect.objectContaining({
        code: "internal-error",
        data: { sessionId: "s", expected: 9, found: 10 },
      }),
    );
    await expect(feed(indexDatabase, "t", numbered([opened, turnEnd()], 2))).rejects.toThrow(
      "expected event 1, found 2",
    );
    expect(indexDatabase.session("t")).toBeNull();
  });

  it("may be of unknown kinds, or have odd times", async () => {
    await feed(indexDatabase, "s", [
      { seq: 1, at: 0.5, kind: "from-the-future", what: { ever: 1 } },
      { seq: 2, at: 1e300, kind: "session-closed", by: "x" },
    ]);
    expect(indexDatabase.session("s")).toMatchObject({ head: 2, lastAt: Number.MAX_SAFE_INTEGER });
  });
});

describe("the list of sessions", () => {
  it("has the latest first, paged, by folder and by parent", async () => {
    for (let index = 0; index < 7; index++) {
      const cwd = index % 2 === 0 ? "/even" : "/odd";
      const parent = index === 3 ? "s0" : null;
      await feed(
        indexDatabase,
        `s${index}`,
        numbered([{ ...opened, cwd, parent } as EventBody], 1),
      );
      await feed(indexDatabase, `s${index}`, [
        { seq: 2, at: 5_000 - index, kind: "session-closed", by: "x" },
      ]);
    }
    const pages: string[][] = [];
    let cursor: string | null = null;
    do {
      const page = indexDatabase.listSessions({ limit: 3, ...(cursor === null ? {} : { cursor }) });
      pages.push(page.sessions.map(({ sessionId }) => sessionId));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(pages).toEqual([["s0", "s1", "s2"], ["s3", "s4", "s5"], ["s6"]]);
    const ids = (query: object) =>
      indexDatabase.listSessions(query).sessions.map(({ sessionId }) => sessionId);
    expect(ids({ cwd: "/odd" })).toEqual(["s1", "s3", "s5"]);
    expect(ids({ parent: "s0" })).toEqual(["s3"]);
    expect(ids({ parent: "s0", cwd: "/even" })).toEqual([]);
    expect(() => indexDatabase.listSessions({ cursor: "x" })).toThrow("The cursor is not valid");
    expect(() => indexDatabase.listSessions({ limit: 0 })).toThrow("limit must be");
  });

  it("distinguishes sessions of the same time", async () => {
    for (const id of ["a", "b", "c"]) await feed(indexDatabase, id, numbered([opened]));
    const first = indexDatabase.listSessions({ limit: 2 });
    const second = indexDatabase.listSessions({ limit: 2, cursor: first.nextCursor ?? "" });
    expect([...first.sessions, ...second.sessions].map(({ sessionId }) => sessionId)).toEqual([
      "c",
      "b",
      "a",
    ]);
  });
});

describe("questions", () => {
  it("are audited without the answers", async () => {
    const question = {
      kind: "ask-opened",
      askId: "q",
      ask: "question",
      request: { mode: "form", message: "Your key?", sessionId: "x", requestedSchema: {} },
    } as unknown as EventBody;
    await feed(indexDatabase, "s", numbered([opened, question]));
    const outcome = { action: "accept", content: { key: "hunter2secret" } };
    const answer = { kind: "ask-settled", askId: "q", outcome, by: { client: "c" } } as EventBody;
    await feed(indexDatabase, "s", numbered([answer], 3));
    expect(indexDatabase.audit().entries).toMatchObject([
      {
        what: "question-answered",
        detail: { askId: "q", action: "accept", by: { client: "c" }, title: "Your key?" },
      },
    ]);
    indexDatabase.close();
    expect(readFileSync(path).includes("hunter2secret")).toBe(false);
  });
});

describe("a session that is deleted", () => {
  it("leaves no row and no byte behind", async () => {
    const secret = "zanzibarsecret";
    const events = numbered([
      { ...opened, title: secret } as EventBody,
      prompt(`the ${secret}`),
      turn(),
      says(`${secret} said`),
      toolCall(secret, { locations: [{ path: `/repo/${secret}` }] }),
      permission("ask", secret),
      says(`${secret} unfinished`),
      ...Array.from({ length: 10 }, (_, index) => prompt(`${secret} ${index}`, `p${index}`)),
    ]);
    await feed(indexDatabase, "gone", events);
    indexDatabase.putSnapshot("gone", { seq: 7, view: fold(emptyView(), events) });
    await feed(indexDatabase, "stays", numbered([opened, prompt("the stays")]));
    await finishMessages(indexDatabase);
    expect(found(secret)).toHaveLength(14);
    let isErased = indexDatabase.deleteSession("gone");
    expect(isErased).toBe(false);
    expect(found(secret)).toEqual([]);
    expect(indexDatabase.session("gone")).toBeNull();
    expect(indexDatabase.audit().entries).toEqual([]);
    expect(indexDatabase.snapshotAt("gone")).toBeNull();
    expect(found("the")).toEqual(["the stays"]);
    expect(indexDatabase.listSessions().sessions).toMatchObject([{ sessionId: "stays" }]);
    expect(indexDatabase.applied("gone")).toBe(0);
    expect([...indexDatabase.progress().keys()]).toEqual(["gone", "stays"]);
    while (!isErased) isErased = indexDatabase.deleteSession("gone");
    expect([...indexDatabase.progress().keys()]).toEqual(["stays"]);
    expect(indexDatabase.deleteSession("never was")).toBe(true);
    for (const suffix of ["", "-wal"])
      expect(readFileSync(path + suffix).includes(secret)).toBe(false);
    indexDatabase.close();
    const database = new DatabaseSync(path);
    const tables = ["sessions", "calls", "passages", "audit", "snapshots"];
    const counts = tables.map((table) =>
      Number(database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.["n"]),
    );
    expect(counts).toEqual([1, 0, 1, 0, 0]);
    database.exec("INSERT INTO passage_index (passage_index, rank) VALUES ('integrity-check', 1)");
    database.close();
  });
});

describe("a session that reuses the id of a session whose deletion is not finished", () => {
  it("contains no data of the deleted session", async () => {
    const old = Array.from({ length: 20 }, (_, index) => prompt(`old ${index}`, `p${index}`));
    await feed(indexDatabase, "s", numbered([opened, ...old]));
    expect(indexDatabase.deleteSession("s")).toBe(false);
    await feed(indexDatabase, "s", numbered([opened, prompt("new one")]));
    expect(found("old")).toEqual([]);
    expect(indexDatabase.session("s")).toMatchObject({ head: 2 });
  });
});

describe("snapshots", () => {
  it("are the latest stored one, unchanged", async () => {
    const events = numbered(conversation);
    const view = fold(emptyView(), events);
    expect(indexDatabase.snapshotAt("s")).toBeNull();
    await feed(indexDatabase, "s", events);
    indexDatabase.putSnapshot("s", { seq: 8, view });
    expect(indexDatabase.snapshotAt("s")).toEqual({
      seq: 8,
      view: JSON.parse(JSON.stringify(view)) as unknown,
    });
    indexDatabase.putSnapshot("s", { seq: 3, view: fold(emptyView(), events.slice(0, 3)) });
    expect(indexDatabase.snapshotAt("s")?.seq).toBe(8);
    expect(indexDatabase.progress()).toEqual(
      new Map([["s", { applied: 8, snapshot: 8, isUnfinished: false }]]),
    );
  });

  it("are dropped if their format differs, or their bytes are damaged", async () => {
    const events = numbered(conversation);
    const snapshot = { seq: 8, view: fold(emptyView(), events) };
    for (const id of ["damaged", "older"]) {
      await feed(indexDatabase, id, events);
      indexDatabase.putSnapshot(id, snapshot);
    }
    indexDatabase.close();
    const database = new DatabaseSync(path);
    database.exec(
      "UPDATE snapshots SET view = replace(view, 'held', 'hold') WHERE session_id = 'damaged'",
    );
    database.exec("UPDATE snapshots SET format = '0' WHERE session_id = 'older'");
    database.close();
    indexDatabase = openIndexDatabase(path);
    expect(indexDatabase.snapshotAt("damaged")).toBeNull();
    expect(indexDatabase.snapshotAt("older")).toBeNull();
    expect(indexDatabase.progress().get("older")).toMatchObject({ applied: 8, snapshot: 0 });
  });
});

describe("a database in memory", () => {
  it("works the same, and `clear` empties it", async () => {
    using memory = openIndexDatabase(":memory:", { limits: limitsOf("spec") });
    expect(memory.origin).toEqual({ how: "made" });
    await feed(memory, "s", numbered(conversation));
    expect(memory.search("rename")).toHaveLength(1);
    memory.clear();
    expect(memory.search("rename")).toEqual([]);
    expect(memory.listSessions()).toEqual({ sessions: [], nextCursor: null });
    memory.close();
    memory.close();
  });
});
