import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { lives, startedWith } from "../test/live-processes.ts";
import { ProcessGroup } from "./process-group.ts";

it.skipIf(process.platform === "win32")(
  "ends all of its members, also those that ignore SIGTERM",
  async () => {
    const time = `4${process.pid}`;
    const line = `trap '' TERM; sleep ${time} & echo ready; wait; wait`;
    const child = spawn("/bin/sh", ["-c", line], {
      detached: true,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const group = new ProcessGroup(child.pid ?? 0);
    child.once("exit", () => group.leaderExited());
    await once(child.stdout, "data");
    expect(group.alive).toBe(true);
    const exited = once(child, "exit");
    await group.end(100);
    expect(await exited).toEqual([null, "SIGKILL"]);
    await expect.poll(() => group.alive).toBe(false);
    expect(startedWith(`sleep\0${time}\0`).filter(lives)).toEqual([]);
  },
);

it("sends nothing to a group whose number belongs to another process", () => {
  // This process exists, so once its group's leader counts as awaited, the number is somebody else's.
  const group = new ProcessGroup(process.pid);
  group.leaderExited();
  expect(group.isOurs).toBe(false);
  expect(group.alive).toBe(false);
  group.kill();
});
