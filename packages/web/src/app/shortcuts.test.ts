import { describe, expect, test } from "vitest";
import { capsOf, shortcutGroups, shortcutOf, activeShortcuts } from "./shortcuts.ts";

function pressOf(combo: string) {
  const parts = combo.split("+");
  const key = parts.at(-1) ?? "";
  return { ...bare, key, ctrlKey: parts.includes("Mod"), altKey: parts.includes("Alt") };
}

const bare = { ctrlKey: false, metaKey: false, altKey: false };

describe("shortcuts", () => {
  test("no combination has two actions in the page's own listener", () => {
    const combos = shortcutGroups
      .flatMap(({ keys }) => keys)
      .filter(({ id }) => id !== undefined)
      .flatMap(({ combos: each }) => each);
    expect(new Set(combos).size).toBe(combos.length);
  });

  test("none of them answers a request", () => {
    const answers = shortcutGroups.find(({ where }) => where === "When the agent asks");
    for (const combo of answers?.keys.flatMap(({ combos }) => combos) ?? []) {
      expect(shortcutOf({ ...bare, key: combo }, false, false)).toBeNull();
    }
  });

  test("a letter works only outside of text fields", () => {
    expect(shortcutOf({ ...bare, key: "c" }, false, false)).toBe("new-session");
    expect(shortcutOf({ ...bare, key: "c" }, true, false)).toBeNull();
    expect(shortcutOf({ ...bare, key: "?" }, true, false)).toBeNull();
  });

  test("a combination with a modifier works everywhere", () => {
    expect(shortcutOf({ ...bare, key: "k", ctrlKey: true }, true, false)).toBe("palette");
    expect(shortcutOf({ ...bare, key: "ArrowDown", altKey: true }, true, false)).toBe(
      "next-session",
    );
    expect(shortcutOf({ ...bare, key: ".", ctrlKey: true }, true, false)).toBe("stop-turn");
  });

  test("Escape is not a page shortcut: it closes an overlay or leaves a field", () => {
    expect(shortcutOf({ ...bare, key: "Escape" }, false, false)).toBeNull();
    expect(shortcutOf({ ...bare, key: "Escape" }, true, false)).toBeNull();
  });

  test("on a Mac, Option with an arrow moves the caret in a text field", () => {
    expect(shortcutOf({ ...bare, key: "ArrowDown", altKey: true }, true, true)).toBeNull();
    expect(shortcutOf({ ...bare, key: "ArrowDown", altKey: true }, false, true)).toBe(
      "next-session",
    );
  });

  test("the modifier depends on the platform, and no other one may be pressed", () => {
    expect(shortcutOf({ ...bare, key: "k", metaKey: true }, false, true)).toBe("palette");
    expect(shortcutOf({ ...bare, key: "k", ctrlKey: true }, false, true)).toBeNull();
    expect(shortcutOf({ ...bare, key: "k", ctrlKey: true, altKey: true }, false, false)).toBeNull();
    expect(shortcutOf({ ...bare, key: "c", ctrlKey: true }, false, false)).toBeNull();
  });

  test("with single-key shortcuts off, no single key works and the others are unchanged", () => {
    const inUse = activeShortcuts(false);
    for (const combo of shortcutGroups.flatMap(({ keys }) =>
      keys.flatMap(({ combos }) => combos),
    )) {
      const press = pressOf(combo);
      const before = shortcutOf(press, false, false);
      expect(shortcutOf(press, false, false, inUse)).toBe(combo.length === 1 ? null : before);
    }
    expect(shortcutOf(pressOf("Mod+J"), false, false, inUse)).toBe("next-needs-you");
    expect(shortcutOf(pressOf("Alt+ArrowUp"), false, false, inUse)).toBe("previous-session");
  });

  test("with single-key shortcuts off, they are not listed, except those of a field", () => {
    const listed = activeShortcuts(false);
    expect(listed.map(({ where }) => where)).toEqual([
      "Everywhere",
      "In a conversation",
      "While you write",
      "When the agent asks",
    ]);
    const elsewhere = listed.filter(({ where }) => where !== "While you write");
    const combos = elsewhere.flatMap(({ keys }) => keys.flatMap((key) => key.combos));
    expect(combos).toContain("Mod+K");
    expect(combos.filter((combo) => combo.length === 1)).toEqual([]);
    expect(elsewhere.flatMap(({ keys }) => keys.map((key) => key.combos.length))).not.toContain(0);
    expect(listed).toContain(shortcutGroups.find(({ isInField }) => isInField));
  });

  test("key caps depend on the platform", () => {
    expect(capsOf("Mod+K", true)).toEqual(["⌘", "K"]);
    expect(capsOf("Alt+ArrowDown", false)).toEqual(["Alt", "↓"]);
  });
});
