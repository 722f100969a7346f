import { Writable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { batchWrites } from "./batch-writes.ts";

/** Each write that reached the stream's own end, as the pieces that were in it. */
class Counted extends Writable {
  readonly writes: string[][] = [];

  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.writes.push([chunk.toString()]);
    done();
  }

  override _writev(chunks: { chunk: Buffer }[], done: () => void): void {
    this.writes.push(chunks.map(({ chunk }) => chunk.toString()));
    done();
  }
}

async function hop(times: number): Promise<void> {
  for (let left = times; left > 0; left -= 1) await Promise.resolve();
}

describe("a stream whose writes are joined", () => {
  beforeEach(async () => {
    await setImmediate();
  });

  it("gets what the event's promises write as one, and what comes later by itself", async () => {
    const stream = new Counted();
    batchWrites(stream);
    stream.write("a");
    void hop(100).then(() => stream.write("b"));
    const later = setImmediate().then(() => stream.write("c"));
    expect(stream.writes).toEqual([]);
    await later;
    await setImmediate();
    expect(stream.writes).toEqual([["a", "b"], ["c"]]);
  });

  it("is joined again at the next event, and once however often it is asked for", async () => {
    const stream = new Counted();
    for (const event of ["1", "2"]) {
      batchWrites(stream);
      batchWrites(stream);
      stream.write(`a${event}`);
      stream.write(`b${event}`);
      await setImmediate();
    }
    expect(stream.writes).toEqual([
      ["a1", "b1"],
      ["a2", "b2"],
    ]);
  });

  it("gets them when another one has gone meanwhile", async () => {
    const [gone, stream] = [new Counted(), new Counted()];
    batchWrites(gone);
    batchWrites(stream);
    gone.destroy();
    stream.write("a");
    await setImmediate();
    expect(stream.writes).toEqual([["a"]]);
  });

  it("gets them when it ends", async () => {
    const stream = new Counted();
    batchWrites(stream);
    stream.write("a");
    stream.end("b");
    await setImmediate();
    expect(stream.writes.flat()).toEqual(["a", "b"]);
  });
});
