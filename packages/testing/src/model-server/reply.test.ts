import { array, integer, property, assert, string } from "fast-check";
import { describe, expect, test } from "vitest";
import { piecesOf, playableOf, textOf, toolCallsOf } from "./reply.ts";

const characters = (text: string) => Array.from(text).length;

const pieces = (text: string, length: number) =>
  [...piecesOf(text, length, 0)].map((piece) => piece.text);

describe("pieces of a text", () => {
  test("make up the text, have at most the given length, and split no character", () => {
    assert(
      property(string({ unit: "grapheme" }), integer({ min: 1, max: 9 }), (text, length) => {
        const split = pieces(text, length);
        expect(split.join("")).toBe(text);
        expect(split.every((piece) => characters(piece) <= length)).toBe(true);
        expect(split.slice(0, -1).every((piece) => characters(piece) === length)).toBe(true);
        expect(split.every((piece) => piece.isWellFormed())).toBe(true);
      }),
    );
  });

  test("of any text, even an ill-formed one, make up the text", () => {
    const units = array(integer({ min: 0, max: 0xffff }), { maxLength: 20 });
    assert(
      property(units, integer({ min: 1, max: 4 }), (codes, length) => {
        const text = String.fromCharCode(...codes);
        expect(pieces(text, length).join("")).toBe(text);
      }),
    );
  });

  test("are none for an empty text", () => {
    expect(pieces("", 5)).toEqual([]);
  });
});

describe("a playable reply", () => {
  const ids = () => "made-id";

  test("has a stop reason that matches its parts", () => {
    const text = { type: "text", text: "Hi" } as const;
    const call = { type: "tool-call", name: "look" } as const;
    const refusal = { type: "refusal", text: "No" } as const;
    expect(playableOf({}, ids).stopReason).toBe("stop");
    expect(playableOf({ parts: [text] }, ids).stopReason).toBe("stop");
    expect(playableOf({ parts: [text, call] }, ids).stopReason).toBe("tool-calls");
    expect(playableOf({ parts: [refusal] }, ids).stopReason).toBe("refusal");
    const told = playableOf({ parts: [call], stopReason: "max-tokens" }, ids);
    expect(told.stopReason).toBe("max-tokens");
  });

  test("inherits length and delay of chunks from the part before the reply", () => {
    const reply = playableOf(
      {
        chunkLength: 3,
        chunkDelayMs: 7,
        parts: [
          { type: "text", text: "abcd" },
          { type: "text", text: "efgh", chunkLength: 2, chunkDelayMs: 0 },
        ],
      },
      ids,
    );
    expect(reply.parts.map((part) => [...part.pieces])).toEqual([
      [
        { text: "abc", delayMs: 7 },
        { text: "d", delayMs: 7 },
      ],
      [
        { text: "ef", delayMs: 0 },
        { text: "gh", delayMs: 0 },
      ],
    ]);
    expect(textOf(reply, "text")).toBe("abcdefgh");
  });

  test.each([
    [{ a: 1 }, '{"a":1}', { a: 1 }],
    ['{"a": 1}', '{"a": 1}', { a: 1 }],
    ['{"a":', '{"a":', null],
    ["[1]", "[1]", null],
    ["null", "null", null],
    ["7", "7", null],
    [undefined, "{}", {}],
  ])("reads the arguments %j", (given, text, value) => {
    const part = {
      type: "tool-call",
      name: "look",
      ...(given !== undefined && { arguments: given }),
    };
    const reply = playableOf({ parts: [part as { type: "tool-call"; name: string }] }, ids);
    expect(toolCallsOf(reply)).toMatchObject([{ id: "made-id", text, arguments: value }]);
  });
});
