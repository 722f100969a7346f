import { fc, test } from "@fast-check/vitest";
import { expect, it } from "vitest";
import { LineBuffer } from "./line-buffer.ts";

test.prop([fc.string({ unit: fc.constantFrom("a", "é", "\n", "😀") }), fc.array(fc.nat(20))])(
  "gives the same lines however the bytes were cut",
  (text, cuts) => {
    const buffer = new LineBuffer(1_000_000);
    const bytes = Buffer.from(text);
    const lines: string[] = [];
    let at = 0;
    for (const length of [...cuts, bytes.length]) {
      lines.push(...buffer.add(bytes.subarray(at, at + length)));
      at += length;
    }
    expect(lines).toEqual(text.split("\n").slice(0, -1));
  },
);

it("refuses a line that is longer than may be, and only that", () => {
  const buffer = new LineBuffer(4);
  expect(buffer.add(Buffer.from("1234\n1234\n12"))).toEqual(["1234", "1234"]);
  expect(() => buffer.add(Buffer.from("345"))).toThrow("longer than 4 bytes");
});
