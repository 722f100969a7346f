import { expect, test } from "vitest";
import type { Segment } from "./segment.ts";
import { ReadCache, type Run } from "./read-cache.ts";

const segment = (): Segment => ({ path: "a", first: 1, size: 0, marks: [] });

function runOf(bytes: number): Run {
  const chunk = { first: 1, last: 1, bytes: Buffer.alloc(bytes) };
  return { chunk, end: bytes, next: 2 };
}

/** Reads a run of 10 bytes and counts its calls. */
function counting(bytes = 10) {
  const read = async () => {
    read.count += 1;
    return runOf(bytes);
  };
  read.count = 0;
  return read;
}

test("readers at the same position share one read, even while it is in progress", async () => {
  const shared = new ReadCache(100);
  shared.addReader();
  const place = segment();
  const read = counting();
  const both = await Promise.all([shared.at(place, 0, read), shared.at(place, 0, read)]);
  expect(both[0]).toBe(both[1]);
  expect(await shared.at(place, 0, read)).toBe(both[0]);
  expect(read.count).toBe(1);
});

test("another offset or another segment is another entry", async () => {
  const shared = new ReadCache(100);
  shared.addReader();
  const place = segment();
  const read = counting();
  await shared.at(place, 0, read);
  await shared.at(place, 10, read);
  await shared.at(segment(), 0, read);
  expect(read.count).toBe(3);
});

test("evicts the oldest entry when the cache is full", async () => {
  const shared = new ReadCache(25);
  shared.addReader();
  const place = segment();
  const read = counting();
  for (const offset of [0, 10, 20]) await shared.at(place, offset, read);
  await shared.at(place, 10, read);
  await shared.at(place, 20, read);
  expect(read.count).toBe(3);
  await shared.at(place, 0, read);
  expect(read.count).toBe(4);
});

test("does not cache a run that is larger than the cache", async () => {
  const shared = new ReadCache(25);
  shared.addReader();
  const place = segment();
  const read = counting(26);
  await shared.at(place, 0, read);
  await shared.at(place, 0, read);
  expect(read.count).toBe(2);
});

test("does not cache a failed read; all readers that shared it get the error", async () => {
  const shared = new ReadCache(100);
  shared.addReader();
  const place = segment();
  const fail = () => Promise.reject(new Error("no disk"));
  const both = await Promise.allSettled([shared.at(place, 0, fail), shared.at(place, 0, fail)]);
  expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect((await shared.at(place, 0, counting())).next).toBe(2);
});

test("is emptied when the last reader is removed, and caches nothing after that", async () => {
  const shared = new ReadCache(100);
  shared.addReader();
  shared.addReader();
  const place = segment();
  const read = counting();
  await shared.at(place, 0, read);
  shared.removeReader();
  await shared.at(place, 0, read);
  expect(read.count).toBe(1);
  shared.removeReader();
  await shared.at(place, 0, read);
  expect(read.count).toBe(2);
  await shared.at(place, 0, read);
  expect(read.count).toBe(3);
});
