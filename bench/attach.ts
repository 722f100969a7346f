import * as path from "node:path";
import { decodeLine, emptyView, fold, limitsOf, type SessionView } from "@landline/protocol";
import {
  openIndexDatabase,
  type IndexDatabase,
} from "../packages/gateway/src/index/index-database.ts";
import { Indexer } from "../packages/gateway/src/index/indexer.ts";
import { fileLogs } from "../packages/gateway/src/log/file-logs.ts";
import type { SessionLog } from "../packages/gateway/src/log/log.ts";
import { figureOf, startMeter, type Figure, type Suite } from "./figure.ts";
import { trafficDrafts } from "./traffic.ts";

const COUNT = 100_000;
/** The number of events after the last snapshot. */
const TAIL = limitsOf("default").snapshotEvents - 1;
const BATCH = 200;
const ATTACHES = 5;

async function prepare(folder: string): Promise<void> {
  const logs = fileLogs(path.join(folder, "sessions"));
  const log = await logs.create("bench");
  using indexDatabase = openIndexDatabase(path.join(folder, "derived.sqlite"));
  await using indexer = new Indexer({
    logs,
    indexDatabase,
    onProblem: (error) => {
      throw error;
    },
  });
  indexer.follow(log);
  const append = (from: number, to: number) => {
    for (let at = from; at < to; at += BATCH)
      log.append(trafficDrafts(at, Math.min(BATCH, to - at), true));
  };
  append(0, COUNT - TAIL);
  await indexer.flush();
  await indexer.close();
  append(COUNT - TAIL, COUNT);
  await logs.close();
}

async function foldOn(view: SessionView, log: SessionLog): Promise<SessionView> {
  let folded = view;
  for await (const { bytes } of log.read(view.head)) {
    folded = fold(folded, bytes.toString().trimEnd().split("\n").map(decodeLine));
  }
  return folded;
}

/** Several attaches in one process, as in a gateway: log and database are open, and the code is warm. */
async function measure(
  folder: string,
  first: (indexDatabase: IndexDatabase) => SessionView,
): Promise<Figure> {
  using indexDatabase = openIndexDatabase(path.join(folder, "derived.sqlite"));
  const log = await fileLogs(path.join(folder, "sessions")).open("bench");
  let missing = 0;
  const attachOnce = async () => {
    const view = await foldOn(first(indexDatabase), log);
    missing += Math.abs(COUNT - view.head);
  };
  await attachOnce();
  const meter = startMeter();
  for (let time = 0; time < ATTACHES; time++) await attachOnce();
  return meter.stop(ATTACHES, missing);
}

function snapshot(indexDatabase: IndexDatabase): SessionView {
  const found = indexDatabase.snapshotAt("bench");
  if (!found) throw new Error("There is no snapshot.");
  return found.view;
}

export const attach: Suite = {
  name: "attach",
  about: `to a session of ${COUNT} events of mixed traffic, at most ${TAIL} of them after the last snapshot`,
  prepare,
  variants: {
    "replay and fold everything": (folder) => measure(folder, emptyView),
    "snapshot, and fold the rest": (folder) => measure(folder, snapshot),
  },
  claims: [
    {
      text: "snapshot ÷ everything, time",
      value: (figures) =>
        figureOf(figures, "snapshot, and fold the rest").wallMs /
        figureOf(figures, "replay and fold everything").wallMs,
      atMost: 1 / 20,
    },
    {
      text: "snapshot ÷ everything, CPU",
      value: (figures) =>
        figureOf(figures, "snapshot, and fold the rest").cpuPerEvent /
        figureOf(figures, "replay and fold everything").cpuPerEvent,
      atMost: 1 / 20,
    },
  ],
};
