import { Writable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { batchWrites } from "./batch-writes.ts";

/** Records each write that reached the stream, as the chunks in it. */
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

describe("a stream with batched writes", () => {
  beforeEach(async () => {
    await setImmediate();
  });

  it("writes everything from one event's promises at once, and later data separately", async () => {
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

  it("is batched again at the next event, and once however often batchWrites is called", async () => {
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

  it("writes its data if another stream was destroyed meanwhile", async () => {
    const [gone, stream] = [new Counted(), new Counted()];
    batchWrites(gone);
    batchWrites(stream);
    gone.destroy();
    stream.write("a");
    await setImmediate();
    expect(stream.writes).toEqual([["a"]]);
  });

  it("writes its data when it ends", async () => {
    const stream = new Counted();
    batchWrites(stream);
    stream.write("a");
    stream.end("b");
    await setImmediate();
    expect(stream.writes.flat()).toEqual(["a", "b"]);
  });
});
