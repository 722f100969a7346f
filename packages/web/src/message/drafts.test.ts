// @vitest-environment happy-dom
import { act, cleanup, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { emptyDraft, storeDraft, readDraft } from "./draft-storage.ts";
import { draftOf, newConversation, useDraft, writeDraft } from "./drafts.ts";

const draft = (text: string) => ({ text, mentions: [] });

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

test("two components with the same key share one draft", () => {
  const one = renderHook(() => useDraft("shared"));
  const other = renderHook(() => useDraft("shared"));
  act(() => writeDraft("shared", draft("words")));
  expect([one.result.current, other.result.current]).toEqual([draft("words"), draft("words")]);
  expect(draftOf("elsewhere")).toEqual(emptyDraft);
});

test("a draft is stored when its last component unmounts, and another tab can continue it", () => {
  const shown = renderHook(() => useDraft("left"));
  act(() => writeDraft("left", draft("words")));
  expect(readDraft("left", localStorage)).toEqual(emptyDraft);
  shown.unmount();
  expect(readDraft("left", localStorage)).toEqual(draft("words"));
  storeDraft("left", draft("more words"), localStorage);
  expect(renderHook(() => useDraft("left")).result.current).toEqual(draft("more words"));
});

test("the draft of a new session belongs to its tab", () => {
  const shown = renderHook(() => useDraft(newConversation));
  act(() => writeDraft(newConversation, draft("words")));
  shown.unmount();
  expect(readDraft(newConversation, localStorage)).toEqual(emptyDraft);
  expect(readDraft(newConversation, sessionStorage)).toEqual(draft("words"));
  storeDraft(newConversation, draft("of another tab"), localStorage);
  expect(draftOf(newConversation)).toEqual(draft("words"));
});

test("a draft is stored on pagehide, and after a delay when no component shows it", () => {
  vi.useFakeTimers();
  writeDraft("hidden", draft("words"));
  dispatchEvent(new Event("pagehide"));
  expect(readDraft("hidden", localStorage)).toEqual(draft("words"));
  writeDraft("hidden", draft("other words"));
  vi.runAllTimers();
  expect(readDraft("hidden", localStorage)).toEqual(draft("other words"));
});

test("a draft that the browser does not store lives as long as the page", () => {
  const long = draft("a".repeat(60_000));
  const shown = renderHook(() => useDraft("long"));
  act(() => writeDraft("long", long));
  shown.unmount();
  expect(readDraft("long", localStorage)).toEqual(emptyDraft);
  expect(draftOf("long")).toEqual(long);
});
