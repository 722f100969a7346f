import * as path from "node:path";
import {
  decodeLine,
  emptyView,
  fold,
  type SessionEvent,
  type UnknownEvent,
} from "@landline/protocol";
import { fileLogs } from "../packages/gateway/src/log/file-logs.ts";
import { cpuRatio, startMeter, type Figure, type Suite } from "./figure.ts";
import { trafficDrafts } from "./traffic.ts";

const COUNT = 100_000;
const BATCH = 200;

async function lines(folder: string): Promise<string[]> {
  const log = await fileLogs(path.join(folder, "sessions")).open("bench");
  const found: string[] = [];
  for await (const { bytes } of log.read(0)) found.push(...bytes.toString().trimEnd().split("\n"));
  return found;
}

async function parseOnly(folder: string): Promise<Figure> {
  const all = await lines(folder);
  const meter = startMeter();
  let events = 0;
  for (const line of all) if (typeof JSON.parse(line) === "object") events++;
  return meter.stop(COUNT, Math.abs(COUNT - events));
}

/** In batches of `size`, as they come over a socket. */
async function folded(folder: string, size: number): Promise<Figure> {
  const all = await lines(folder);
  const meter = startMeter();
  let view = emptyView();
  for (let at = 0; at < all.length; at += size) {
    const events: (SessionEvent | UnknownEvent)[] = all.slice(at, at + size).map(decodeLine);
    view = fold(view, events);
  }
  return meter.stop(COUNT, Math.abs(COUNT - view.head));
}

export const folding: Suite = {
  name: "fold",
  about: `folding ${COUNT} events of mixed traffic into a view`,
  prepare: async (folder) => {
    const logs = fileLogs(path.join(folder, "sessions"));
    const log = await logs.create("bench");
    for (let at = 0; at < COUNT; at += BATCH) log.append(trafficDrafts(at, BATCH, true));
    await logs.close();
  },
  variants: {
    "JSON.parse alone": parseOnly,
    "decode and fold, 500 at a time": (folder) => folded(folder, 500),
    "decode and fold, 10 at a time": (folder) => folded(folder, 10),
    "decode and fold, 1 at a time": (folder) => folded(folder, 1),
  },
  claims: [
    {
      text: "decode and fold ÷ JSON.parse, CPU, 500 at a time",
      value: (figures) => cpuRatio(figures, "decode and fold, 500 at a time", "JSON.parse alone"),
    },
    {
      text: "… 10 at a time",
      value: (figures) => cpuRatio(figures, "decode and fold, 10 at a time", "JSON.parse alone"),
    },
    {
      text: "… 1 at a time",
      value: (figures) => cpuRatio(figures, "decode and fold, 1 at a time", "JSON.parse alone"),
    },
  ],
};
