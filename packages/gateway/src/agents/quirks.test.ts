import { expect, test } from "vitest";
import { quirksOf } from "./quirks.ts";

test("gemini is known by its id, and by the name that it says itself", () => {
  expect(quirksOf("gemini")).toMatchObject({ missingFileIsEmpty: true });
  expect(quirksOf("mine", { name: "gemini-cli", version: "1" })).toMatchObject({
    missingFileIsEmpty: true,
  });
});

test("others need nothing", () => {
  expect(quirksOf("claude", { name: "claude", version: "1" })).toEqual({
    missingFileIsEmpty: false,
    relativePaths: false,
  });
});

test("what the config gives is kept when the agent says its name", () => {
  const entry = quirksOf("mine", null, { relativePaths: true });
  expect(quirksOf("mine", { name: "gemini-cli", version: "1" }, entry)).toEqual({
    missingFileIsEmpty: true,
    relativePaths: true,
  });
});
