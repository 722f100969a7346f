import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { applyCompletion, triggerAt } from "./completion-trigger.ts";

/** The bar marks the caret. */
function at(marked: string) {
  const caret = marked.indexOf("|");
  return triggerAt(marked.replace("|", ""), caret);
}

describe("finds the trigger at the caret", () => {
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

describe("applying a completion", () => {
  test("the name replaces the query and a space follows", () => {
    const trigger = at("Look at @ma|")!;
    expect(applyCompletion("Look at @ma", trigger, "@src/main.ts")).toEqual({
      text: "Look at @src/main.ts ",
      caret: 21,
    });
  });

  test("the rest of the word after the caret is replaced; an existing space is kept", () => {
    const trigger = at("/re|vi all")!;
    expect(applyCompletion("/revi all", trigger, "/review")).toEqual({
      text: "/review all",
      caret: 8,
    });
  });

  test("no space follows a folder that is opened", () => {
    const trigger = at("@s|")!;
    expect(applyCompletion("@s", trigger, "@src/", true)).toEqual({ text: "@src/", caret: 5 });
  });
});
