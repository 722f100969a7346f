import { appendFileSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextRound } from "node:timers/promises";
import { limitsOf, type EventBody } from "@landline/protocol";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fileLogs } from "./file-logs.ts";
import type { LogChunk, Logs, ReadableLog, TailSink } from "./log.ts";
import { LogFollower } from "./log-follower.ts";

let folder: string;
let written: Logs;
let follower: LogFollower;
const limits = limitsOf("default", { segmentBytes: 2_000, readBytes: 500, indexEvents: 4 });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "landline-follower-"));
  written = fileLogs(folder, { limits });
  follower = new LogFollower(folder, limits);
});

afterEach(async () => {
  await written.close();
  rmSync(folder, { recursive: true, force: true });
});

const says = (text: string): EventBody => ({
  kind: "update",
  update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
});

/** Collects the chunks and the end of a tail. */
function collect() {
  const seqs: number[] = [];
  const ends: (Error | undefined)[] = [];
  const sink: TailSink = {
    write: ({ first, last }) => {
      for (let seq = first; seq <= last; seq++) seqs.push(seq);
      return true;
    },
    end: (error) => ends.push(error),
  };
  return { seqs, ends, sink };
}

async function read(log: ReadableLog, after: number): Promise<string> {
  const chunks: LogChunk[] = [];
  for await (const chunk of log.read(after)) chunks.push(chunk);
  return Buffer.concat(chunks.map(({ bytes }) => bytes)).toString();
}

const until = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe("a log that another thread writes", () => {
  it("is read up to the announced head, over any number of segments, while it grows", async () => {
    const log = await written.create("s");
    const { seqs, sink } = collect();
    log.append([says("first")]);
    using _tail = follower.advance("s", 1).tail(0, sink);
    for (let round = 0; round < 10; round++) {
      for (let index = 0; index < 6; index++) log.append([says("x".repeat(round * index))]);
      // Every other time, advance while it may still be reading.
      if (round % 2 === 0) await nextRound();
      follower.advance("s", log.head);
    }
    await expect.poll(() => seqs).toEqual(until(61));
    expect(readdirSync(join(folder, "s")).length).toBeGreaterThan(3);
  });

  it("has the same bytes from every cursor up to the announced head", async () => {
    const log = await written.create("s");
    for (let index = 0; index < 50; index++) log.append([says(`word ${index}`)]);
    await fc.assert(
      fc.asyncProperty(fc.nat(50), fc.nat(50), async (a, b) => {
        const [after, head] = a < b ? [a, b] : [b, a];
        const lines: string[] = [];
        for await (const { bytes } of log.read(0)) lines.push(bytes.toString());
        const wanted = lines.join("").split("\n").slice(after, head);
        const reader = new LogFollower(folder, limits).advance("s", head);
        expect(await read(reader, after)).toBe(wanted.map((line) => `${line}\n`).join(""));
      }),
      { numRuns: 40 },
    );
  });

  it("shows nothing beyond the announced head, although the file has more", async () => {
    const log = await written.create("s");
    log.append([says("announced")]);
    log.append([says("hidden")]);
    const [segment] = readdirSync(join(folder, "s"));
    appendFileSync(join(folder, "s", segment!), '{"seq":3,"at":0,"ki');
    const reader = follower.advance("s", 1);
    const { seqs, sink } = collect();
    using _tail = reader.tail(0, sink);
    expect(await read(reader, 0)).toContain("announced");
    expect(await read(reader, 0)).not.toContain("hidden");
    expect(seqs).toEqual([1]);
    // A late, smaller head does not move it back.
    follower.advance("s", 2);
    expect(follower.advance("s", 1).head).toBe(2);
  });

  it("is not modified", async () => {
    const log = await written.create("s");
    log.append([says("a")]);
    const [segment] = readdirSync(join(folder, "s"));
    appendFileSync(join(folder, "s", segment!), "half a li");
    const before = await read(follower.advance("s", 1), 0);
    log.append([says("b")]);
    expect(await read(follower.advance("s", 2), 0)).toContain(before.trimEnd());
    expect(() => follower.advance("s", 2).tail(3, collect().sink)).toThrow(
      expect.objectContaining({ code: "cursor-ahead" }),
    );
  });

  it("gives access to blobs", async () => {
    const log = await written.create("s");
    log.append([says("y".repeat(300_000))]);
    const line = await read(follower.advance("s", 1), 0);
    const hash = /"\$blob":"([0-9a-f]{64})"/.exec(line)?.[1];
    const reader = await follower.open("s");
    expect((await reader.blob(hash ?? ""))?.length).toBe(300_000);
    expect(await reader.blob("0".repeat(64))).toBeNull();
    expect(await reader.blob("../../etc/passwd")).toBeNull();
  });

  it("reports a deleted log as not found and a damaged one as damaged", async () => {
    const log = await written.create("s");
    log.append([says("a")]);
    await expect(follower.open("s")).rejects.toMatchObject({ code: "session-not-found" });
    const reader = follower.advance("s", 1);
    // One more than there is, as if the writer announced too much or the file was truncated.
    follower.advance("s", 2);
    await expect(read(reader, 1)).rejects.toMatchObject({ code: "log-damaged" });
    await written.delete("s");
    await expect(read(reader, 0)).rejects.toMatchObject({ code: "session-not-found" });
    const { ends, sink } = collect();
    using _tail = reader.tail(2, sink);
    follower.forget("s");
    expect(ends).toEqual([undefined]);
    expect(await follower.list()).toEqual([]);
  });
});
