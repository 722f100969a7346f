import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { markName } from "./process-mark.ts";
import {
  descendantsAndSessionsOf,
  isRunning,
  type ProcessRow,
  readProcessTable,
  readProcessTableNow,
  startTimeOf,
} from "./process-table.ts";

const isLinux = process.platform === "linux";

it.skipIf(!isLinux)("identifies processes, with marks and any names", async () => {
  const script = `process.title = "a) Z 1 (b"; setInterval(() => {}, 1_000); console.log("ready");`;
  const child = spawn(process.execPath, ["-e", script], {
    env: { [markName]: "outer:own" },
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const pid = child.pid ?? 0;
  await once(child.stdout, "data");
  const wanted = { pid, parent: process.pid, session: pid, marks: ["outer", "own"] };
  for (const table of [await readProcessTable(), readProcessTableNow()])
    expect(table.find((row) => row.pid === pid)).toMatchObject({
      ...wanted,
      startTime: await startTimeOf(pid),
    });
  expect(isRunning(pid)).toBe(true);
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
  expect(isRunning(pid)).toBe(false);
  expect(await startTimeOf(pid)).toBeNull();
});

it("finds children, and members of sessions, but never this process", () => {
  const row = (pid: number, parent: number, session: number): ProcessRow => ({
    pid,
    parent,
    group: session,
    session,
    startTime: 1,
    marks: [],
  });
  const table = [row(2, 1, 2), row(3, 2, 2), row(4, 3, 4), row(5, 1, 4), row(process.pid, 3, 2)];
  const family = descendantsAndSessionsOf(table, ({ pid }) => pid === 3).map(({ pid }) => pid);
  expect(family).toEqual([3, 4, 5]);
});
