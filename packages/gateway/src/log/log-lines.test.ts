import { describe, expect, test } from "vitest";
import { encodeEvent } from "./encode.ts";
import { byteLinesOf, kindOfLine, linesOf } from "./log-lines.ts";

describe("the lines of a chunk", () => {
  test("are split at line feeds", () => {
    expect(linesOf({ bytes: Buffer.from("a\nb\n") })).toEqual(["a", "b"]);
  });

  test("as bytes, are split at line feeds, and the last needs none", () => {
    const texts = (text: string) => [...byteLinesOf({ bytes: Buffer.from(text) })].map(String);
    expect(texts("a\nb\n")).toEqual(["a", "b"]);
    expect(texts("a\n\nb")).toEqual(["a", "b"]);
    expect(texts("")).toEqual([]);
  });
});

describe("the kind of a line", () => {
  const line = encodeEvent(12, -1, { kind: "session-changed", title: ',"kind":"update",' });

  test("is that of the event, whatever its fields contain", () => {
    expect(kindOfLine(line)).toBe("session-changed");
    expect(kindOfLine(Buffer.from(line))).toBe("session-changed");
  });

  test("is null for a line of another form", () => {
    expect(kindOfLine(` ${line}`)).toBeNull();
    expect(kindOfLine('{"kind":"update"}')).toBeNull();
  });
});
