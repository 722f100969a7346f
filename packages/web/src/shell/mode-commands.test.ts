import { expect, test } from "vitest";
import { modeCommands } from "./mode-commands.ts";

const modes = {
  currentModeId: "ask",
  availableModes: [
    { id: "ask", name: "Ask" },
    { id: "code", name: "Code" },
  ],
};

test("the modes that are not on", () => {
  expect(modeCommands(modes, null).map(({ name }) => name)).toEqual(["Code"]);
  expect(modeCommands(null, null)).toEqual([]);
});

test("an option that stands for the modes takes their place", () => {
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
