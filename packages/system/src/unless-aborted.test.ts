import { expect, it } from "vitest";
import { unlessAborted } from "./unless-aborted.ts";

it("returns the result of the work", async () => {
  expect(await unlessAborted(Promise.resolve(1), undefined)).toBe(1);
  expect(await unlessAborted(Promise.resolve(1), new AbortController().signal)).toBe(1);
});

it("throws the reason of the signal, before the work and during it", async () => {
  const reason = new Error("stopped");
  await expect(unlessAborted(Promise.resolve(1), AbortSignal.abort(reason))).rejects.toBe(reason);
  const abort = new AbortController();
  const work = Promise.withResolvers<void>();
  const waiting = unlessAborted(work.promise, abort.signal);
  abort.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  work.reject(new Error("nobody listens"));
});
