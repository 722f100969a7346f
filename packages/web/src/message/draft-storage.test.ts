import { expect, test } from "vitest";
import { emptyDraft, storeDraft, readDraft } from "./draft-storage.ts";

function memory() {
  const kept = new Map<string, string>();
  return {
    kept,
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  };
}

const draft = (text: string) => ({ text, mentions: [{ name: "a", path: "/a" }] });

test("each session has its own draft", () => {
  const storage = memory();
  storeDraft("one", draft("first"), storage);
  storeDraft("two", draft("second"), storage);
  expect(readDraft("one", storage)).toEqual(draft("first"));
  expect(readDraft("two", storage)).toEqual(draft("second"));
  expect(readDraft("three", storage)).toEqual(emptyDraft);
});

test("a sent draft is deleted", () => {
  const storage = memory();
  storeDraft("one", draft("first"), storage);
  storeDraft("one", emptyDraft, storage);
  expect(readDraft("one", storage)).toEqual(emptyDraft);
  expect([...storage.kept.values()]).toEqual(["[]"]);
});

test("keeps the latest thirty drafts and no very long one", () => {
  const storage = memory();
  for (let count = 0; count < 40; count += 1) storeDraft(`s${count}`, draft("x"), storage);
  expect(readDraft("s9", storage)).toEqual(emptyDraft);
  expect(readDraft("s10", storage)).toEqual(draft("x"));
  storeDraft("long", draft("x".repeat(50_001)), storage);
  expect(readDraft("long", storage)).toEqual(emptyDraft);
});

test.each(["", "{", "[1,null,{}]", '[{"sessionId":"one","text":1,"mentions":[]}]'])(
  "entries that are not drafts are ignored: %s",
  (value) => {
    const storage = memory();
    storage.kept.set("landline.drafts", value);
    expect(readDraft("one", storage)).toEqual(emptyDraft);
    storeDraft("one", draft("x"), storage);
    expect(readDraft("one", storage)).toEqual(draft("x"));
  },
);

test("a browser without storage causes no error", () => {
  const full = {
    getItem: () => null,
    setItem: () => {
      throw new Error("full");
    },
  };
  expect(storeDraft("one", draft("x"), full)).toBe(false);
  expect(storeDraft("one", draft("x"), null)).toBe(false);
  expect(storeDraft("one", emptyDraft, null)).toBe(true);
  expect(readDraft("one", null)).toEqual(emptyDraft);
});
