import { expect, test } from "vitest";
import { firstLoad } from "./first-load.ts";

const BUDGET_BYTES = 300_000;

test("the initial load is within its budget", async () => {
  expect((await firstLoad()).bytes).toBeLessThanOrEqual(BUDGET_BYTES);
});

test("lazy modules are not in the initial load", async () => {
  const { files } = await firstLoad();
  const all = files.map(({ content }) => content.toString()).join("\n");
  // A string that only this library contains, whatever a bundler renames.
  for (const word of [
    "xterm-helper-textarea",
    "[cmdk-item",
    "createHighlighterCore",
    "SourceCodeTheme",
  ])
    expect(all).not.toContain(word);
});
