import { expect, test } from "vitest";
import { SlowSocket } from "../../test/server/slow-socket.ts";
import type { LogChunk, SessionLog, TailSink } from "../log/log.ts";
import { Attachment } from "./attachment.ts";
import { FrameWriter } from "./frame-writer.ts";

const chunk: LogChunk = { first: 1, last: 1, bytes: Buffer.from('{"seq":1}\n') };

/** A log that is always one event ahead, and records who reads on. */
function logOf(name: string, readers: string[]) {
  const sinks: TailSink[] = [];
  const log = {
    sessionId: name,
    visible: 2,
    tail: (_after: number, sink: TailSink) => {
      sinks.push(sink);
      return { cursor: 1, resume: () => readers.push(name), [Symbol.dispose]: () => {} };
    },
  };
  return { log: log as unknown as SessionLog, sinks };
}

function attach(writer: FrameWriter, name: string, readers: string[], frame: Buffer) {
  const { log, sinks } = logOf(name, readers);
  const ends: unknown[] = [];
  const attachment = new Attachment({
    log,
    after: 0,
    writer,
    encode: () => frame,
    ended: (error) => ends.push(error),
  });
  return { attachment, sink: sinks[0]!, ends };
}

test("an attachment that leaves passes its turn to the next", async () => {
  const socket = new SlowSocket();
  const writer = new FrameWriter(socket, 100, () => true);
  const readers: string[] = [];
  const all = ["one", "two", "three"].map((name) =>
    attach(writer, name, readers, Buffer.alloc(101)),
  );
  for (const { sink } of all) expect(sink.write(chunk)).toBe(false);
  for (let count = 0; count < 3; count++) await socket.accept();
  expect(readers).toEqual(["one"]);
  all[0]!.attachment[Symbol.dispose]();
  expect(readers).toEqual(["one", "two"]);
  // So does one whose log has ended, and it reports why.
  const error = new Error("gone");
  all[1]!.sink.end(error);
  expect(readers).toEqual(["one", "two", "three"]);
  expect(all[1]!.ends).toEqual([error]);
  all[1]!.attachment[Symbol.dispose]();
  expect(all[1]!.ends).toHaveLength(1);
});

test("an attachment with nothing to send passes its turn on", async () => {
  const socket = new SlowSocket();
  const writer = new FrameWriter(socket, 100, () => true);
  const readers: string[] = [];
  const silent = attach(writer, "silent", readers, Buffer.alloc(0));
  const loud = attach(writer, "loud", readers, Buffer.alloc(101));
  writer.send(Buffer.alloc(101));
  expect(silent.sink.write(chunk)).toBe(false);
  expect(loud.sink.write(chunk)).toBe(false);
  for (let count = 0; count < 2; count++) await socket.accept();
  expect(readers).toEqual(["silent"]);
  expect(silent.sink.write(chunk)).toBe(true);
  expect(readers).toEqual(["silent", "loud"]);
});
