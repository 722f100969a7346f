import { expect, it } from "vitest";
import { PendingWork } from "./pending-work.ts";

it("waits for all work, whether it fails or not", async () => {
  const pending = new PendingWork();
  const first = Promise.withResolvers<number>();
  const second = Promise.withResolvers<never>();
  const results = Promise.allSettled([pending.add(first.promise), pending.add(second.promise)]);
  let hasEnded = false;
  const ended = pending.ended().then(() => (hasEnded = true));
  first.resolve(1);
  expect(await first.promise).toBe(1);
  expect([pending.size, hasEnded]).toEqual([1, false]);
  second.reject(new Error("no"));
  expect(await results).toMatchObject([{ value: 1 }, { reason: { message: "no" } }]);
  await ended;
  expect(pending.size).toBe(0);
});
