import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { applyCompletion, triggerAt } from "./completion-trigger.ts";

/** The caret is where the bar stands. */
function at(marked: string) {
  const caret = marked.indexOf("|");
  return triggerAt(marked.replace("|", ""), caret);
}

describe("what is asked for at the caret", () => {
  test.each([
    ["/|", "command", ""],
    ["/re|", "command", "re"],
    ["/re|view", "command", "re"],
    ["@|", "file", ""],
    ["Look at @src/ma|", "file", "src/ma"],
    ["one\n@x|", "file", "x"],
    ["(@x|", "file", "x"],
    ["/review @x|", "file", "x"],
  ])("%s", (marked, kind, query) => {
    expect(at(marked)).toMatchObject({ kind, query });
  });

  test.each(["|", "a /re|", "/review |", "a@b|", "@a b|", "mail@example.com|", "@a@b|", " /x|"])(
    "nothing in %s",
    (marked) => {
      expect(at(marked)).toBeNull();
    },
  );

  property.prop([fc.string(), fc.nat()])(
    "it ends at the caret, whatever the text",
    (text, place) => {
      const caret = place % (text.length + 1);
      const trigger = triggerAt(text, caret);
      if (trigger === null) return;
      expect(trigger.to).toBe(caret);
      expect("/@").toContain(text[trigger.from]);
      expect(text.slice(trigger.from + 1, trigger.to)).toBe(trigger.query);
    },
  );
});

describe("completing", () => {
  test("a name stands where it was asked for, with a space behind it", () => {
    const trigger = at("Look at @ma|")!;
    expect(applyCompletion("Look at @ma", trigger, "@src/main.ts")).toEqual({
      text: "Look at @src/main.ts ",
      caret: 21,
    });
  });

  test("what was written of the word behind the caret goes; the rest and its space stay", () => {
    const trigger = at("/re|vi all")!;
    expect(applyCompletion("/revi all", trigger, "/review")).toEqual({
      text: "/review all",
      caret: 8,
    });
  });

  test("a folder that is gone into has no space behind it", () => {
    const trigger = at("@s|")!;
    expect(applyCompletion("@s", trigger, "@src/", true)).toEqual({ text: "@src/", caret: 5 });
  });
});
