import { once } from "node:events";
import { expect, it, vi } from "vitest";
import { lives, startedWith } from "../test/live-processes.ts";
import { ProcessGroup } from "./process-group.ts";
import { startProgram } from "./start-program.ts";

const time = `4${process.pid}`;
const sleeping = () => startedWith(`sleep\0${time}\0`).filter(lives);

/** A shell that is ready. */
async function shell(line: string, leftovers: "end" | "stay") {
  const env = { PATH: process.env["PATH"] ?? "" };
  const call = { file: "/bin/sh", args: ["-c", line], env };
  const stdio = ["pipe", "pipe", "ignore"] as const;
  const { child, group, exited } = startProgram({ call, cwd: "/", stdio, leftovers });
  if (group === null || child.stdout === null) throw new Error("It was not started.");
  await once(child.stdout, "data");
  return { child, group, exited };
}

it.skipIf(process.platform === "win32").each(["end", "stay"] as const)(
  "ends all members, even those that ignore SIGTERM; leftovers %s",
  async (leftovers) => {
    const { group, exited } = await shell(
      `trap '' TERM; sleep ${time} & echo ready; wait; wait`,
      leftovers,
    );
    expect(group.alive).toBe(true);
    expect(await group.end({ termMs: 100, killMs: 60_000 })).toBe(true);
    expect(await exited).toEqual({ code: null, signal: "SIGKILL" });
    expect(group.isForced).toBe(true);
    await expect.poll(() => group.alive).toBe(false);
    expect(sleeping()).toEqual([]);
  },
);

it.skipIf(process.platform === "win32")(
  "kills what the leader leaves behind, or keeps it until the group is ended",
  async () => {
    const line = `sleep ${time} & echo ready; read x; exit 5`;
    const ending = await shell(line, "end");
    expect(
      await ending.group.end({
        ask: () => ending.child.stdin?.end(),
        askMs: 60_000,
        termMs: 0,
        killMs: 0,
      }),
    ).toBe(true);
    expect(await ending.group.gone).toEqual({ code: 5, signal: null });
    expect(ending.group.isForced).toBe(false);
    await expect.poll(sleeping).toEqual([]);

    const staying = await shell(line, "stay");
    staying.child.stdin?.end();
    await staying.exited;
    await expect.poll(() => sleeping().length).toBe(1);
    expect(staying.group.alive).toBe(true);
    expect(await staying.group.end({ termMs: 60_000, killMs: 0 })).toBe(true);
    expect(sleeping()).toEqual([]);
  },
);

it.skipIf(process.platform === "win32")(
  "is ended with the shortest time limits of concurrent calls",
  async () => {
    const { group } = await shell("trap '' TERM; echo ready; while :; do sleep 0.1; done", "end");
    const ask = vi.fn<() => void>();
    const patient = group.end({ ask, askMs: 60_000, termMs: 60_000, killMs: 60_000 });
    expect(await group.end({ ask, askMs: 10, termMs: 10, killMs: 60_000 })).toBe(true);
    expect(await patient).toBe(true);
    expect(ask).toHaveBeenCalledOnce();
  },
);

it("gives up if the group cannot be ended", async () => {
  const signal = vi.spyOn(process, "kill").mockReturnValue(true);
  try {
    const group = new ProcessGroup(1, { exited: new Promise(() => {}), leftovers: "end" });
    expect(await group.end({ termMs: 1, killMs: 1 })).toBe(false);
    expect(await group.gone).toBeNull();
  } finally {
    signal.mockRestore();
  }
});

it("sends no signal if the pid belongs to another process", async () => {
  // This pid exists, so after the leader was reaped, it belongs to another process.
  const exited = Promise.resolve();
  const group = new ProcessGroup(process.pid, { exited, leftovers: "stay" });
  await exited;
  expect(group.alive).toBe(false);
  group.kill();
});
