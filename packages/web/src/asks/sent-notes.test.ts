import { expect, test } from "vitest";
import { dropNote, keepNote, noteOf } from "./sent-notes.ts";

test("a note is found by its ask until it is dropped, and only the latest are kept", () => {
  keepNote("a", "Use make");
  expect(noteOf("a")).toBe("Use make");
  dropNote("a");
  expect(noteOf("a")).toBeNull();
  for (let number = 0; number < 101; number += 1) keepNote(`n${number}`, String(number));
  expect(noteOf("n0")).toBeNull();
  expect(noteOf("n1")).toBe("1");
  expect(noteOf("n100")).toBe("100");
});
