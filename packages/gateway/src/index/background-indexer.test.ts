import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import { limitsOf, type EventBody, type LandlineError, type Limits } from "@landline/protocol";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { fileLogs } from "../log/file-logs.ts";
import type { Logs } from "../log/log.ts";
import { BackgroundIndexer } from "./background-indexer.ts";
import { openIndexDatabase, type IndexDatabase } from "./index-database.ts";
import { opened, prompt, says, turn, turnEnd } from "../../test/index/sample-events.ts";

let folder: string;
let logs: Logs;
let indexDatabase: IndexDatabase;
let problems: LandlineError[];
/** Every started thread, and those that have ended. */
let threads: Worker[];
let ended: Worker[];

function onWorker(worker: Worker): void {
  threads.push(worker);
  worker.once("exit", () => ended.push(worker));
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "landline-background-"));
  logs = fileLogs(join(folder, "sessions"));
  indexDatabase = openIndexDatabase(join(folder, "derived.sqlite"));
  problems = [];
  threads = [];
  ended = [];
  process.on("worker", onWorker);
});

afterEach(async () => {
  process.off("worker", onWorker);
  indexDatabase.close();
  await logs.close();
  rmSync(folder, { recursive: true, force: true });
  expect(ended).toHaveLength(threads.length);
});

function indexerOf(overrides: Partial<Limits> = {}): BackgroundIndexer {
  return new BackgroundIndexer({
    indexDatabase,
    logs,
    folder: join(folder, "sessions"),
    limits: limitsOf("default", { deriveDelayMs: 10, deriveRetryMs: 20, ...overrides }),
    onProblem: (problem) => problems.push(problem),
  });
}

/** Polls without a time limit of its own, because the machine may be slow. */
const eventually = (check: () => void) => vi.waitFor(check, { timeout: 60_000, interval: 5 });

const talk = (count: number): EventBody[] => [
  opened,
  prompt("a question"),
  turn(),
  ...Array.from({ length: count }, (_, index) => says(`word${index} `)),
];

describe("indexing in the background", () => {
  it("applies appended events soon, in another thread", async () => {
    await using indexer = indexerOf();
    const log = await logs.create("s");
    indexer.follow(log);
    indexer.follow(log);
    log.append([opened]);
    log.append([prompt("live question")]);
    await eventually(() => expect(indexDatabase.applied("s")).toBe(2));
    log.append([turn()]);
    await eventually(() => expect(indexDatabase.session("s")?.state).toBe("running"));
    expect(indexDatabase.search("live")).toHaveLength(1);
    expect(threads).toHaveLength(1);
    expect(problems).toEqual([]);
  });

  it("is complete after a flush, with unfinished messages", async () => {
    await using indexer = indexerOf({ deriveDelayMs: 60_000 });
    const log = await logs.create("s");
    log.append(talk(3));
    indexer.follow(log);
    await indexer.flush();
    expect(indexDatabase.applied("s")).toBe(6);
    expect(indexDatabase.search("word0 word2")).toHaveLength(1);
    log.append([says("more"), turnEnd()]);
    await Promise.all([indexer.flush(), indexer.flush()]);
    expect(indexDatabase.search("word0 more")).toHaveLength(1);
  });

  it("applies a stream that never pauses after deriveDelayMsMax", async () => {
    await using indexer = indexerOf({ deriveDelayMs: 20, deriveDelayMsMax: 60 });
    const log = await logs.create("s");
    indexer.follow(log);
    const stream = setInterval(() => log.append([says("on and on ")]), 1);
    await eventually(() => expect(indexDatabase.applied("s")).toBeGreaterThan(0));
    clearInterval(stream);
  });

  it("waits for events that are not durable yet", async () => {
    await logs.close();
    logs = fileLogs(join(folder, "sessions"), { durability: "disk" });
    await using indexer = indexerOf();
    const log = await logs.create("s");
    indexer.follow(log);
    for (let index = 0; index < 20; index++) log.append([says(`word${index} `)]);
    await indexer.flush();
    expect(indexDatabase.applied("s")).toBe(20);
    expect(indexDatabase.search("word0 word19")).toHaveLength(1);
  });

  it("makes the snapshots that the log requests", async () => {
    await using indexer = indexerOf({ snapshotEvents: 40 });
    const log = await logs.create("s");
    indexer.follow(log);
    log.append(talk(100));
    await indexer.flush();
    expect(indexDatabase.snapshotAt("s")?.seq).toBe(80);
  });

  it("erases a deleted session, even while its events are being applied", async () => {
    await using indexer = indexerOf({ deriveBatchEvents: 5 });
    const [log, stays] = [await logs.create("gone"), await logs.create("stays")];
    for (const each of [log, stays]) {
      indexer.follow(each);
      each.append(talk(2_000));
    }
    await eventually(() => expect(indexDatabase.applied("gone")).toBeGreaterThan(0));
    await logs.delete("gone");
    await indexer.delete("gone");
    await indexer.flush();
    expect(indexDatabase.session("gone")).toBeNull();
    expect(indexDatabase.applied("stays")).toBe(2_003);
    expect(problems).toEqual([]);
  });
});

describe("the start", () => {
  it("catches up, and erases sessions without a log", async () => {
    for (const id of ["a", "b", "gone"]) (await logs.create(id)).append(talk(5));
    {
      await using first = indexerOf();
      await first.start();
    }
    expect(indexDatabase.search("word4")).toHaveLength(3);
    await logs.delete("gone");
    (await logs.open("b")).append([says("while away"), turnEnd()]);
    await using second = indexerOf();
    await second.start();
    expect([...indexDatabase.progress()].map(([id, { applied }]) => [id, applied])).toEqual([
      ["a", 8],
      ["b", 10],
    ]);
    expect(indexDatabase.search("word0 away")).toHaveLength(1);
  });

  it("starts no thread if there is nothing to do, nor for a flush or a read session", async () => {
    (await logs.create("s")).append(talk(5));
    {
      await using first = indexerOf();
      await first.start();
    }
    expect(threads).toHaveLength(1);
    await using second = indexerOf();
    await second.start();
    second.follow(await logs.open("s"));
    await second.flush();
    expect(threads).toHaveLength(1);
    (await logs.open("s")).append([turnEnd()]);
    await second.flush();
    expect(indexDatabase.applied("s")).toBe(9);
    expect(threads).toHaveLength(2);
  });

  it("reports a session whose log can't be read, once, and indexes the others", async () => {
    (await logs.create("whole")).append(talk(2));
    mkdirSync(join(folder, "sessions", "damaged"));
    writeFileSync(join(folder, "sessions", "damaged", "000000000001.ndjson"), "not ours\n");
    await using indexer = indexerOf();
    await indexer.start();
    expect(problems).toMatchObject([{ code: "log-damaged", data: { sessionId: "damaged" } }]);
    expect(indexDatabase.applied("whole")).toBe(5);
  });
});

describe("a thread that fails", () => {
  it("is reported and restarted, and nothing is lost", async () => {
    await using indexer = indexerOf();
    const log = await logs.create("s");
    indexer.follow(log);
    log.append(talk(3));
    await indexer.flush();
    await threads[0]?.terminate();
    expect(problems).toMatchObject([{ code: "internal-error" }]);
    log.append([says("meanwhile"), turnEnd()]);
    await eventually(() => expect(indexDatabase.applied("s")).toBe(8));
    expect(threads).toHaveLength(2);
    await indexer.flush();
    expect(indexDatabase.search("word0 meanwhile")).toHaveLength(1);
    expect(problems).toHaveLength(1);
  });

  it("rejects a flush until it is back, and finishes other requests", async () => {
    await using indexer = indexerOf({ deriveDelayMs: 60_000, deriveRetryMs: 200 });
    const log = await logs.create("s");
    indexer.follow(log);
    log.append(talk(3));
    await indexer.flush();
    const [refused] = await Promise.allSettled([indexer.flush(), threads[0]?.terminate()]);
    expect(refused).toMatchObject({ status: "rejected", reason: { code: "internal-error" } });
    await expect(indexer.flush()).rejects.toMatchObject({ code: "internal-error" });
    await logs.delete("s");
    await indexer.delete("s");
    expect(indexDatabase.session("s")).toBeNull();
    await indexer.flush();
  });

  it("is restarted with growing delays, and reports why", async () => {
    await using indexer = indexerOf({ deriveRetryMs: 1 });
    const log = await logs.create("s");
    indexDatabase.close();
    rmSync(join(folder, "derived.sqlite"));
    indexer.follow(log);
    log.append(talk(1));
    await eventually(() => expect(problems.length).toBeGreaterThan(2));
    expect(problems[0]?.message).toContain("no longer exists");
    expect(
      problems.slice(0, 3).map(({ message }) => /restarts in (\d+) ms/.exec(message)?.[1]),
    ).toEqual(["1", "2", "4"]);
    expect(log.head).toBe(4);
  });
});

describe("a database that fails", () => {
  it("is reported once, and is complete when it works again", async () => {
    const databaseBytes = 400 * 1_024;
    await using indexer = indexerOf({ databaseBytes });
    const words = Array.from({ length: 3_000 }, (_, index) => `w${index}`).join(" ");
    const [large, small] = [await logs.create("large"), await logs.create("small")];
    for (const log of [large, small]) indexer.follow(log);
    for (let index = 0; index < 20; index++)
      large.append([prompt(`${index} ${words}`, `p${index}`)]);
    await expect(indexer.flush()).rejects.toMatchObject({ code: "disk-full" });
    expect(problems).toMatchObject([{ code: "disk-full" }]);
    await logs.delete("large");
    await indexer.delete("large");
    small.append(talk(1));
    await eventually(() => expect(indexDatabase.applied("small")).toBe(4));
    expect(problems).toHaveLength(1);
    expect(threads).toHaveLength(1);
  });
});

describe("the end", () => {
  it("is quick, can be repeated, and leaves no thread", async () => {
    const indexer = indexerOf();
    const log = await logs.create("s");
    indexer.follow(log);
    log.append(talk(5_000));
    const started = indexer.start();
    await Promise.all([indexer.close(), indexer.close()]);
    await started;
    expect(ended).toHaveLength(threads.length);
    log.append([turnEnd()]);
    await indexer.flush();
    expect(problems).toEqual([]);
  });
});
