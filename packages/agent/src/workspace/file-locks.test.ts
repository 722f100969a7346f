import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { fc, test } from "@fast-check/vitest";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openScratch, type Scratch } from "../../test/workspace/scratch-project.ts";
import { FileLocks } from "./file-locks.ts";

let scratch: Scratch;

beforeEach(async () => {
  scratch = await openScratch();
});
afterEach(() => scratch[Symbol.asyncDispose]());

describe("locks of files", () => {
  test.prop([fc.array(fc.constantFrom("a", "b"), { maxLength: 20 })], { numRuns: 30 })(
    "run work on one file one at a time, in order",
    async (names) => {
      const locks = new FileLocks();
      const running = new Map<string, number>();
      const done: number[] = [];
      await Promise.all(
        names.map((name, index) =>
          locks.withFile(`/nowhere/${name}`, async () => {
            expect(running.get(name) ?? 0).toBe(0);
            running.set(name, 1);
            await Promise.resolve();
            running.set(name, 0);
            done.push(index);
          }),
        ),
      );
      for (const name of ["a", "b"]) {
        const order = done.filter((index) => names[index] === name);
        expect(order).toEqual(order.toSorted((one, other) => one - other));
      }
      expect(done).toHaveLength(names.length);
    },
  );

  it("are shared by two names of a file", async () => {
    const path = await scratch.write({ file: "" });
    const link = join(scratch.project, "link");
    await symlink("file", link);
    const locks = new FileLocks();
    const held = Promise.withResolvers<void>();
    const first = locks.withFile(path, () => held.promise);
    let second = false;
    const waiting = locks.withFile(link, async () => {
      second = true;
    });
    await locks.withFile(join(scratch.project, "other"), async () => undefined);
    expect(second).toBe(false);
    held.resolve();
    await Promise.all([first, waiting]);
    expect(second).toBe(true);
  });

  it("continue after work that failed, and return its error", async () => {
    const locks = new FileLocks();
    const failing = locks.withFile("/x", () => Promise.reject(new Error("no")));
    const next = locks.withFile("/x", async () => "done");
    await expect(failing).rejects.toThrow("no");
    await expect(next).resolves.toBe("done");
  });

  it("a wait can be aborted, and nobody overtakes the current holder", async () => {
    const locks = new FileLocks();
    const held = Promise.withResolvers<void>();
    const order: string[] = [];
    const first = locks.withFile("/x", async () => {
      await held.promise;
      order.push("first");
    });
    const controller = new AbortController();
    const aborted = locks.withFile("/x", async () => order.push("aborted"), controller.signal);
    const third = locks.withFile("/x", async () => order.push("third"));
    // A waiter that comes after them has run when all of them have.
    await locks.withFile("/y", async () => undefined);
    controller.abort(new Error("stopped"));
    await expect(aborted).rejects.toThrow("stopped");
    await setImmediate();
    expect(order).toEqual([]);
    held.resolve();
    await Promise.all([first, third]);
    expect(order).toEqual(["first", "third"]);
  });
});
