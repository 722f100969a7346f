import { expect, it } from "vitest";
import { isAnotherCall, type CallSource } from "./another-call.ts";

const open = { isEnded: false, isOfEarlierTurn: false, isUnannounced: false };
const ended = { ...open, isEnded: true };

it.each<readonly [CallSource, typeof open, boolean]>([
  ["call", open, false],
  ["call", ended, true],
  ["call", { ...ended, isUnannounced: true }, false],
  ["call", { ...ended, isUnannounced: true, isOfEarlierTurn: true }, true],
  ["call", { ...open, isOfEarlierTurn: true }, true],
  ["permission", open, false],
  ["permission", ended, true],
  ["permission", { ...open, isOfEarlierTurn: true }, false],
  ["update", { ...ended, isOfEarlierTurn: true }, false],
])("a %s with the id of a call %j: another call is %j", (source, latest, isAnother) => {
  expect(isAnotherCall(source, latest, () => false)).toBe(isAnother);
});

it("recognises a repeated end of the same call", () => {
  expect(isAnotherCall("call", ended, () => true)).toBe(false);
});
