import { describe, expect, test } from "vitest";
import { capsOf, keyGroups, keyOf } from "./keys.ts";

const bare = { ctrlKey: false, metaKey: false, altKey: false };

describe("keys", () => {
  test("no combination does two things that the page hears itself", () => {
    const combos = keyGroups
      .flatMap(({ keys }) => keys)
      .filter(({ id }) => id !== undefined)
      .flatMap(({ combos: each }) => each);
    expect(new Set(combos).size).toBe(combos.length);
  });

  test("none of them is one of those by which an ask is answered", () => {
    const answers = keyGroups.find(({ where }) => where === "When the agent asks");
    for (const combo of answers?.keys.flatMap(({ combos }) => combos) ?? []) {
      expect(keyOf({ ...bare, key: combo }, false, false)).toBeNull();
    }
  });

  test("a letter counts only while nobody types", () => {
    expect(keyOf({ ...bare, key: "c" }, false, false)).toBe("new-session");
    expect(keyOf({ ...bare, key: "c" }, true, false)).toBeNull();
    expect(keyOf({ ...bare, key: "?" }, true, false)).toBeNull();
  });

  test("with a modifier it counts always", () => {
    expect(keyOf({ ...bare, key: "k", ctrlKey: true }, true, false)).toBe("palette");
    expect(keyOf({ ...bare, key: "ArrowDown", altKey: true }, true, false)).toBe("next-session");
  });

  test("on a Mac, Option and an arrow are for the caret while somebody types", () => {
    expect(keyOf({ ...bare, key: "ArrowDown", altKey: true }, true, true)).toBeNull();
    expect(keyOf({ ...bare, key: "ArrowDown", altKey: true }, false, true)).toBe("next-session");
  });

  test("the modifier is the platform's, and no other may be held", () => {
    expect(keyOf({ ...bare, key: "k", metaKey: true }, false, true)).toBe("palette");
    expect(keyOf({ ...bare, key: "k", ctrlKey: true }, false, true)).toBeNull();
    expect(keyOf({ ...bare, key: "k", ctrlKey: true, altKey: true }, false, false)).toBeNull();
    expect(keyOf({ ...bare, key: "c", ctrlKey: true }, false, false)).toBeNull();
  });

  test("caps are those of the keyboard", () => {
    expect(capsOf("Mod+K", true)).toEqual(["⌘", "K"]);
    expect(capsOf("Alt+ArrowDown", false)).toEqual(["Alt", "↓"]);
  });
});
