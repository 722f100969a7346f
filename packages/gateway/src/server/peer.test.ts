import type { Sessions } from "../sessions/sessions.ts";
import { expect, test } from "vitest";
import { Lookups } from "./peer.ts";

test("lookups of one session are answered in order", async () => {
  const asked: PromiseWithResolvers<string>[] = [];
  const get = () => {
    const answer = Promise.withResolvers<string>();
    asked.push(answer);
    return answer.promise;
  };
  const lookups = new Lookups({ get } as unknown as Sessions);
  const given: unknown[] = [];
  const finds = ["a", "b", "c"].map(async (name) => {
    const found = await lookups.find("one").catch((error: unknown) => error);
    given.push([name, found]);
  });
  const other = lookups.find("two");
  // Another id does not wait for the first.
  expect(asked).toHaveLength(2);
  asked[1]!.resolve("other");
  expect(await other).toBe("other");
  asked[0]!.reject("refused");
  await expect.poll(() => asked.length).toBe(3);
  asked[2]!.resolve("second");
  await expect.poll(() => asked.length).toBe(4);
  asked[3]!.resolve("third");
  await Promise.all(finds);
  expect(given).toEqual([
    ["a", "refused"],
    ["b", "second"],
    ["c", "third"],
  ]);
});
