import { mkdtemp, open, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { text } from "../../test/session/records.ts";
import { JsonlFile } from "./jsonl-file.ts";
import { takeSessionLock } from "./session-lock.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "landline-agent-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe("a session on a full disk", () => {
  it("keeps unwritten records, reports the error, and writes them when there is space", async () => {
    const path = join(folder, "file");
    const handle = await open(path, "wx+");
    const disk = { isFull: false };
    const write = handle.write.bind(handle);
    // A disk that fills up accepts a part of a write.
    handle.write = (async (bytes: Buffer, offset: number, _length: unknown, position: number) => {
      if (!disk.isFull) return write(bytes, offset, undefined, position);
      await write(bytes, offset, 5, position);
      throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
    }) as typeof handle.write;
    const lock = await takeSessionLock(join(folder, "lock"), "session");
    const file = new JsonlFile({
      sessionId: "session",
      path,
      outputs: join(folder, "outputs"),
      records: [],
      handle,
      size: 0,
      lock,
    });
    file.append(text("one"));
    await file.flush();
    disk.isFull = true;
    file.append(text("two"));
    await expect(file.flush()).rejects.toMatchObject({
      reason: "not-written",
      message: expect.stringMatching(/no space left.*nothing is lost/) as string,
    });
    file.append(text("three"));
    await expect(file.flush()).rejects.toMatchObject({ reason: "not-written" });
    disk.isFull = false;
    await file[Symbol.asyncDispose]();
    const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      text("one"),
      text("two"),
      text("three"),
    ]);
  });
});
