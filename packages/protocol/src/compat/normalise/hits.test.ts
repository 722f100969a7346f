import { expect, test } from "vitest";
import { Hits } from "./hits.ts";
import { normaliseUpdate } from "./update.ts";

test("counts each rule and all of them", () => {
  const hits = new Hits();
  expect([hits.total, hits.entries()]).toEqual([0, []]);
  hits.count("tool-status");
  hits.count("plan-steps");
  hits.count("tool-status");
  expect(hits.total).toBe(3);
  expect(hits.entries()).toEqual([
    ["tool-status", 2],
    ["plan-steps", 1],
  ]);
});

test("one counter serves many updates", () => {
  const hits = new Hits();
  for (const status of ["running", "executing", "completed"]) {
    normaliseUpdate({ sessionUpdate: "tool_call_update", toolCallId: "1", status }, hits);
  }
  expect(hits.entries()).toEqual([["tool-status", 2]]);
});
