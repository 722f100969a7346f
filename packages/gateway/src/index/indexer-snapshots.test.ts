import { decodeLine, emptyView, fold, limitsOf } from "@landline/protocol";
import { expect, it } from "vitest";
import { memoryLogs } from "../../test/log/memory.ts";
import { openIndexDatabase } from "./index-database.ts";
import { Indexer } from "./indexer.ts";
import { says } from "../../test/index/sample-events.ts";

it("writes no snapshot that the next one will replace", async () => {
  await using logs = memoryLogs();
  const log = await logs.create("s");
  log.append(Array.from({ length: 1_005 }, (_, index) => says(`word${index} `)));
  using indexDatabase = openIndexDatabase(":memory:");
  const written: number[] = [];
  const apply = indexDatabase.apply.bind(indexDatabase);
  indexDatabase.apply = (id, rows) => {
    if (rows.snapshot) written.push(rows.snapshot.seq);
    apply(id, rows);
  };
  const limits = limitsOf("default", { snapshotEvents: 40, deriveBatchEvents: 50 });
  await using indexer = new Indexer({
    indexDatabase,
    logs,
    limits,
    onProblem: (problem) => {
      throw problem;
    },
  });
  await indexer.start();
  // It is where it would be if all had been written.
  expect(written).toEqual([1_000]);
  const events = [];
  for await (const { bytes } of log.read(0))
    events.push(...bytes.toString().trimEnd().split("\n").map(decodeLine));
  const resumed = fold(indexDatabase.snapshotAt("s")?.view ?? emptyView(), events.slice(1_000));
  expect(resumed.items).toEqual(fold(emptyView(), events).items);
});

it("writes a large snapshot again only when the log grew by as much, or by many events", async () => {
  await using logs = memoryLogs();
  const log = await logs.create("s");
  using indexDatabase = openIndexDatabase(":memory:");
  const limits = limitsOf("default", { snapshotEvents: 40 });
  await using indexer = new Indexer({ indexDatabase, logs, limits });
  indexer.follow(log);
  const seqs: number[] = [];
  const append = async (count: number, text: string) => {
    log.append(Array.from({ length: count }, () => says(text)));
    await indexer.flush();
    seqs.push(indexDatabase.snapshotSeq("s"));
  };
  await append(40, "long ".repeat(2_000));
  await append(40, "short ");
  await append(40, "long ".repeat(2_000));
  for (let round = 0; round < 5; round++) await append(40, "short ");
  expect(seqs).toEqual([40, 40, 120, 120, 120, 120, 120, 320]);
});
