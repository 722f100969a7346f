import { describe, expect, test } from "vitest";
import { capsOf, shortcutGroups, shortcutOf, activeShortcuts } from "./shortcuts.ts";

function pressOf(combo: string) {
  const parts = combo.split("+");
  const key = parts.at(-1) ?? "";
  return { ...bare, key, ctrlKey: parts.includes("Mod"), altKey: parts.includes("Alt") };
}

const bare = { ctrlKey: false, metaKey: false, altKey: false };

describe("keys", () => {
  test("no combination does two things that the page hears itself", () => {
    const combos = shortcutGroups
      .flatMap(({ keys }) => keys)
      .filter(({ id }) => id !== undefined)
      .flatMap(({ combos: each }) => each);
    expect(new Set(combos).size).toBe(combos.length);
  });

  test("none of them is one of those by which an ask is answered", () => {
    const answers = shortcutGroups.find(({ where }) => where === "When the agent asks");
    for (const combo of answers?.keys.flatMap(({ combos }) => combos) ?? []) {
      expect(shortcutOf({ ...bare, key: combo }, false, false)).toBeNull();
    }
  });

  test("a letter counts only while nobody types", () => {
    expect(shortcutOf({ ...bare, key: "c" }, false, false)).toBe("new-session");
    expect(shortcutOf({ ...bare, key: "c" }, true, false)).toBeNull();
    expect(shortcutOf({ ...bare, key: "?" }, true, false)).toBeNull();
  });

  test("with a modifier it counts always", () => {
    expect(shortcutOf({ ...bare, key: "k", ctrlKey: true }, true, false)).toBe("palette");
    expect(shortcutOf({ ...bare, key: "ArrowDown", altKey: true }, true, false)).toBe(
      "next-session",
    );
    expect(shortcutOf({ ...bare, key: ".", ctrlKey: true }, true, false)).toBe("stop-turn");
  });

  test("Escape is no key of the page: it closes what is open, or leaves a field", () => {
    expect(shortcutOf({ ...bare, key: "Escape" }, false, false)).toBeNull();
    expect(shortcutOf({ ...bare, key: "Escape" }, true, false)).toBeNull();
  });

  test("on a Mac, Option and an arrow are for the caret while somebody types", () => {
    expect(shortcutOf({ ...bare, key: "ArrowDown", altKey: true }, true, true)).toBeNull();
    expect(shortcutOf({ ...bare, key: "ArrowDown", altKey: true }, false, true)).toBe(
      "next-session",
    );
  });

  test("the modifier is the platform's, and no other may be held", () => {
    expect(shortcutOf({ ...bare, key: "k", metaKey: true }, false, true)).toBe("palette");
    expect(shortcutOf({ ...bare, key: "k", ctrlKey: true }, false, true)).toBeNull();
    expect(shortcutOf({ ...bare, key: "k", ctrlKey: true, altKey: true }, false, false)).toBeNull();
    expect(shortcutOf({ ...bare, key: "c", ctrlKey: true }, false, false)).toBeNull();
  });

  test("where single keys are turned off, no letter, digit or sign does anything, and the rest does what it did", () => {
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

  test("where they are turned off, they are not listed; what is typed into a field is", () => {
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

  test("caps are those of the keyboard", () => {
    expect(capsOf("Mod+K", true)).toEqual(["⌘", "K"]);
    expect(capsOf("Alt+ArrowDown", false)).toEqual(["Alt", "↓"]);
  });
});
