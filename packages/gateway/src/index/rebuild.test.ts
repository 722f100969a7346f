import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { limitsOf, type EventBody, type Limits } from "@landline/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fileLogs } from "../log/file-logs.ts";
import type { Logs } from "../log/log.ts";
import { memoryLogs } from "../../test/log/memory.ts";
import { feed } from "../../test/index/feed.ts";
import { openIndexDatabase, type IndexDatabase } from "./index-database.ts";
import { Indexer } from "./indexer.ts";
import { rebuild } from "./rebuild.ts";
import { refold } from "./refold.ts";
import { anyBody, numbered, opened, prompt, says } from "../../test/index/sample-events.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "landline-rebuild-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** All queries and their results, and the views that the snapshots lead to. */
async function answersOf(indexDatabase: IndexDatabase, logs: Logs, limits: Limits) {
  const { sessions } = indexDatabase.listSessions();
  const views: string[] = [];
  for (const { sessionId, head } of sessions) {
    const log = await logs.open(sessionId);
    const { foldState } = await refold(log, indexDatabase.snapshotAt(sessionId), head, limits);
    views.push(JSON.stringify(foldState.view));
  }
  return {
    sessions,
    audit: indexDatabase.audit().entries,
    hits: ["alpha", "beta", "gamma", "日", "👍", "tool", "renamed"].map((text) =>
      indexDatabase
        .search(text)
        .map((hit) => JSON.stringify(hit))
        .sort(),
    ),
    views,
  };
}

describe("a rebuilt database", () => {
  it("gives the same answers as one that was filled live", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.tuple(
            fc.constantFrom("a", "b", "c"),
            fc.array(anyBody, { minLength: 1, maxLength: 12 }),
          ),
          { maxLength: 12 },
        ),
        async (appends) => {
          await using logs = memoryLogs({ now: () => 1_000 });
          const limits = limitsOf("default", {
            snapshotEvents: 10,
            snapshotItems: 5,
            deriveBatchEvents: 4,
          });
          using live = openIndexDatabase(":memory:");
          {
            await using indexer = new Indexer({ indexDatabase: live, logs, limits });
            const known = new Set<string>();
            for (const [sessionId, bodies] of appends) {
              const log = known.has(sessionId)
                ? await logs.open(sessionId)
                : await logs.create(sessionId);
              known.add(sessionId);
              indexer.follow(log);
              log.append(bodies);
              if (bodies.length % 3 === 0) await indexer.flush();
            }
            await indexer.flush();
          }
          using rebuilt = openIndexDatabase(":memory:");
          const result = await rebuild(rebuilt, logs, {
            limits: { ...limits, deriveBatchEvents: 7 },
          });
          expect(result.problems).toEqual([]);
          const answers = await answersOf(rebuilt, logs, limits);
          expect(answers).toEqual(await answersOf(live, logs, limits));
        },
      ),
      { numRuns: 40 },
    );
  });

  it("replaces the old one, and reports its progress", async () => {
    await using logs = fileLogs(join(folder, "sessions"));
    for (const id of ["a", "b"])
      (await logs.create(id)).append([opened, prompt("kept"), says("all of it")]);
    using indexDatabase = openIndexDatabase(join(folder, "derived.sqlite"));
    await feed(indexDatabase, "stale", [{ seq: 1, at: 0, ...prompt("stale") }]);
    const told: string[] = [];
    const result = await rebuild(indexDatabase, logs, {
      onProgress: ({ done, total, sessionId }) => told.push(`${sessionId}: ${done} of ${total}`),
    });
    expect(result).toEqual({ sessions: 2, problems: [] });
    expect(told).toEqual(["a: 1 of 2", "b: 2 of 2"]);
    expect(indexDatabase.search("stale")).toEqual([]);
    expect(indexDatabase.search("kept")).toHaveLength(2);
    expect(indexDatabase.search("all of it")).toHaveLength(2);
  });

  it("replaces wrong rows of a session that is up to date", async () => {
    await using logs = memoryLogs();
    (await logs.create("s")).append([opened, prompt("right")]);
    using indexDatabase = openIndexDatabase(":memory:");
    await feed(indexDatabase, "s", numbered([opened, prompt("wrong")]));
    await rebuild(indexDatabase, logs);
    expect(indexDatabase.search("wrong")).toEqual([]);
    expect(indexDatabase.search("right")).toHaveLength(1);
  });

  it("reports the sessions that can't be indexed, and contains the others", async () => {
    await using logs = memoryLogs();
    (await logs.create("damaged")).append([
      { kind: "session-opened", agent: 5 } as unknown as EventBody,
    ]);
    (await logs.create("whole")).append([opened]);
    using indexDatabase = openIndexDatabase(":memory:");
    const { problems } = await rebuild(indexDatabase, logs);
    expect(problems.map(({ data }) => data["sessionId"])).toEqual(["damaged"]);
    expect(indexDatabase.listSessions().sessions).toHaveLength(1);
  });

  it("fails, without waiting, if the database fails", async () => {
    await using logs = memoryLogs();
    const words = Array.from({ length: 3_000 }, (_, index) => `w${index}`).join(" ");
    for (const id of ["a", "b", "c", "d"])
      (await logs.create(id)).append(
        Array.from({ length: 20 }, (_, at) => prompt(`${id}${at} ${words}`, `p${at}`)),
      );
    const limits = limitsOf("default", { databaseBytes: 400 * 1_024, deriveRetryMs: 60_000 });
    using indexDatabase = openIndexDatabase(join(folder, "derived.sqlite"), { limits });
    await expect(rebuild(indexDatabase, logs, { limits })).rejects.toMatchObject({
      code: "disk-full",
    });
  });
});
