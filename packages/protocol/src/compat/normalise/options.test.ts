import { expect, test } from "vitest";
import { normaliseConfigOptions, normaliseModes, normaliseSessionOptions } from "./options.ts";

test.each([
  [
    { id: "m", name: "M", values: ["a", { id: "b", name: "B" }], currentValue: "a" },
    {
      id: "m",
      name: "M",
      type: "select",
      currentValue: "a",
      options: [
        { value: "a", name: "a" },
        { value: "b", name: "B" },
      ],
    },
  ],
  [
    { id: "m", name: "M", type: "select", values: [{ id: "b", name: "B" }], currentValue: "b" },
    {
      id: "m",
      name: "M",
      type: "select",
      currentValue: "b",
      options: [{ value: "b", name: "B" }],
    },
  ],
  [
    { id: "m", name: "M", currentValue: "b" },
    {
      id: "m",
      name: "M",
      type: "select",
      currentValue: "b",
      options: [{ value: "b", name: "b" }],
    },
  ],
  [
    { id: "m", name: "M", currentValue: true },
    { id: "m", name: "M", type: "boolean", currentValue: true },
  ],
  [
    { id: "m", name: "M", currentValue: "b", options: [] },
    { id: "m", name: "M", type: "select", currentValue: "b", options: [] },
  ],
])("%j", (printed, real) => {
  expect(normaliseConfigOptions([printed])).toEqual([real]);
});

test("an unknown kind of option is kept", () => {
  const options = [{ id: "m", name: "M", type: "slider", currentValue: 3 }, "x", null];
  expect(normaliseConfigOptions(options)).toBe(options);
});

test.each([null, undefined, "code", { currentModeId: "a", currentMode: "b" }])(
  "modes that are %j stay",
  (modes) => {
    expect(normaliseModes(modes)).toBe(modes);
  },
);

test("legacy models and an extra session id stay unchanged", () => {
  const result = {
    sessionId: "1",
    models: { currentModelId: "a", availableModels: [] },
    modes: null,
    configOptions: null,
  };
  expect(normaliseSessionOptions(result)).toBe(result);
});
