import { expect, test } from "vitest";
import { quirksOf } from "./quirks.ts";

test("gemini is known by its id, and by the name that it says itself", () => {
  expect(quirksOf("gemini")).toEqual({ missingFileIsEmpty: true });
  expect(quirksOf("mine", { name: "gemini-cli", version: "1" })).toEqual({
    missingFileIsEmpty: true,
  });
});

test("others need nothing", () => {
  expect(quirksOf("claude", { name: "claude", version: "1" })).toEqual({
    missingFileIsEmpty: false,
  });
});
