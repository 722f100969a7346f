import { describe, expect, test } from "vitest";
import { kindUnknown } from "../../kind-unknown.ts";
import { normalisePermissionRequest, normalisePermissionResult } from "./permission.ts";

function option(fields: Record<string, unknown>): unknown {
  const request = normalisePermissionRequest({
    sessionId: "1",
    toolCall: { toolCallId: "1" },
    options: [fields],
  });
  return (request["options"] as unknown[])[0];
}

describe("kinds", () => {
  test.each([
    ["once", "allow_once"],
    ["allow", "allow_once"],
    ["Allow-Always", "allow_always"],
    ["always", "allow_always"],
    ["deny", "reject_once"],
    ["reject", "reject_once"],
    ["reject_always", "reject_always"],
  ])("an option with the id %s is of the kind %s", (optionId, kind) => {
    expect(option({ optionId, name: "x" })).toEqual({ optionId, name: "x", kind });
  });

  test.each(["disallow", "allow_nothing", "yes", "proceed", "", "always_deny", "once more"])(
    "the id %j is not guessed to allow, and is marked",
    (optionId) => {
      expect(option({ optionId, name: "x", _meta: { a: 1 } })).toEqual({
        optionId,
        name: "x",
        kind: "reject_once",
        _meta: { a: 1, [kindUnknown]: true },
      });
    },
  );

  test("an unknown kind is interpreted, whatever the id says", () => {
    expect(option({ optionId: "allow", name: "x", kind: "deny" })).toMatchObject({
      kind: "reject_once",
    });
    expect(option({ optionId: "allow", name: "x", kind: "allow_for_ever" })).toMatchObject({
      kind: "reject_once",
      _meta: { [kindUnknown]: true },
    });
  });

  test("an option that has its kind stays", () => {
    const real = { optionId: "deny", name: "Yes", kind: "allow_once" };
    expect(option(real)).toBe(real);
  });
});

test("the tool call of a request is normalised with it", () => {
  expect(
    normalisePermissionRequest({
      sessionId: "1",
      toolCall: { toolCallId: "1", toolName: "bash", status: "executing" },
    }),
  ).toEqual({
    sessionId: "1",
    toolCall: { toolCallId: "1", name: "bash", title: "bash", status: "in_progress" },
  });
});

test("without a description the tool becomes the title", () => {
  expect(normalisePermissionRequest({ id: "p1", sessionId: "1", tool: "bash" })).toEqual({
    sessionId: "1",
    toolCall: { toolCallId: "p1", name: "bash", title: "bash" },
  });
});

describe("outcomes", () => {
  test.each([
    [{ optionId: "a" }, { outcome: { outcome: "selected", optionId: "a" } }],
    [{ outcome: "selected", optionId: "a" }, { outcome: { outcome: "selected", optionId: "a" } }],
    [{ outcome: { outcome: "timeout" } }, { outcome: { outcome: "cancelled" } }],
    [{ outcome: "timeout" }, { outcome: { outcome: "cancelled" } }],
    [{ outcome: "cancelled", optionId: "a" }, { outcome: { outcome: "cancelled" } }],
  ])("%j", (result, real) => {
    expect(normalisePermissionResult(result)).toEqual(real);
  });

  test.each([
    { outcome: { outcome: "selected", optionId: "a" } },
    { outcome: "denied", optionId: "a" },
    { optionId: 1 },
    {},
  ])("%j stays, so that the receiver can refuse it", (result) => {
    expect(normalisePermissionResult(result)).toBe(result);
  });
});
