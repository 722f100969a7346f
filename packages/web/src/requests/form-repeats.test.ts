import { expect, test } from "vitest";
import { readForm } from "./form-model.ts";
import { withoutRepeats } from "./form-repeats.ts";

const field = (title: string, description?: string) => ({ type: "string", title, description });

function shown(message: string, properties: object, rest: object = {}) {
  const { message: above, model } = withoutRepeats(message, readForm({ properties, ...rest }));
  const fields = model.fields.map(({ label, about }) => (about === null ? label : [label, about]));
  return [above, ...[model.title, model.about].filter((text) => text !== null), ...fields];
}

test("different texts are kept", () => {
  const properties = { a: field("Name", "As in the file"), b: field("Age") };
  expect(shown("Who is it?", properties, { title: "A person" })).toEqual([
    "Who is it?",
    "A person",
    ["Name", "As in the file"],
    "Age",
  ]);
});

test("a description that repeats the message is dropped, whatever its whitespace and punctuation", () => {
  expect(shown("Which  language?", { a: field("Language", "Which language") })).toEqual([
    "Which  language?",
    "Language",
  ]);
  expect(shown("Go on?", { a: field("Sure") }, { title: "Go on", description: "Go on?" })).toEqual([
    "Go on?",
    "Sure",
  ]);
});

test("a label that repeats the message is kept, and the message is dropped", () => {
  expect(shown("Which language?", { a: field("Which language?") })).toEqual([
    "",
    "Which language?",
  ]);
});

test("of several questions, each is shown at its first field", () => {
  const properties = {
    choice0: field("Language", "Which language?"),
    words0: field("Language (custom answer)", "Which language?"),
    choice1: field("Style", "Which style?"),
  };
  expect(shown("Which language?\nWhich style?", properties)).toEqual([
    "",
    ["Language", "Which language?"],
    "Language (custom answer)",
    ["Style", "Which style?"],
  ]);
});

test("an empty message stays empty", () => {
  expect(shown("", { a: field("Name") })).toEqual(["", "Name"]);
});
