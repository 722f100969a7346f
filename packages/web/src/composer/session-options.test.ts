import type { SessionView } from "@landline/protocol";
import { expect, test } from "vitest";
import { isAllowingAll, sessionOptions, valueName } from "./session-options.ts";

type Options = NonNullable<SessionView["configOptions"]>;

const modes = {
  currentModeId: "ask",
  availableModes: [
    { id: "ask", name: "Ask" },
    { id: "act", name: "Act", description: "Does it" },
  ],
};
const models = { currentModelId: "m", availableModels: [{ modelId: "m", name: "M" }] };
const none = { modes: null, configOptions: null, models: null };
const select = (id: string, category: string | null) => ({
  id,
  name: id,
  type: "select",
  category,
  currentValue: "a",
  options: [{ value: "a", name: "A" }],
});

test("legacy modes and models are set by their own kind", () => {
  const offers = sessionOptions({ ...none, modes, models });
  expect(offers.map(({ name, by }) => [name, by])).toEqual([
    ["Mode", { mode: true }],
    ["Model", { config: "model" }],
  ]);
  expect(valueName(offers[0]!)).toBe("Ask");
});

test("an option of the category mode or model replaces the legacy modes or models", () => {
  const configOptions = [
    select("effort", "thought_level"),
    select("llm", "model"),
    select("how", "mode"),
  ] as Options;
  expect(sessionOptions({ modes, models, configOptions }).map(({ key }) => key)).toEqual([
    "config-how",
    "config-llm",
    "config-effort",
  ]);
});

test("groups, plain choices and booleans", () => {
  const configOptions = [
    {
      ...select("x", null),
      options: [
        { value: "a", name: "A" },
        { group: "g", name: "G", options: [{ value: "b", name: "B", description: "Better" }] },
      ],
    },
    { id: "y", name: "Y", type: "boolean", currentValue: true },
  ] as unknown as Options;
  const [x, y] = sessionOptions({ ...none, configOptions });
  expect(x?.groups.map(({ name, choices }) => [name, choices.map(({ value }) => value)])).toEqual([
    [null, ["a"]],
    ["G", ["b"]],
  ]);
  expect(y).toMatchObject({ kind: "boolean", value: true });
  expect(valueName(y!)).toBe("on");
});

test("options without choices are left out, and malformed ones do not throw", () => {
  const configOptions = [
    { id: "a", type: "select", currentValue: 1, options: [] },
    { id: "b", type: "select", currentValue: "x" },
    { id: "c", type: "select", currentValue: "x", options: [null, 1, { value: 2 }] },
    { id: "d", type: "select", currentValue: "gone", options: [{ value: "x" }] },
  ] as unknown as Options;
  const offers = sessionOptions({ ...none, configOptions });
  expect(offers.map(({ name }) => name)).toEqual(["d"]);
  expect(valueName(offers[0]!)).toBe("gone");
});

test.each([
  ["allow-all", "Allow all", true],
  ["bypassPermissions", "Bypass permissions", true],
  ["yolo", "YOLO", true],
  ["full-access", "Full access", true],
  ["ask", "Ask", false],
  ["acceptEdits", "Accept edits", false],
  ["plan", "Plan only", false],
])("the mode %s (%s) allows everything: %s", (id, name, isAll) => {
  const [mode] = sessionOptions({
    ...none,
    modes: { currentModeId: id, availableModes: [{ id, name }] },
  });
  expect(isAllowingAll(mode!)).toBe(isAll);
});

test("only an option of the category mode can allow everything", () => {
  const [other] = sessionOptions({
    ...none,
    configOptions: [select("allow-all", null)] as unknown as Options,
  });
  expect(isAllowingAll(other!, "allow-all")).toBe(false);
});
