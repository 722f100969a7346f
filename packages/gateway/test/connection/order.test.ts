import { once } from "node:events";
import { PassThrough } from "node:stream";
import { fc, test as property } from "@fast-check/vitest";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { rpc, update, Wire } from "./test-peer.ts";

let wire: Wire;
beforeEach(() => {
  wire = new Wire();
});
afterEach(() => wire.connection.destroy());

describe("order", () => {
  test("a response is handled after everything before it and before everything after it", async () => {
    wire.connection.call("session/prompt", {}, {}, () => wire.seen.push("response"));
    await wire.say(
      update(1),
      { ...rpc, id: 9, method: "_ask" },
      update(2),
      { ...rpc, id: 0, result: { stopReason: "end_turn" } },
      update(3),
      { ...rpc, method: "_note" },
    );
    expect(wire.seen).toEqual([
      ["update", "s", 1],
      ["request", "_ask"],
      ["update", "s", 2],
      "response",
      ["update", "s", 3],
      ["notification", "_note", undefined],
      "flush",
    ]);
  });

  property.prop(
    [
      fc.array(fc.constantFrom("update", "response", "note"), { maxLength: 30 }),
      fc.array(fc.nat(), { maxLength: 10 }),
    ],
    { numRuns: 50 },
  )("is kept for any messages and any chunks", async (kinds, places) => {
    const own = new Wire();
    const lines: string[] = [];
    const expected: unknown[] = [];
    for (const [index, kind] of kinds.entries()) {
      if (kind === "update") lines.push(JSON.stringify(update(index)));
      else if (kind === "note")
        lines.push(JSON.stringify({ ...rpc, method: "_note", params: { index } }));
      else {
        const id = own.connection.call("_x", {}, {}, () => own.seen.push(["response", index]));
        lines.push(JSON.stringify({ ...rpc, id, result: {} }));
      }
      expected.push(
        kind === "update"
          ? ["update", "s", index]
          : kind === "note"
            ? ["notification", "_note", { index }]
            : ["response", index],
      );
    }
    const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
    const cuts = places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b);
    for (const [index, start] of [0, ...cuts].entries())
      own.fromAgent.write(bytes.subarray(start, cuts[index] ?? bytes.length));
    own.fromAgent.end();
    await once(own.fromAgent, "close");
    expect(own.messages).toEqual([...expected, ["closed", null]]);
  });
});

test("an output that ended before the connection existed closes it", async () => {
  const fromAgent = new PassThrough();
  fromAgent.end();
  fromAgent.resume();
  await once(fromAgent, "close");
  const own = new Wire({}, fromAgent);
  expect((await own.outcome("initialize")).error).toMatchObject({ code: "connection-lost" });
  expect(own.messages).toEqual([["closed", null]]);
});
