import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { TypedLines } from "./typed-lines.ts";

it("reports for each line the question that was visible when it was started", async () => {
  const input = new PassThrough();
  const told: [string, number][] = [];
  const ended = Promise.withResolvers<void>();
  using lines = new TypedLines(input, {
    line: (text, after) => told.push([text, after]),
    close: ended.resolve,
  });
  input.write("before\n");
  // Half of it is typed when the question is printed.
  input.write("2");
  expect(await lines.nextQuestion()).toBe(1);
  input.write("\n");
  await expect.poll(() => told).toHaveLength(2);
  input.write("1\n");
  await expect.poll(() => told).toHaveLength(3);
  expect(await lines.nextQuestion()).toBe(2);
  input.end("3\n");
  await ended.promise;
  expect(told).toEqual([
    ["before", 0],
    ["2", 0],
    ["1", 1],
    ["3", 2],
  ]);
});
