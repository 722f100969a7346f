import { spawn } from "node:child_process";
import { randomUUIDv7 } from "node:crypto";
import { once } from "node:events";
import {
  appendFile,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { created, descendantRecords, prompt, text, title } from "../../test/session/records.ts";
import type { SessionCreated, SessionRecord } from "../core/record.ts";
import { openSessionStore } from "./jsonl-store.ts";
import type { SessionStore } from "./store.ts";

let data: string;
let store: SessionStore;

beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), "landline-agent-"));
  store = openSessionStore(data);
});
afterEach(() => rm(data, { recursive: true, force: true }));

const fileOf = (sessionId: string) => join(data, "sessions", `${sessionId}.jsonl`);

/** A session with these records, closed. */
async function make(first: Partial<SessionCreated> = {}, ...records: SessionRecord[]) {
  await using file = await store.create(created(first));
  for (const record of records) file.append(record);
  return file.sessionId;
}

async function recordsOf(sessionId: string) {
  await using file = await store.open(sessionId);
  return file.records;
}

describe("a session's file", () => {
  it("returns the appended records in order, one per line", async () => {
    const first = created({ directories: ["/other"] });
    const file = await store.create(first);
    const records = Array.from({ length: 100 }, (_, index) => text(`${index} \n "€"`));
    for (const record of records) file.append(record);
    await file.flush();
    expect((await readFile(fileOf(first.sessionId), "utf8")).split("\n")).toHaveLength(102);
    expect(await store.read(first.sessionId)).toEqual([first, ...records]);
    await file[Symbol.asyncDispose]();
    expect(await recordsOf(first.sessionId)).toEqual([first, ...records]);
  });

  it("continues at its end when it is opened again", async () => {
    const sessionId = await make({}, text("one"));
    await using file = await store.open(sessionId);
    file.append(text("two"));
    await file.flush();
    expect((await store.read(sessionId)).slice(1)).toEqual([text("one"), text("two")]);
  });

  it("is private, and so is its folder", async () => {
    const sessionId = await make();
    expect((await stat(fileOf(sessionId))).mode & 0o777).toBe(0o600);
    expect((await stat(join(data, "sessions"))).mode & 0o777).toBe(0o700);
  });

  it("accepts nothing after it is closed, and closes once", async () => {
    const file = await store.create(created());
    await file[Symbol.asyncDispose]();
    await file[Symbol.asyncDispose]();
    expect(() => file.append(text("late"))).toThrow(/closed/);
    await file.flush();
  });

  it("creates its folder for outputs on demand", async () => {
    await using file = await store.create(created());
    expect(await readdir(join(data, "sessions"))).not.toContain(file.sessionId);
    await writeFile(join(file.outputs, "long.txt"), "x");
    expect(file.outputs).toBe(join(data, "sessions", file.sessionId, "outputs"));
  });

  it("loses only a torn last line, wherever it is cut", async () => {
    const records = [text("one"), text("two €"), text("three")];
    const sessionId = await make({}, ...records);
    const whole = await readFile(fileOf(sessionId));
    const header = whole.indexOf("\n") + 1;
    for (let size = whole.length; size > header; size -= 7) {
      await truncate(fileOf(sessionId), size);
      const lines = whole.subarray(0, size).toString("latin1").split("\n").length - 2;
      expect((await store.read(sessionId)).slice(1)).toEqual(records.slice(0, lines));
      const opened = await recordsOf(sessionId);
      expect(opened.slice(1)).toEqual(records.slice(0, lines));
      expect((await readFile(fileOf(sessionId))).at(-1)).toBe(0x0a);
    }
  });

  it.each([
    ["no JSON", "{nonsense\n"],
    ["no record", '{"kind":"text-added","at":1}\n'],
    ["an unknown kind", '{"kind":"constructor","at":1}\n'],
  ])(
    "with an invalid line (%s) is reported with its position, and left unchanged",
    async (_name, line) => {
      const sessionId = await make({}, text("one"));
      await appendFile(fileOf(sessionId), `${line}${JSON.stringify(text("two"))}\n`);
      const before = await readFile(fileOf(sessionId));
      const expected = { reason: "broken", message: expect.stringContaining("Line 3 ") as string };
      await expect(store.open(sessionId)).rejects.toMatchObject(expected);
      await expect(store.read(sessionId)).rejects.toMatchObject(expected);
      expect(await readFile(fileOf(sessionId))).toEqual(before);
      await expect(store.open(sessionId)).rejects.toMatchObject(expected);
    },
  );

  it("of a newer version is not opened", async () => {
    const sessionId = randomUUIDv7();
    await make();
    const header = { ...created({ sessionId }), version: 2 };
    await writeFile(fileOf(sessionId), `${JSON.stringify(header)}\n{"kind":"new"}\n`);
    await expect(store.open(sessionId)).rejects.toThrow(/newer Landline/);
  });

  it("does not exist for invalid or unknown ids", async () => {
    for (const sessionId of [randomUUIDv7(), "../secret", "", "x"]) {
      const expected = { reason: "session-not-found" };
      await expect(store.open(sessionId)).rejects.toMatchObject(expected);
      await expect(store.read(sessionId)).rejects.toMatchObject(expected);
      await expect(store.fork(sessionId)).rejects.toMatchObject(expected);
      await store.remove(sessionId);
    }
    await expect(store.create(created({ sessionId: "../x" }))).rejects.toMatchObject({
      reason: "broken",
    });
  });

  it("reports that it cannot be stored", async () => {
    await writeFile(join(data, "file"), "");
    const impossible = openSessionStore(join(data, "file"));
    await expect(impossible.create(created())).rejects.toThrow(/LANDLINE_AGENT_DATA/);
    const sessionId = await make();
    await expect(store.create(created({ sessionId }))).rejects.toMatchObject({
      reason: "not-written",
    });
    expect(await recordsOf(sessionId)).toHaveLength(1);
  });
});

describe("one writer of a session", () => {
  it("at a time, in this process", async () => {
    const file = await store.create(created());
    const { sessionId } = file;
    await expect(store.open(sessionId)).rejects.toMatchObject({ reason: "session-locked" });
    await expect(store.remove(sessionId)).rejects.toMatchObject({ reason: "session-locked" });
    await expect(openSessionStore(data).open(sessionId)).rejects.toMatchObject({
      reason: "session-locked",
    });
    await file[Symbol.asyncDispose]();
    expect(await recordsOf(sessionId)).toHaveLength(1);
  });

  it("across processes, until that one is killed", async () => {
    const sessionId = await make();
    const module = join(import.meta.dirname, "jsonl-store.ts");
    const script = `
      const { openSessionStore } = await import(${JSON.stringify(module)});
      const file = await openSessionStore(${JSON.stringify(data)}).open(${JSON.stringify(sessionId)});
      file.append(${JSON.stringify(text("from there"))});
      await file.flush();
      file.append(${JSON.stringify(text("perhaps"))});
      process.stdout.write("ready");
      setInterval(() => undefined, 1000);`;
    const child = spawn(
      process.execPath,
      ["--conditions=@landline/source", "--input-type=module", "--eval", script],
      {
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    await once(child.stdout, "data");
    await expect(store.open(sessionId)).rejects.toMatchObject({ reason: "session-locked" });
    expect(await store.read(sessionId)).toContainEqual(text("from there"));
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
    expect(await recordsOf(sessionId)).toContainEqual(text("from there"));
  });
});

describe("the list of sessions", () => {
  async function setTime(sessionId: string, seconds: number) {
    await utimes(fileOf(sessionId), seconds, seconds);
  }

  it("has titles, newest first, and no sessions of subagents", async () => {
    const one = await make({ cwd: "/a" }, title("old"), text("x".repeat(300_000)), title("new"));
    const two = await make({ cwd: "/b", directories: ["/c"] });
    await make({ parent: { sessionId: one, callId: "c", agent: "explore" } }, title("child"));
    await setTime(one, 100);
    await setTime(two, 200);
    expect(await store.list({})).toEqual({
      sessions: [
        { sessionId: two, cwd: "/b", directories: ["/c"], title: null, updatedAt: 200_000 },
        { sessionId: one, cwd: "/a", directories: [], title: "new", updatedAt: 100_000 },
      ],
      nextCursor: null,
    });
    expect((await store.list({ cwd: "/a/" })).sessions).toHaveLength(1);
    expect((await store.list({ cwd: "/none" })).sessions).toEqual([]);
  });

  it("is paged, with each session once, even while sessions are added and change order", async () => {
    const ids: string[] = [];
    for (let count = 0; count < 7; count += 1) {
      ids.push(await make());
      await setTime(ids[count]!, 100 + Math.floor(count / 2));
    }
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await store.list({ limit: 2, ...(cursor !== null && { cursor }) });
      seen.push(...page.sessions.map(({ sessionId }) => sessionId));
      cursor = page.nextCursor;
      await setTime(await make(), 300);
    } while (cursor !== null);
    expect(seen).toHaveLength(7);
    expect(new Set(seen)).toEqual(new Set(ids));
  });

  it("refuses cursors of other lists, and invalid ones", async () => {
    await make({ cwd: "/a" });
    await make({ cwd: "/a" });
    const { nextCursor } = await store.list({ cwd: "/a", limit: 1 });
    expect(nextCursor).toBeTypeOf("string");
    for (const options of [
      { cursor: nextCursor ?? "" },
      { cursor: nextCursor ?? "", cwd: "/b" },
      { cursor: "nonsense", cwd: "/a" },
      { cursor: Buffer.from("null").toString("base64url") },
      { cursor: "" },
    ]) {
      await expect(store.list(options)).rejects.toMatchObject({ reason: "bad-cursor" });
    }
  });

  it("follows files that grow, shrink and disappear, in this process and the next", async () => {
    const one = await make({}, title("first"));
    const two = await make({}, title("other"));
    const titles = async (from: SessionStore) =>
      (await from.list({})).sessions.map((session) => String(session.title)).sort();
    expect(await titles(store)).toEqual(["first", "other"]);
    await appendFile(fileOf(one), `${JSON.stringify(title("second"))}\n{"kind":"title-cha`);
    expect(await titles(store)).toEqual(["other", "second"]);
    expect(await titles(openSessionStore(data))).toEqual(["other", "second"]);
    await appendFile(fileOf(one), `nged","at":3,"title":"third"}\n`);
    expect(await titles(openSessionStore(data))).toEqual(["other", "third"]);
    await store.remove(two);
    expect(await titles(store)).toEqual(["third"]);
    await truncate(fileOf(one), (await readFile(fileOf(one))).indexOf("\n") + 1);
    expect(await titles(store)).toEqual(["null"]);
  });

  it("is rebuilt when its index is deleted or invalid", async () => {
    await make({}, title("kept"));
    await store.list({});
    const index = join(data, "sessions", "index.json");
    for (const content of ["{", "[]", "[1,null,{}]", "{}"]) {
      await writeFile(index, content);
      const { sessions } = await openSessionStore(data).list({});
      expect(sessions).toMatchObject([{ title: "kept" }]);
    }
    await rm(index);
    expect((await openSessionStore(data).list({})).sessions).toHaveLength(1);
  });

  it("is empty without a folder, and ignores files that are not sessions", async () => {
    expect(await store.list({})).toEqual({ sessions: [], nextCursor: null });
    const torn = randomUUIDv7();
    await make();
    await writeFile(fileOf(torn), '{"kind":"session-cre');
    await writeFile(fileOf(randomUUIDv7()), "nonsense\n");
    await writeFile(join(data, "sessions", "notes.jsonl"), "");
    expect((await store.list({})).sessions).toHaveLength(1);
  });

  it("is not confused by text that looks like a title", async () => {
    const call = {
      kind: "tool-called",
      at: 2,
      stepId: "s",
      callId: "c",
      tool: "x",
      input: { kind: "title-changed", title: "not this" },
      view: { title: "", kind: "other", locations: [], content: [] },
    } satisfies SessionRecord;
    await make({}, title("true"), call, text('{"kind":"title-changed","title":"nor this"}'));
    expect((await store.list({})).sessions).toMatchObject([{ title: "true" }]);
  });
});

describe("families of sessions", () => {
  async function family() {
    const root = await make({}, prompt("p1"));
    const child = await make({ parent: { sessionId: root, callId: "c1", agent: "general" } });
    const grandchild = await make(
      { parent: { sessionId: child, callId: "c2", agent: "explore" } },
      text("deep"),
    );
    {
      await using file = await store.open(root);
      await writeFile(join(file.outputs, "a.txt"), "whole output");
      file.append({
        kind: "tool-ended",
        at: 5,
        callId: "c1",
        status: "completed",
        output: `<task id="${child}"> see ${join(file.outputs, "a.txt")}`,
        content: [],
        rawOutput: { metadata: { sessionId: child } },
      });
    }
    return { root, child, grandchild };
  }

  it("are removed together, with their files", async () => {
    const { root } = await family();
    const other = await make();
    await store.remove(root);
    const left = await readdir(join(data, "sessions"));
    expect(left.filter((name) => name.endsWith(".jsonl"))).toEqual([`${other}.jsonl`]);
    expect(left.filter((name) => name.endsWith(".lock"))).toEqual([`${other}.lock`]);
    expect(left).not.toContain(root);
    await store.remove(root);
  });

  it("are not removed in part when one of them is in use", async () => {
    const { root, child } = await family();
    await using _held = await store.open(child);
    await expect(store.remove(root)).rejects.toMatchObject({ reason: "session-locked" });
    expect(await descendantRecords(data, root)).toHaveLength(2);
    expect(await recordsOf(root)).toHaveLength(3);
  });

  it("are forked with new ids everywhere, while the original is in use", async () => {
    const { root, child, grandchild } = await family();
    await using _held = await store.open(root);
    const forked = await store.fork(root);
    const records = await recordsOf(forked);
    expect(records[0]).toMatchObject({ sessionId: forked, forkedFrom: root });
    expect(records[1]).toEqual(prompt("p1"));
    const children = await descendantRecords(data, forked);
    expect(children).toHaveLength(2);
    const headers = children.map(([header]) => header as SessionCreated);
    const newChild = headers.find((header) => header.parent?.sessionId === forked);
    expect(newChild?.parent?.callId).toBe("c1");
    expect(headers.some((header) => header.parent?.sessionId === newChild?.sessionId)).toBe(true);
    const [, , ended] = records;
    const path = join(data, "sessions", forked, "outputs", "a.txt");
    expect(ended).toMatchObject({
      output: `<task id="${newChild?.sessionId}"> see ${path}`,
      rawOutput: { metadata: { sessionId: newChild?.sessionId } },
    });
    expect(await readFile(path, "utf8")).toBe("whole output");
    const all = JSON.stringify([records.slice(1), children.map((each) => each.slice(1))]);
    for (const old of [root, child, grandchild]) expect(all).not.toContain(old);
    expect((await store.list({})).sessions.map(({ sessionId }) => sessionId).sort()).toEqual(
      [root, forked].sort(),
    );
    await store.remove(forked);
    expect(await descendantRecords(data, root)).toHaveLength(2);
  });

  it("of a subagent can be forked into an independent session", async () => {
    const { child } = await family();
    const forked = await store.fork(child);
    expect((await recordsOf(forked))[0]).not.toHaveProperty("parent");
    expect(await descendantRecords(data, forked)).toHaveLength(1);
  });
});
