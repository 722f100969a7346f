import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { emptyView, fold, limitsOf, type EventBody } from "@landline/protocol";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openDerived, type Derived } from "./derived.ts";
import {
  numbered,
  opened,
  permission,
  prompt,
  says,
  settled,
  started,
  toolCall,
  turn,
  turnEnd,
  update,
} from "./sample-events.ts";

let folder: string;
let path: string;
let derived: Derived;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "landline-derived-"));
  path = join(folder, "derived.sqlite");
  derived = openDerived(path);
});

afterEach(() => {
  derived.close();
  rmSync(folder, { recursive: true, force: true });
});

const conversation = [
  opened,
  started,
  prompt("Please rename the helper"),
  turn(),
  says("I will "),
  says("look at it."),
  toolCall("call-1", { kind: "edit", locations: [{ path: "/repo/src/helper.ts" }] }),
  permission("ask-1"),
];

const found = (text: string) => derived.search(text).map(({ snippet }) => snippet.text);

describe("events that are applied", () => {
  it("make a session that can be listed", () => {
    derived.apply("s", numbered(conversation));
    expect(derived.session("s")).toEqual({
      sessionId: "s",
      agent: "held",
      cwd: "/repo",
      roots: ["/repo"],
      title: null,
      firstPrompt: "Please rename the helper",
      hasFailed: false,
      parent: null,
      agentSessionId: "agent-session-1",
      openedAt: 1_001,
      closedAt: null,
      lastAt: 1_008,
      state: "needs-answer",
      head: 8,
      counts: { prompts: 1, turns: 1, toolCalls: 1, openAsks: 1, errors: 0 },
    });
    expect(derived.session("other")).toBeNull();
  });

  it("change its state as the turn goes", () => {
    let seq = 1;
    const stateAfter = (body: EventBody) => {
      derived.apply("s", numbered([body], seq++));
      return derived.session("s")?.state;
    };
    expect(stateAfter(opened)).toBe("idle");
    expect(stateAfter(turn())).toBe("running");
    expect(stateAfter({ kind: "turn-changed", turnId: "t1", state: "stalled" })).toBe("stalled");
    expect(stateAfter(permission("a"))).toBe("needs-answer");
    expect(stateAfter(settled("a"))).toBe("stalled");
    expect(stateAfter({ kind: "turn-changed", turnId: "t1", state: "cancelling" })).toBe("running");
    expect(stateAfter(turnEnd())).toBe("idle");
    expect(stateAfter({ kind: "session-closed", by: "x" })).toBe("idle");
    expect(derived.session("s")?.closedAt).toBe(1_008);
    stateAfter(started);
    expect(derived.session("s")?.closedAt).toBeNull();
  });

  it("say that its last turn failed, until the next one starts", () => {
    const failed: EventBody = { kind: "turn-ended", turnId: "t1", stopReason: "failed" };
    derived.apply("s", numbered([opened, turn(), failed]));
    expect(derived.session("s")?.hasFailed).toBe(true);
    derived.apply("s", numbered([turn()], 4));
    expect(derived.session("s")?.hasFailed).toBe(false);
  });

  it("give it the agent's title until a person gives one", () => {
    const titled = (title: unknown) => update({ sessionUpdate: "session_info_update", title });
    const titleAfter = (...bodies: EventBody[]) => {
      derived.apply("s", numbered(bodies, derived.applied("s") + 1));
      return derived.session("s")?.title;
    };
    expect(titleAfter(opened, titled("By agent"), titled(7))).toBe("By agent");
    expect(titleAfter({ kind: "session-changed", title: "Mine", by: "x" }, titled("Again"))).toBe(
      "Mine",
    );
    expect(titleAfter({ kind: "session-changed", title: null, by: "x" })).toBeNull();
    expect(found("agent")).toEqual([]);
    expect(titleAfter(titled("Long ".repeat(1_000)))).toHaveLength(500);
    expect(found("long")).toHaveLength(1);
  });

  it("are ignored when they are in already, and refused when one is missing", () => {
    const events = numbered(conversation);
    derived.apply("s", events.slice(0, 5));
    derived.apply("s", events.slice(0, 5));
    derived.apply("s", events.slice(2));
    derived.apply("s", []);
    expect(derived.applied("s")).toBe(8);
    expect(derived.session("s")?.counts).toMatchObject({ prompts: 1, toolCalls: 1 });
    expect(() => derived.apply("s", numbered([turnEnd()], 10))).toThrow(
      expect.objectContaining({
        code: "internal-error",
        data: { sessionId: "s", expected: 9, found: 10 },
      }),
    );
    expect(() => derived.apply("t", numbered([opened, turnEnd()], 2))).toThrow(
      "event 1 should come",
    );
    expect(derived.session("t")).toBeNull();
  });

  it("may be of kinds that nobody knows, or have odd times", () => {
    derived.apply("s", [
      { seq: 1, at: 0.5, kind: "from-the-future", what: { ever: 1 } },
      { seq: 2, at: 1e300, kind: "session-closed", by: "x" },
    ]);
    expect(derived.session("s")).toMatchObject({ head: 2, lastAt: Number.MAX_SAFE_INTEGER });
  });
});

describe("the list of sessions", () => {
  it("has the latest first, page by page, by folder and by parent", () => {
    for (let index = 0; index < 7; index++) {
      const cwd = index % 2 === 0 ? "/even" : "/odd";
      const parent = index === 3 ? "s0" : null;
      derived.apply(`s${index}`, numbered([{ ...opened, cwd, parent } as EventBody], 1));
      derived.apply(`s${index}`, [{ seq: 2, at: 5_000 - index, kind: "session-closed", by: "x" }]);
    }
    const pages: string[][] = [];
    let cursor: string | null = null;
    do {
      const page = derived.listSessions({ limit: 3, ...(cursor === null ? {} : { cursor }) });
      pages.push(page.sessions.map(({ sessionId }) => sessionId));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(pages).toEqual([["s0", "s1", "s2"], ["s3", "s4", "s5"], ["s6"]]);
    const ids = (query: object) =>
      derived.listSessions(query).sessions.map(({ sessionId }) => sessionId);
    expect(ids({ cwd: "/odd" })).toEqual(["s1", "s3", "s5"]);
    expect(ids({ parent: "s0" })).toEqual(["s3"]);
    expect(ids({ parent: "s0", cwd: "/even" })).toEqual([]);
    expect(() => derived.listSessions({ cursor: "x" })).toThrow("The cursor is not one");
    expect(() => derived.listSessions({ limit: 0 })).toThrow("limit must be");
  });

  it("tells sessions of the same time apart", () => {
    for (const id of ["a", "b", "c"]) derived.apply(id, numbered([opened]));
    const first = derived.listSessions({ limit: 2 });
    const second = derived.listSessions({ limit: 2, cursor: first.nextCursor ?? "" });
    expect([...first.sessions, ...second.sessions].map(({ sessionId }) => sessionId)).toEqual([
      "c",
      "b",
      "a",
    ]);
  });
});

describe("asks", () => {
  it("are listed while they are open, the oldest first", () => {
    derived.apply("s", numbered(conversation));
    derived.apply("t", numbered([opened, permission("ask-2")]));
    expect(derived.openAsks().map(({ askId }) => askId)).toEqual(["ask-2", "ask-1"]);
    expect(derived.openAsks("s")).toEqual([
      {
        sessionId: "s",
        askId: "ask-1",
        ask: "permission",
        seq: 8,
        at: 1_008,
        child: null,
        toolCallId: "call-1",
        title: "Write a.txt",
        detail: { options: [{ optionId: "yes", name: "Yes", kind: "allow_once" }] },
      },
    ]);
    derived.apply("s", numbered([settled("ask-1"), settled("ask-1"), settled("unknown")], 9));
    expect(derived.openAsks("s")).toEqual([]);
    expect(derived.openAsks()).toHaveLength(1);
  });

  it("that are questions keep what is asked, and not what is answered", () => {
    const question = {
      kind: "ask-opened",
      askId: "q",
      ask: "question",
      request: { mode: "form", message: "Your key?", sessionId: "x", requestedSchema: {} },
    } as unknown as EventBody;
    derived.apply("s", numbered([opened, question]));
    expect(derived.openAsks()[0]).toMatchObject({ ask: "question", title: "Your key?" });
    const outcome = { action: "accept", content: { key: "hunter2secret" } };
    const answer = { kind: "ask-settled", askId: "q", outcome, by: { client: "c" } } as EventBody;
    derived.apply("s", numbered([answer], 3));
    expect(derived.audit().entries).toMatchObject([
      { what: "question-answered", detail: { askId: "q", action: "accept", by: { client: "c" } } },
    ]);
    derived.close();
    expect(readFileSync(path).includes("hunter2secret")).toBe(false);
  });
});

describe("a session that is deleted", () => {
  it("leaves no row and no byte behind", () => {
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
    derived.apply("gone", events, { seq: 7, view: fold(emptyView(), events) });
    derived.apply("stays", numbered([opened, prompt("the stays")]));
    derived.indexDrafts();
    expect(found(secret)).toHaveLength(14);
    let isErased = derived.deleteSession("gone");
    expect(isErased).toBe(false);
    expect(found(secret)).toEqual([]);
    expect(derived.session("gone")).toBeNull();
    expect(derived.openAsks()).toEqual([]);
    expect(derived.audit().entries).toEqual([]);
    expect(derived.snapshotAt("gone")).toBeNull();
    expect(found("the")).toEqual(["the stays"]);
    expect(derived.listSessions().sessions).toMatchObject([{ sessionId: "stays" }]);
    expect(derived.applied("gone")).toBe(0);
    expect([...derived.progress().keys()]).toEqual(["gone", "stays"]);
    while (!isErased) isErased = derived.deleteSession("gone");
    expect([...derived.progress().keys()]).toEqual(["stays"]);
    expect(derived.deleteSession("never was")).toBe(true);
    for (const suffix of ["", "-wal"])
      expect(readFileSync(path + suffix).includes(secret)).toBe(false);
    derived.close();
    const database = new DatabaseSync(path);
    const tables = ["sessions", "asks", "tool_calls", "drafts", "passages", "audit", "snapshots"];
    const counts = tables.map((table) =>
      Number(database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.["n"]),
    );
    expect(counts).toEqual([1, 0, 0, 0, 1, 0, 0]);
    database.exec("INSERT INTO passage_index (passage_index, rank) VALUES ('integrity-check', 1)");
    database.close();
  });
});

describe("a session that comes again under the id of one that is being deleted", () => {
  it("has nothing of the old one", () => {
    const old = Array.from({ length: 20 }, (_, index) => prompt(`old ${index}`, `p${index}`));
    derived.apply("s", numbered([opened, ...old]));
    expect(derived.deleteSession("s")).toBe(false);
    derived.apply("s", numbered([opened, prompt("new one")]));
    expect(found("old")).toEqual([]);
    expect(derived.session("s")).toMatchObject({ head: 2, counts: { prompts: 1 } });
  });
});

describe("snapshots", () => {
  it("are the latest that was kept, as it was", () => {
    const events = numbered(conversation);
    const view = fold(emptyView(), events);
    expect(derived.snapshotAt("s")).toBeNull();
    derived.apply("s", events, { seq: 8, view });
    expect(derived.snapshotAt("s")).toEqual({
      seq: 8,
      view: JSON.parse(JSON.stringify(view)) as unknown,
    });
    derived.apply("s", [], { seq: 3, view: fold(emptyView(), events.slice(0, 3)) });
    expect(derived.snapshotAt("s")?.seq).toBe(8);
    expect(derived.progress()).toEqual(new Map([["s", { applied: 8, snapshot: 8 }]]));
  });

  it("are thrown away when their format is another, or their bytes are damaged", () => {
    const events = numbered(conversation);
    const snapshot = { seq: 8, view: fold(emptyView(), events) };
    derived.apply("damaged", events, snapshot);
    derived.apply("older", events, snapshot);
    derived.close();
    const database = new DatabaseSync(path);
    database.exec(
      "UPDATE snapshots SET view = replace(view, 'held', 'hold') WHERE session_id = 'damaged'",
    );
    database.exec("UPDATE snapshots SET format = '0' WHERE session_id = 'older'");
    database.close();
    derived = openDerived(path);
    expect(derived.snapshotAt("damaged")).toBeNull();
    expect(derived.snapshotAt("older")).toBeNull();
    expect(derived.progress().get("older")).toEqual({ applied: 8, snapshot: 0 });
  });
});

describe("a database in memory", () => {
  it("works the same, and `clear` empties it", () => {
    using memory = openDerived(":memory:", { limits: limitsOf("spec") });
    expect(memory.origin).toEqual({ how: "made" });
    memory.apply("s", numbered(conversation));
    expect(memory.search("rename")).toHaveLength(1);
    memory.clear();
    expect(memory.search("rename")).toEqual([]);
    expect(memory.listSessions()).toEqual({ sessions: [], nextCursor: null });
    memory.close();
    memory.close();
  });
});
