import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as nextRound } from "node:timers/promises";
import type { EventBody, Limits } from "@landline/protocol";
import { emptyView, fold, LandlineError, limitsOf } from "@landline/protocol";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { fileLogs } from "../log/file-logs.ts";
import type { Logs, SessionLog } from "../log/log.ts";
import { memoryLogs } from "../../test/log/memory.ts";
import { feed } from "../../test/index/feed.ts";
import { openIndexDatabase, type IndexDatabase } from "./index-database.ts";
import { PendingLines } from "./pending-lines.ts";
import { Indexer } from "./indexer.ts";
import {
  opened,
  permission,
  prompt,
  says,
  toolCall,
  turn,
  turnEnd,
} from "../../test/index/sample-events.ts";

let folder: string;
let path: string;
let indexDatabase: IndexDatabase;
let problems: LandlineError[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "landline-indexer-"));
  path = join(folder, "derived.sqlite");
  indexDatabase = openIndexDatabase(path);
  problems = [];
});

afterEach(() => {
  indexDatabase.close();
  rmSync(folder, { recursive: true, force: true });
});

function indexerOf(logs: Logs, overrides: Partial<Limits> = {}): Indexer {
  const limits = limitsOf("default", { deriveRetryMs: 20, ...overrides });
  const onProblem = (problem: LandlineError) => problems.push(problem);
  return new Indexer({ indexDatabase, logs, limits, onProblem });
}

async function eventsOf(log: SessionLog) {
  const lines = new PendingLines();
  for await (const chunk of log.read(0)) lines.push(chunk);
  return lines.peek({ events: Infinity, bytes: Infinity, every: 1 }).events;
}

/** Polls without a time limit of its own, because the machine may be slow. */
const eventually = (check: () => void) => vi.waitFor(check, { timeout: 60_000, interval: 5 });

const talk = (count: number): EventBody[] => [
  opened,
  prompt("a question"),
  turn(),
  ...Array.from({ length: count }, (_, index) => says(`word${index} `)),
];

describe.each(["memory", "files"])("following logs in %s", (kind) => {
  let logs: Logs;

  beforeEach(() => {
    logs = kind === "memory" ? memoryLogs() : fileLogs(join(folder, "sessions"));
  });

  afterEach(() => logs.close());

  it("applies appended events soon", async () => {
    await using indexer = indexerOf(logs);
    const log = await logs.create("s");
    indexer.follow(log);
    log.append([opened]);
    log.append([prompt("live question")]);
    // It never delays an append.
    expect(indexDatabase.applied("s")).toBe(0);
    await eventually(() => expect(indexDatabase.applied("s")).toBe(2));
    log.append([turn()]);
    await eventually(() => expect(indexDatabase.session("s")?.state).toBe("running"));
    expect(indexDatabase.search("live")).toHaveLength(1);
    expect(problems).toEqual([]);
  });

  it("is complete after a flush, with unfinished messages", async () => {
    await using indexer = indexerOf(logs);
    const log = await logs.create("s");
    indexer.follow(log);
    log.append(talk(3));
    await indexer.flush();
    expect(indexDatabase.applied("s")).toBe(6);
    expect(indexDatabase.search("word0 word2")).toHaveLength(1);
    log.append([says("more"), turnEnd()]);
    await Promise.all([indexer.flush(), indexer.flush()]);
    expect(indexDatabase.search("word0 more")).toHaveLength(1);
  });

  it("catches up at the start with every log that is ahead, and only those", async () => {
    for (const id of ["a", "b", "c"]) (await logs.create(id)).append(talk(5));
    {
      await using first = indexerOf(logs);
      await first.start();
    }
    const b = await logs.open("b");
    b.append([says("while away"), turnEnd()]);
    const before = indexDatabase.progress();
    await using second = indexerOf(logs);
    const seen: string[] = [];
    await second.start(({ done, total, sessionId }) => seen.push(`${sessionId} ${done}/${total}`));
    expect(seen).toEqual(["a 1/3", "b 2/3", "c 3/3"]);
    expect(before.get("b")?.applied).toBe(8);
    expect(["a", "b", "c"].map((id) => indexDatabase.applied(id))).toEqual([8, 10, 8]);
    expect(indexDatabase.search("word0 away")).toHaveLength(1);
    // The others end with an unfinished message, which can be found too.
    expect(indexDatabase.search("word4")).toHaveLength(3);
  });

  it("continues to follow the logs that it caught up with, if requested", async () => {
    const log = await logs.create("s");
    log.append(talk(5));
    await using indexer = indexerOf(logs);
    const started = indexer.start();
    indexer.follow(log);
    await started;
    log.append([turnEnd()]);
    await eventually(() => expect(indexDatabase.applied("s")).toBe(9));
  });

  it("applies a long backlog in bounded transactions, without blocking the event loop", async () => {
    const log = await logs.create("s");
    for (let index = 0; index < 40; index++) log.append(talk(97));
    const sizes: number[] = [];
    const apply = indexDatabase.apply.bind(indexDatabase);
    indexDatabase.apply = (id, rows) => {
      sizes.push(rows.summary.head - rows.after);
      apply(id, rows);
    };
    let rounds = 0;
    const ticking = setInterval(() => rounds++, 1);
    const bounds = { deriveBatchEvents: 100, deriveBatchBytes: 10_000, readBytes: 64 * 1_024 };
    await using indexer = indexerOf(logs, bounds);
    await indexer.start();
    clearInterval(ticking);
    expect(indexDatabase.applied("s")).toBe(4_000);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(100);
    expect(rounds).toBeGreaterThan(5);
  });

  it("buffers a bounded amount, and loses nothing", async () => {
    await using indexer = indexerOf(logs, { deriveHeldBytes: 2_000, deriveBatchEvents: 3 });
    const first = await logs.create("s");
    const second = await logs.create("t");
    const answers = new Set<boolean>();
    for (const log of [first, second]) {
      const tail = log.tail.bind(log);
      log.tail = (after, sink) =>
        tail(after, {
          write: (chunk) => {
            const wantsMore = sink.write(chunk);
            answers.add(wantsMore);
            return wantsMore;
          },
          end: (error) => sink.end(error),
        });
      indexer.follow(log);
    }
    for (let index = 0; index < 100; index++) {
      first.append([says(`first${index} `)]);
      second.append([says(`second${index} `)]);
      if (index % 10 === 0) await nextRound();
    }
    await indexer.flush();
    expect([indexDatabase.applied("s"), indexDatabase.applied("t")]).toEqual([100, 100]);
    expect(answers).toEqual(new Set([true, false]));
    expect(indexDatabase.search("first0 first50 first99")).toHaveLength(1);
  });

  it("erases a deleted session, even while its events are being applied", async () => {
    await using indexer = indexerOf(logs, { deriveBatchEvents: 5 });
    const log = await logs.create("gone");
    const stays = await logs.create("stays");
    for (const each of [log, stays]) {
      indexer.follow(each);
      each.append(talk(500));
    }
    await eventually(() => expect(indexDatabase.applied("gone")).toBeGreaterThan(0));
    await logs.delete("gone");
    await indexer.delete("gone");
    await indexer.flush();
    expect(indexDatabase.session("gone")).toBeNull();
    expect(indexDatabase.applied("stays")).toBe(503);
    expect(problems).toEqual([]);
  });

  it("erases sessions without a log at the start, and starts over if the log is shorter", async () => {
    for (const id of ["kept", "deleted", "restored"]) (await logs.create(id)).append(talk(5));
    {
      await using first = indexerOf(logs);
      await first.start();
    }
    await logs.delete("deleted");
    await logs.delete("restored");
    (await logs.create("restored")).append([opened, prompt("older copy")]);
    await using second = indexerOf(logs);
    await second.start();
    expect([...indexDatabase.progress().keys()].sort()).toEqual(["kept", "restored"]);
    expect(indexDatabase.session("restored")).toMatchObject({
      head: 2,
      firstPrompt: "older copy",
    });
    expect(indexDatabase.search("word1")).toHaveLength(1);
    expect(problems).toEqual([]);
  });

  it("stops following on request, and is complete up to then", async () => {
    await using indexer = indexerOf(logs);
    const log = await logs.create("s");
    indexer.follow(log);
    log.append(talk(5));
    await indexer.unfollow("s");
    await indexer.unfollow("never was");
    expect(indexDatabase.applied("s")).toBe(8);
    log.append([turnEnd()]);
    await indexer.flush();
    expect(indexDatabase.applied("s")).toBe(8);
    indexer.follow(log);
    await indexer.flush();
    expect(indexDatabase.applied("s")).toBe(9);
  });

  it("fills a database again that was emptied meanwhile", async () => {
    await using indexer = indexerOf(logs);
    const log = await logs.create("s");
    indexer.follow(log);
    log.append(talk(5));
    await indexer.flush();
    indexDatabase.clear();
    log.append([turnEnd()]);
    await eventually(() => expect(indexDatabase.applied("s")).toBe(9));
    expect(indexDatabase.search("question word4")).toEqual([]);
    expect(indexDatabase.search("word4")).toHaveLength(1);
  });

  it("ends without an error with its logs, and when it is closed", async () => {
    const indexer = indexerOf(logs);
    const log = await logs.create("s");
    indexer.follow(log);
    log.append(talk(5));
    await indexer.close();
    await indexer.close();
    log.append([turnEnd()]);
    indexer.follow(log);
    await indexer.flush();
    await using other = indexerOf(logs);
    other.follow(log);
    await logs.close();
    await other.flush();
    expect(problems).toEqual([]);
  });
});

describe("snapshots", () => {
  const limits = { snapshotEvents: 40, snapshotItems: 1_000 };

  it("are made on the way, and the tail folded onto them gives the view of the log", async () => {
    await using logs = memoryLogs();
    await using indexer = indexerOf(logs, { ...limits, deriveBatchEvents: 7 });
    const bodies: Record<string, EventBody[]> = {
      a: talk(100),
      b: [...talk(5), turnEnd(), ...talk(60)],
    };
    const opening = Object.keys(bodies).map((id) => logs.create(id));
    const open = await Promise.all(opening);
    for (const log of open) indexer.follow(log);
    // No view is kept: each is folded again from its snapshot.
    for (let index = 0; index < 103; index += 3) {
      for (const log of open) {
        const next = (bodies[log.sessionId] ?? []).slice(index, index + 3);
        if (next.length > 0) log.append(next);
      }
      await indexer.flush();
    }
    for (const log of open) {
      const snapshot = indexDatabase.snapshotAt(log.sessionId);
      const events = await eventsOf(log);
      expect(snapshot?.seq).toBeGreaterThanOrEqual(40);
      const resumed = fold(snapshot!.view, events.slice(snapshot!.seq));
      expect(resumed).toEqual(fold(emptyView(), events));
    }
  });

  it("are made again if they were dropped", async () => {
    await using logs = memoryLogs();
    const log = await logs.create("s");
    log.append(talk(100));
    {
      await using indexer = indexerOf(logs, limits);
      await indexer.start();
    }
    const before = indexDatabase.snapshotAt("s");
    expect(before?.seq).toBe(80);
    indexDatabase.close();
    const database = new DatabaseSync(path);
    database.exec("UPDATE snapshots SET format = 'older'");
    database.close();
    indexDatabase = openIndexDatabase(path);
    expect(indexDatabase.snapshotAt("s")).toBeNull();
    await using indexer = indexerOf(logs, limits);
    await indexer.start();
    expect(indexDatabase.snapshotAt("s")).toEqual(before);
  });
});

describe("a database that fails", () => {
  it("is reported once, stops no log, and is complete when it works again", async () => {
    await using logs = memoryLogs();
    for (let index = 0; index < 20; index++)
      await feed(indexDatabase, `old${index}`, [
        { seq: 1, at: 0, ...prompt(`old${index} `.repeat(2_000)) },
      ]);
    indexDatabase.close();
    const databaseBytes = statSync(path).size + 32 * 1_024;
    indexDatabase = openIndexDatabase(path, { limits: limitsOf("default", { databaseBytes }) });

    await using indexer = indexerOf(logs);
    const log = await logs.create("s");
    indexer.follow(log);
    for (let index = 0; index < 100; index++)
      log.append([
        prompt(Array.from({ length: 100 }, (_, at) => `w${index}x${at}`).join(" "), `p${index}`),
      ]);
    await eventually(() => expect(problems).toHaveLength(1));
    expect(problems[0]).toMatchObject({ code: "disk-full" });
    expect(indexer.problem?.code).toBe("disk-full");
    await expect(indexer.flush()).rejects.toMatchObject({ code: "disk-full" });
    log.append([prompt("the log goes on", "last")]);
    expect(log.head).toBe(101);
    expect(indexDatabase.search("old3")).toHaveLength(1);

    for (let index = 0; index < 20; index++) await indexer.delete(`old${index}`);
    await eventually(() => expect(indexDatabase.applied("s")).toBe(101));
    expect(indexer.problem).toBeNull();
    expect(problems).toHaveLength(1);
    await indexer.flush();
    expect(indexDatabase.search("w99x99")).toHaveLength(1);
  });

  it("does not restore what was deleted meanwhile", async () => {
    await using logs = memoryLogs();
    await using indexer = indexerOf(logs, { deriveRetryMs: 60_000 });
    const log = await logs.create("s");
    log.append(talk(3));
    const apply = indexDatabase.apply.bind(indexDatabase);
    indexDatabase.apply = () => {
      throw new LandlineError("disk-full");
    };
    indexer.follow(log);
    await eventually(() => expect(problems).toHaveLength(1));
    await logs.delete("s");
    await indexer.delete("s");
    indexDatabase.apply = apply;
    const other = await logs.create("t");
    other.append(talk(3));
    indexer.follow(other);
    await indexer.flush();
    expect(indexDatabase.applied("t")).toBe(6);
    expect(indexDatabase.session("s")).toBeNull();
  });

  it("does not prevent closing", async () => {
    await using logs = memoryLogs();
    const indexer = indexerOf(logs, { deriveRetryMs: 60_000 });
    const log = await logs.create("s");
    log.append(talk(3));
    vi.spyOn(indexDatabase, "applied").mockImplementation(() => {
      throw new LandlineError("disk-failed");
    });
    const started = indexer.start();
    await eventually(() => expect(problems).toHaveLength(1));
    await indexer.close();
    await started;
  });
});

describe("logs that show only durable events", () => {
  it("are followed like any other", async () => {
    await using logs = fileLogs(join(folder, "sessions"), { durability: "disk" });
    await using indexer = indexerOf(logs);
    const log = await logs.create("s");
    indexer.follow(log);
    for (let index = 0; index < 20; index++) log.append([says(`word${index} `)]);
    await indexer.flush();
    expect(indexDatabase.applied("s")).toBe(20);
    expect(indexDatabase.search("word0 word19")).toHaveLength(1);
  });
});

describe("a session that can't be indexed", () => {
  it("is reported and omitted, and the others continue", async () => {
    await using logs = memoryLogs();
    await using indexer = indexerOf(logs);
    const damaged = await logs.create("damaged");
    const whole = await logs.create("whole");
    damaged.append([opened, { kind: "prompt-queued", promptId: 5 } as unknown as EventBody]);
    whole.append([opened, toolCall("x"), permission("ask")]);
    await indexer.start();
    indexer.follow(whole);
    whole.append([turnEnd()]);
    await indexer.flush();
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ code: "log-damaged", data: { sessionId: "damaged" } });
    expect(problems[0]?.message).toContain("Session damaged is missing from lists and search");
    expect(indexDatabase.applied("whole")).toBe(4);
    expect(indexer.problem).toBeNull();
  });

  it("does not block others if the cause is a bug", async () => {
    await using logs = memoryLogs();
    const apply = indexDatabase.apply.bind(indexDatabase);
    indexDatabase.apply = (id, rows) => {
      if (id === "odd") throw new TypeError("a bug");
      apply(id, rows);
    };
    for (const id of ["odd", "sound"]) (await logs.create(id)).append(talk(2));
    await using indexer = indexerOf(logs);
    await indexer.start();
    expect(problems).toMatchObject([{ code: "internal-error", data: { sessionId: "odd" } }]);
    expect(indexDatabase.applied("sound")).toBe(5);
  });
});
