import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { startTimeOf, type ProcessRow } from "./process-table.ts";
import { orphansIn, Sweeper } from "./process-sweep.ts";
import { until } from "../test/live-processes.ts";

const row = (pid: number, parent: number, more: Partial<ProcessRow> = {}): ProcessRow => ({
  pid,
  parent,
  group: 1,
  session: 1,
  startTime: 100,
  marks: [],
  ...more,
});

const found = (table: ProcessRow[], startTimes?: ReadonlyMap<number, number>) =>
  orphansIn(table, { marks: new Set(["m"]), ...(startTimes ? { startTimes } : {}) })
    .map(({ pid }) => pid)
    .toSorted((a, b) => a - b);

test("finds marked processes, their descendants, and the members of their sessions", () => {
  const table = [
    row(13, 12),
    row(12, 11),
    row(11, 10),
    row(10, 1, { marks: ["other", "m"], session: 10 }),
    row(20, 1, { session: 10 }),
    row(30, 1, { marks: ["other"] }),
    row(31, 30),
    row(1, 0),
  ];
  expect(found(table)).toEqual([10, 11, 12, 13, 20]);
});

test("finds nothing without a mark", () => {
  expect(found([row(1, 0), row(2, 1)])).toEqual([]);
});

test("ignores a known pid with another start time", () => {
  const table = [row(10, 1, { marks: ["m"] }), row(11, 10), row(12, 1, { marks: ["m"] })];
  expect(found(table, new Map([[10, 99]]))).toEqual([12]);
  expect(found(table, new Map([[10, 100]]))).toEqual([10, 11, 12]);
});

test("never finds this process", () => {
  const us = process.pid;
  expect(found([row(us, 1, { marks: ["m"] }), row(2, us)])).toEqual([]);
  expect(found([row(10, 1, { marks: ["m"] }), row(us, 10), row(2, us)])).toEqual([10]);
});

// Larger than any pid on Linux.
const nobody = 2 ** 22 + 1;

test("one scan serves all earlier requests", async () => {
  let looks = 0;
  const sweeper = new Sweeper(async () => {
    looks += 1;
    return [];
  });
  const asking = Array.from({ length: 200 }, (_, index) =>
    sweeper.sweep({ marks: new Set([`m${index}`]), limitMs: 10_000 }),
  );
  for (const swept of await Promise.all(asking)) expect(swept).toEqual({ ended: 0, left: [] });
  // One for the first request, and one for all that came during it.
  expect(looks).toBe(2);
});

test("requests do not wait for each other, and have separate time limits", async () => {
  const sweeper = new Sweeper(async () => [row(nobody, 1, { marks: ["stubborn"] })]);
  const settled: string[] = [];
  const ask = async (mark: string, limitMs: number) => {
    const swept = await sweeper.sweep({ marks: new Set([mark]), limitMs });
    settled.push(mark);
    return swept;
  };
  const all = await Promise.all([ask("stubborn", 200), ask("calm", 60_000)]);
  expect(all).toEqual([
    { ended: 0, left: [nobody] },
    { ended: 0, left: [] },
  ]);
  expect(settled).toEqual(["calm", "stubborn"]);
});

test("ends the found processes, however long the scan took", async () => {
  const child = spawn("sleep", ["60"], { stdio: "ignore" });
  const exited = once(child, "exit");
  await once(child, "spawn");
  const pid = child.pid ?? 0;
  const startTime = (await startTimeOf(pid)) ?? 0;
  const sweeper = new Sweeper(async () => {
    const limitEnds = performance.now() + 2;
    while (performance.now() < limitEnds) await new Promise(setImmediate);
    const isThere = (await startTimeOf(pid)) === startTime;
    return isThere ? [row(pid, 1, { marks: ["m"], startTime })] : [];
  });
  expect(await sweeper.sweep({ marks: new Set(["m"]), limitMs: 1 })).toMatchObject({ ended: 1 });
  expect(await exited).toEqual([null, "SIGKILL"]);
});

test("with a grace period, sends SIGTERM once before SIGKILL", async () => {
  const line = "trap 'echo heard' TERM; echo ready; while :; do sleep 0.01; done";
  const child = spawn("/bin/sh", ["-c", line], { stdio: ["ignore", "pipe", "ignore"] });
  const exited = once(child, "exit");
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  await expect.poll(() => output).toBe("ready\n");
  const pid = child.pid ?? 0;
  const startTime = (await startTimeOf(pid)) ?? 0;
  let looks = 0;
  const sweeper = new Sweeper(async () => {
    looks += 1;
    // The second look follows SIGTERM. It ends when the shell has handled the signal, before SIGKILL.
    if (looks === 2) await until(() => output === "ready\nheard\n");
    return (await startTimeOf(pid)) === startTime ? [row(pid, 1, { startTime })] : [];
  });
  const swept = await sweeper.sweep({
    marks: new Set(["m"]),
    found: [row(pid, 1, { startTime })],
    graceMs: 200,
    limitMs: 60_000,
  });
  expect(swept).toEqual({ ended: 1, left: [] });
  expect(await exited).toEqual([null, "SIGKILL"]);
  expect(output).toBe("ready\nheard\n");
});

test("gives up processes that keep starting others", async () => {
  let count = 0;
  const sweeper = new Sweeper(async () => [row(nobody + ++count, 1, { marks: ["m"] })]);
  const { left } = await sweeper.sweep({ marks: new Set(["m"]), limitMs: 50 });
  expect(left).toEqual([nobody + count]);
});

test("rejects current requests if the table cannot be read, and scans again for later ones", async () => {
  let isBroken = true;
  const sweeper = new Sweeper(async () => {
    if (isBroken) throw new Error("too many open files");
    return [];
  });
  const sweeping = { marks: new Set(["m"]), limitMs: 1_000 };
  await expect(sweeper.sweep(sweeping)).rejects.toThrow("too many open files");
  isBroken = false;
  expect(await sweeper.sweep(sweeping)).toEqual({ ended: 0, left: [] });
});
