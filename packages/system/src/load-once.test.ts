import { expect, it } from "vitest";
import { loadOnce } from "./load-once.ts";

it("loads once for all callers, and again after a failure", async () => {
  let loads = 0;
  const load = loadOnce(async () => {
    loads += 1;
    if (loads === 1) throw new Error("no descriptor left");
    return loads;
  });
  expect(load.current()).toBe(null);
  await expect(load()).rejects.toThrow("no descriptor left");
  expect(load.current()).toBe(null);
  expect(await Promise.all([load(), load()])).toEqual([2, 2]);
  expect(await load.current()).toBe(2);
});
