// @vitest-environment happy-dom
import { beforeEach, expect, test, vi } from "vitest";

beforeEach(() => {
  localStorage.clear();
  vi.resetModules();
});

/** Imports a fresh copy of the module, as a new page does. */
async function opened() {
  return import("./preferences.ts");
}

test("preferences survive a reload", async () => {
  const first = await opened();
  const chosen = {
    theme: "dark",
    editor: "zed",
    wantsNotifications: true,
    hasSingleKeys: false,
    lastAgent: "a",
  } as const;
  first.setPreferences(chosen);
  vi.resetModules();
  const next = await opened();
  expect(next).not.toBe(first);
  expect(next.getPreferences()).toEqual({ ...first.getPreferences(), ...chosen });
});

test.each([
  ["no JSON", "{"],
  ["another kind of thing", "[1]"],
  ["nothing", "null"],
  [
    "wrong values",
    '{"theme":"pink","wantsNotifications":"yes","hasSingleKeys":0,"lastAgent":5,"__proto__":{"theme":1}}',
  ],
])("%s is ignored", async (_name, kept) => {
  const { getPreferences: defaults } = await opened();
  localStorage.setItem("landline.preferences", kept);
  vi.resetModules();
  const { getPreferences } = await opened();
  expect(getPreferences()).toEqual(defaults());
});
