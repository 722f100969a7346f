import { Writable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { Outbox } from "./outbox.ts";

test("the first message is written at once, and the following ones in one write", async () => {
  const writes: string[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write: (text: string, _, done) => {
      writes.push(text);
      done();
    },
    writev: (chunks, done) => {
      writes.push(chunks.map(({ chunk }) => chunk as string).join(""));
      done();
    },
  });
  const outbox = new Outbox(stream, 1_000, 1_000, () => {});
  for (const id of [1, 2, 3]) outbox.send({ id });
  expect(writes).toEqual(['{"id":1}\n']);
  await setImmediate();
  outbox.send({ id: 4 });
  expect(writes).toEqual(['{"id":1}\n', '{"id":2}\n{"id":3}\n', '{"id":4}\n']);
});

test("data that waits to be joined counts as unread", () => {
  const held: boolean[] = [];
  const stream = new Writable({ write: (_, __, done) => done() });
  const outbox = new Outbox(stream, 50, 100, (isHeld) => held.push(isHeld));
  const message = { text: "x".repeat(40) };
  expect([1, 2, 3].map(() => outbox.send(message))).toEqual([true, true, false]);
  expect(held).toEqual([true]);
});
