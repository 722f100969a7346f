import { expect, test } from "vitest";
import { draftAnswers, valuesFromDraft } from "./form-draft-values.ts";
import { initialValues, readForm } from "./form-model.ts";

const model = readForm({
  properties: {
    name: { type: "string", default: "Ada" },
    on: { type: "boolean", default: true },
    colour: { type: "string", enum: ["red", "blue"] },
    colours: { type: "array", items: { enum: ["red", "blue"] } },
    "API key": { type: "string" },
    pin: { type: "string", writeOnly: true },
    ["__proto__"]: { type: "string" },
  },
});
const note = "";

test("restores changed values and does not store unchanged ones", () => {
  const values = new Map(initialValues(model))
    .set("name", "")
    .set("on", false)
    .set("colour", "red")
    .set("colours", ["blue"])
    .set("API key", "k")
    .set("pin", "1234");
  const begun = draftAnswers(model, values);
  expect(begun).toEqual({
    answers: { name: "", on: false, colour: "red", colours: ["blue"] },
    secrets: { "API key": "k", pin: "1234" },
  });
  expect(valuesFromDraft(model, { note, ...begun })).toEqual(values);
  expect(draftAnswers(model, initialValues(model))).toEqual({ answers: {}, secrets: {} });
});

test("ignores values that do not fit their field, and stored values of secrets", () => {
  const answers = {
    name: ["x"],
    on: "yes",
    colour: "green",
    colours: ["red", "green"],
    "API key": "from the disk",
    other: "x",
  };
  expect(valuesFromDraft(model, { note, answers, secrets: {} })).toEqual(initialValues(model));
});
