import { expect, test } from "vitest";
import { quirksOf } from "./quirks.ts";

test("gemini is recognised by its id, and by its own name", () => {
  expect(quirksOf("gemini")).toMatchObject({ missingFileIsEmpty: true });
  expect(quirksOf("mine", { name: "gemini-cli", version: "1" })).toMatchObject({
    missingFileIsEmpty: true,
  });
});

test("others need none", () => {
  expect(quirksOf("claude", { name: "claude", version: "1" })).toEqual({
    missingFileIsEmpty: false,
    relativePaths: false,
  });
});

test("configured quirks are kept when the agent names itself", () => {
  const entry = quirksOf("mine", null, { relativePaths: true });
  expect(quirksOf("mine", { name: "gemini-cli", version: "1" }, entry)).toEqual({
    missingFileIsEmpty: true,
    relativePaths: true,
  });
});
