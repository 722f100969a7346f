import { LandlineError } from "@landline/protocol";
import {
  Hits,
  normaliseMessage,
  normaliseParams,
  normaliseResult,
  normaliseUpdate,
} from "@landline/protocol/compat";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { requestDefinition, responseDefinition, validateAcp } from "../../../testing/src/schema.ts";
import { conformingParams, conformingResults, conformingUpdate } from "./conforming.ts";
import { deepFreeze, hostileRecord, hostileValue } from "./hostile.ts";

describe("conforming values are returned as the same object, with unknown fields", () => {
  test("updates", () => {
    fc.assert(
      fc.property(conformingUpdate, (update) => {
        const hits = new Hits();
        expect(validateAcp("SessionUpdate", update)).toEqual([]);
        expect(normaliseUpdate(update, hits)).toBe(update);
        expect(hits.total).toBe(0);
      }),
      { numRuns: 500 },
    );
  });

  test.each(Object.entries(conformingParams))("params of %s", (method, arbitrary) => {
    fc.assert(
      fc.property(arbitrary, (params) => {
        expect(validateAcp(requestDefinition(method), params)).toEqual([]);
        expect(normaliseParams(method, params)).toBe(params);
      }),
    );
  });

  test.each(Object.entries(conformingResults))("the result of %s", (method, arbitrary) => {
    fc.assert(
      fc.property(arbitrary, (result) => {
        expect(validateAcp(responseDefinition(method), result)).toEqual([]);
        expect(normaliseResult(method, result)).toBe(result);
      }),
    );
  });

  test("updates of an unknown kind", () => {
    const update = { sessionUpdate: "from_the_future", toolCall: { id: 1 }, status: "running" };
    expect(normaliseUpdate(update)).toBe(update);
  });
});

const methods = [...Object.keys(conformingParams), "session/fork", "session/set_model", "shutdown"];

/** Errors other than a refusal. The input is frozen: a change in place is a TypeError. */
function trouble(normalise: () => unknown): unknown {
  try {
    normalise();
    return undefined;
  } catch (error) {
    return error instanceof LandlineError ? undefined : error;
  }
}

describe("hostile shapes", () => {
  test("an update is never changed in place, and nothing makes it throw", () => {
    fc.assert(
      fc.property(hostileRecord, (update) => {
        deepFreeze(update);
        expect(normaliseUpdate(update, new Hits())).toBeTypeOf("object");
      }),
      { numRuns: 2_000 },
    );
  });

  test("params and results are read or refused, never changed in place", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...methods),
        fc.oneof(hostileRecord, hostileValue),
        (method, value) => {
          deepFreeze(value);
          expect(trouble(() => normaliseParams(method, value))).toBeUndefined();
          expect(trouble(() => normaliseResult(method, value))).toBeUndefined();
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test("envelopes are read or refused", () => {
    fc.assert(
      fc.property(hostileRecord, (message) => {
        deepFreeze(message);
        expect(trouble(() => normaliseMessage(message))).toBeUndefined();
      }),
    );
  });

  test("a field named __proto__ stays a field", () => {
    const update = JSON.parse(
      '{"sessionUpdate":"thought_chunk","__proto__":{"polluted":true},"content":{"type":"text","text":""}}',
    ) as Record<string, unknown>;
    const normalised = normaliseUpdate(update);
    expect(Object.getPrototypeOf(normalised)).toBe(Object.prototype);
    expect(Object.keys(normalised)).toContain("__proto__");
    expect("polluted" in {}).toBe(false);
  });
});
