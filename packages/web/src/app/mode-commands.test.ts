import { expect, test } from "vitest";
import { modeCommands } from "./mode-commands.ts";

const modes = {
  currentModeId: "ask",
  availableModes: [
    { id: "ask", name: "Ask" },
    { id: "code", name: "Code" },
  ],
};

test("offers the modes other than the current one", () => {
  expect(modeCommands(modes, null).map(({ name }) => name)).toEqual(["Code"]);
  expect(modeCommands(null, null)).toEqual([]);
});

test("a config option of the category mode replaces the legacy modes", () => {
  const option = {
    type: "select" as const,
    id: "mode",
    name: "Mode",
    category: "mode",
    currentValue: "code",
    options: [
      { value: "ask", name: "Ask first" },
      { value: "code", name: "Code" },
    ],
  };
  expect(modeCommands(modes, [option]).map(({ name }) => name)).toEqual(["Ask first"]);
});
