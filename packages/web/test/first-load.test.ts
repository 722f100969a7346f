import { expect, test } from "vitest";
import { firstLoad } from "./first-load.ts";

const BUDGET_BYTES = 300_000;

test("the first load is within its budget", async () => {
  expect((await firstLoad()).bytes).toBeLessThanOrEqual(BUDGET_BYTES);
});

test("what is not needed at once comes later", async () => {
  const { files } = await firstLoad();
  const all = files.map(({ content }) => content.toString()).join("\n");
  // A word that only this library has in it, whatever a bundler does to names.
  for (const word of [
    "xterm-helper-textarea",
    "[cmdk-item",
    "createHighlighterCore",
    "SourceCodeTheme",
  ])
    expect(all).not.toContain(word);
});
