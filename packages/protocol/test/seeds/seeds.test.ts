import { fromRpcError, type LandlineError, type RpcErrorShape } from "@landline/protocol";
import {
  Hits,
  normaliseMessage,
  normaliseParams,
  normaliseResult,
  normaliseUpdate,
} from "@landline/protocol/compat";
import { describe, expect, test } from "vitest";
import { requestDefinition, responseDefinition, validateAcp } from "../../../testing/src/schema.ts";
import { type Example, examplesOf, subjectOf } from "./example.ts";

/** The number of JSON blocks of each seed, so that none is missing or duplicated. */
const blocks = { "000": 19, "001": 43, "002": 5, "003": 30, "004": 32 };

const seeds = Object.entries(blocks);
const examples = seeds.flatMap(([seed]) => examplesOf(seed));

function having(...outcomes: Example["outcome"][]): Example[] {
  return examples.filter((example) => outcomes.includes(example.outcome));
}

function normalise(example: Example, hits?: Hits): unknown {
  const subject = subjectOf(example);
  switch (example.is) {
    case "response":
    case "result":
      return normaliseResult(example.method, subject, hits);
    case "update":
      return normaliseUpdate(example.printed, hits);
    case "message":
      return normaliseMessage(example.printed, hits);
    default: {
      const { onlySession } = example;
      return normaliseParams(
        example.method,
        subject,
        hits,
        onlySession === undefined ? {} : { onlySession },
      );
    }
  }
}

function problemsOf(example: Example, value: unknown): string[] {
  if (example.schema === "none") return [];
  const options = { unstable: example.schema === "unstable" };
  switch (example.is) {
    case "update":
      return validateAcp("SessionUpdate", value, options);
    case "response":
    case "result":
      return validateAcp(responseDefinition(example.method, options), value, options);
    default:
      return validateAcp(requestDefinition(example.method, options), value, options);
  }
}

test.each(seeds)("every JSON block of seed %s has its examples", (seed, count) => {
  const numbers = new Set(examplesOf(seed).map((example) => example.block));
  expect([...numbers]).toEqual(Array.from({ length: count }, (_, index) => index + 1));
});

test("each example has a unique name", () => {
  expect(new Set(examples.map((example) => example.name)).size).toBe(examples.length);
});

describe("accepted as it is", () => {
  test.each(having("accepted"))("$name", (example) => {
    const hits = new Hits();
    expect(normalise(example, hits)).toBe(subjectOf(example));
    expect(hits.total).toBe(0);
    expect(problemsOf(example, subjectOf(example))).toEqual([]);
  });
});

describe("normalised", () => {
  test.each(having("normalised"))("$name", (example) => {
    const before = structuredClone(example.printed);
    const hits = new Hits();
    const value = normalise(example, hits);
    expect(value).toEqual(example.normalised);
    expect(problemsOf(example, value)).toEqual([]);
    expect(Object.fromEntries(hits.entries())).toEqual(example.hits);
    expect(example.printed).toEqual(before);
    expect(normaliseAgain(example, value)).toBe(value);
  });
});

/** The result conforms: a second pass changes nothing. */
function normaliseAgain(example: Example, value: unknown): unknown {
  switch (example.is) {
    case "response":
    case "result":
      return normaliseResult(example.method, value);
    case "update":
      return normaliseUpdate(value as Record<string, unknown>);
    default:
      return normaliseParams(example.method, value);
  }
}

describe("refused", () => {
  test.each(having("refused"))("$name", (example) => {
    expect(() => normalise(example)).toThrow(
      expect.objectContaining({ code: example.code }) as LandlineError,
    );
  });
});

describe("nothing to do", () => {
  test.each(having("nothing"))("$name", (example) => {
    expect(normalise(example)).toBeNull();
  });
});

describe("an error of a peer", () => {
  test.each(having("means"))("$name", (example) => {
    const error = subjectOf(example) as RpcErrorShape;
    expect(validateAcp("Error", error)).toEqual([]);
    const about = example.method.startsWith("session/") ? "session" : undefined;
    expect(fromRpcError(error, about)).toBe(example.code);
  });
});

describe("not a message of the protocol", () => {
  test.each(having("outside"))("$name says why", ({ note }) => {
    expect(note).toMatch(/docs\/seeds\.md/);
  });
});
