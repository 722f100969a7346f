import { fc, test as property } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { LineBuffer } from "./line-buffer.ts";

property.prop([
  fc.array(fc.array(fc.string({ unit: "binary", maxLength: 400 }), { maxLength: 5 }), {
    maxLength: 20,
  }),
])("returns the same bytes as joining the strings, for each batch", (batches) => {
  const buffer = new LineBuffer();
  for (const batch of batches) {
    for (const text of batch) {
      buffer.add(text);
      buffer.endObject();
      buffer.endLine();
    }
    expect(buffer.take()).toEqual(
      Buffer.from(batch.map((text) => `${text.toWellFormed()}}\n`).join("")),
    );
  }
});

test("grows for large texts, and clear discards what was added", () => {
  const buffer = new LineBuffer();
  buffer.add("ä".repeat(2_000_000));
  expect(buffer.take()).toHaveLength(4_000_000);
  buffer.add("lost");
  buffer.clear();
  buffer.add("kept");
  expect(buffer.take().toString()).toBe("kept");
});

test("a taken buffer does not change later", () => {
  const buffer = new LineBuffer();
  buffer.add("first");
  const taken = buffer.take();
  buffer.add("second");
  expect(taken.toString()).toBe("first");
});
