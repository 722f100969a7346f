import { expect, test } from "vitest";
import { marksIn, markValue } from "./process-mark.ts";

test("a gateway inside an agent adds its mark to that agent's mark", () => {
  expect(markValue("inner", {})).toBe("inner");
  const mark = markValue("inner", { LANDLINE_AGENT_MARK: "outer" });
  expect(marksIn(`A=1\0LANDLINE_AGENT_MARK=${mark}\0B=2\0`)).toEqual(["outer", "inner"]);
});

test("an environment without marks", () => {
  expect(marksIn("")).toEqual([]);
  expect(marksIn("A=LANDLINE_AGENT_MARK=x\0NOT_LANDLINE_AGENT_MARK=x\0")).toEqual([]);
});
