import { expect, test } from "vitest";
import { modeChoices } from "./mode-choices.ts";

const modes = {
  currentModeId: "ask",
  availableModes: [
    { id: "ask", name: "Ask" },
    { id: "code", name: "Code" },
  ],
};

test("the modes that are not on", () => {
  expect(modeChoices(modes, null).map(({ name }) => name)).toEqual(["Code"]);
  expect(modeChoices(null, null)).toEqual([]);
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
  expect(modeChoices(modes, [option]).map(({ name }) => name)).toEqual(["Ask first"]);
});
