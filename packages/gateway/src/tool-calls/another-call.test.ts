import { expect, it } from "vitest";
import { type CallSource, isAnotherCall } from "./another-call.ts";

it.each<readonly [CallSource, { isEnded: boolean; isOfEarlierTurn: boolean }, boolean]>([
  ["call", { isEnded: false, isOfEarlierTurn: false }, false],
  ["call", { isEnded: true, isOfEarlierTurn: false }, true],
  ["call", { isEnded: false, isOfEarlierTurn: true }, true],
  ["permission", { isEnded: false, isOfEarlierTurn: false }, false],
  ["permission", { isEnded: true, isOfEarlierTurn: false }, true],
  ["permission", { isEnded: false, isOfEarlierTurn: true }, false],
  ["update", { isEnded: true, isOfEarlierTurn: true }, false],
])("a %s with the id of a call %j: another call is %j", (source, latest, isAnother) => {
  expect(isAnotherCall(source, latest)).toBe(isAnother);
});
