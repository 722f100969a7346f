import type { SearchHit } from "@landline/client";
import { expect, test } from "vitest";
import { hitsBySession, plainSnippet } from "./search-snippet.ts";

test("removes Markdown marks and keeps the highlights on their words", () => {
  const text = "Run `npm test` in **packages/web** now";
  const at = (word: string) => [text.indexOf(word), text.indexOf(word) + word.length] as const;
  const plain = plainSnippet({ text, marks: [at("npm"), at("web"), at("now")] });
  expect(plain.text).toBe("Run npm test in packages/web now");
  expect(plain.marks.map(([from, to]) => plain.text.slice(from, to))).toEqual([
    "npm",
    "web",
    "now",
  ]);
});

test("a highlight that covers only marks is dropped; one that covers some of them shrinks", () => {
  expect(plainSnippet({ text: "a `` b", marks: [[2, 4]] })).toEqual({ text: "a  b", marks: [] });
  expect(plainSnippet({ text: "`ab`", marks: [[0, 4]] })).toEqual({ text: "ab", marks: [[0, 2]] });
});

test("the hits of a session are grouped at the position of the best one", () => {
  const hit = (sessionId: string, seq: number): SearchHit => ({
    sessionId,
    seq,
    at: seq,
    kind: "prompt",
    snippet: { text: "", marks: [] },
  });
  const found = hitsBySession([hit("b", 3), hit("a", 1), hit("b", 9)]);
  expect(found.map(({ sessionId, hits }) => [sessionId, hits.map(({ seq }) => seq)])).toEqual([
    ["b", [3, 9]],
    ["a", [1]],
  ]);
});
