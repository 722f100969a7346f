import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openScratch, refusedWith } from "../../test/acp-client/scratch.ts";
import { readLines } from "./files/lines.ts";
import { replaceFile } from "./files/replace.ts";
import { openForReading } from "./paths.ts";
import { withTimeLimit } from "./time-limit.ts";

describe("a time limit", () => {
  it("returns the result of the work", async () => {
    expect(await withTimeLimit(1_000, "It", () => Promise.resolve(1))).toBe(1);
    const failing = withTimeLimit(1_000, "It", () => Promise.reject(new Error("broken")));
    await expect(failing).rejects.toThrow("broken");
  });

  it("fails in time, aborts the work, and ignores its result", async () => {
    const late = Promise.withResolvers<void>();
    let told: AbortSignal | null = null;
    const limited = withTimeLimit(10, "It", (signal) => {
      told = signal;
      return late.promise;
    });
    await expect(limited).rejects.toMatchObject({
      code: "timeout",
      message: "It took longer than 10 ms.",
    });
    expect(told).toMatchObject({ aborted: true });
    late.reject(new Error("too late to matter"));
  });
});

describe("work after its time limit", () => {
  const over = () => AbortSignal.abort(new Error("over"));

  it("replaces no file and leaves nothing behind", async () => {
    await using scratch = await openScratch();
    const path = join(scratch.project, "a.txt");
    await writeFile(path, "old");
    const replacement = { path, text: Buffer.from("new") };
    const writing = replaceFile(scratch.context(), scratch.temporaries, replacement, over());
    expect(await refusedWith(writing)).not.toBe("taken");
    expect(await readFile(path, "utf8")).toBe("old");
    expect(await readdir(scratch.project)).toEqual(["a.txt"]);
  });

  it("reads no further", async () => {
    await using scratch = await openScratch();
    const path = join(scratch.project, "a.txt");
    await writeFile(path, "text");
    const { handle } = await openForReading(scratch.context(), path);
    await using _handle = handle;
    await expect(readLines(handle, { first: 1, count: null }, 100, over())).rejects.toThrow("over");
  });
});
