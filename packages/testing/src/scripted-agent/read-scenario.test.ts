import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkScenario, readScenario, ScenarioError } from "./read-scenario.ts";
import { written } from "./agent-process.ts";

const turn = (steps: unknown) => ({ about: "x", turns: [{ steps }] });

/** An invalid scenario, and the expected message. */
const mistakes: readonly [string, unknown, string][] = [
  ["no object", [], "expected an object, found []"],
  ["no turns", { about: "x" }, "turns: is missing"],
  [
    "an unknown field",
    { about: "x", turns: [], trns: 1 },
    "trns: there is no such field; there are about, answers,",
  ],
  [
    "an unknown step",
    turn([{ shout: "x" }]),
    'turns[0].steps[0]: there is no step "shout"; there are answerEarly, ask,',
  ],
  [
    "two steps in one",
    turn([{ say: "x", wait: 1 }]),
    "turns[0].steps[0]: expected one step name, found say, wait",
  ],
  [
    "an empty step",
    turn([{ about: "nothing" }]),
    "turns[0].steps[0]: expected one step name, found none",
  ],
  [
    "a wrong body",
    turn([{ wait: "a while" }]),
    'turns[0].steps[0].wait: expected a whole number of milliseconds from 0 to 86400000, found "a while"',
  ],
  [
    "a wrong nested body",
    turn([{ repeat: { times: 1, steps: [{ plan: {} }] } }]),
    "turns[0].steps[0].repeat.steps[0].plan: expected a list, found {}",
  ],
  [
    "a wrong branch",
    turn([{ readFile: { path: "/a", on: { "-32002": [{ wait: -1 }] } } }]),
    'turns[0].steps[0].readFile.on."-32002"[0].wait: expected',
  ],
  [
    "a tool call without an id",
    turn([{ tool: { title: "x" } }]),
    "turns[0].steps[0].tool.toolCallId: is missing",
  ],
  [
    "a request in one write",
    turn([{ oneWrite: [{ readFile: { path: "/a" } }] }]),
    "oneWrite[0]: readFile waits, so it can't be part of one write",
  ],
  [
    "a child that stays too long",
    turn([{ spawn: { forMs: 3_600_000 } }]),
    "spawn.forMs: expected a whole number of milliseconds from 0 to 600000",
  ],
  [
    "an unknown signal",
    turn([{ crash: { signal: "SIGNOTHING" } }]),
    'crash.signal: expected the name of a signal, such as "SIGKILL", found "SIGNOTHING"',
  ],
  ["half a byte", turn([{ bytes: "ff f" }]), "bytes: expected bytes as pairs of hex digits"],
  [
    "an invalid pattern",
    { about: "x", turns: [{ match: "/(/", steps: [] }] },
    "turns[0].match: Invalid regular expression",
  ],
  [
    "an error without a code",
    { about: "x", turns: [{ steps: [], end: { error: { message: "x" } } }] },
    "turns[0].end.error.code: is missing",
  ],
  [
    "an invalid ending",
    turn([{ end: { reason: "x" } }]),
    "turns[0].steps[0].end.stopReason: is missing",
  ],
  [
    "an answer to a prompt",
    { about: "x", turns: [], answers: { "session/prompt": {} } },
    "what a prompt gets is said by turns",
  ],
  [
    "an unknown behaviour",
    { about: "x", turns: [], secondPrompt: "explode" },
    'secondPrompt: expected "queue" or "parallel" or "never" or "cancelFirst", found "explode"',
  ],
];

/** The reported problem, or nothing; any other error is a bug of the check. */
function saidAbout(value: unknown): string {
  try {
    checkScenario(value, "my.json");
    return "";
  } catch (error) {
    if (error instanceof ScenarioError) return error.message;
    throw error;
  }
}

describe("an invalid scenario", () => {
  test.each(mistakes)(
    "%s: the file, the field and the expected value are named",
    (_, value, message) => {
      const said = saidAbout(value);
      expect(said).toContain("my.json is not a scenario:");
      expect(said).toContain(message);
    },
  );

  test("every problem is reported at once", () => {
    const value = { turns: [{ steps: [{ wait: true }, { say: 1 }] }], extra: 1 };
    expect(() => checkScenario(value)).toThrow(/about[^]*wait[^]*say[^]*extra/);
  });

  test("no JSON makes the check throw", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const attempts = [value, { about: "x", turns: value }, turn(value), turn([value])];
        for (const attempt of attempts) expect(saidAbout(attempt)).toBeTypeOf("string");
      }),
    );
  });
});

test("state is relative to the file", () => {
  const path = written({ turns: [], state: "kept" });
  expect(readScenario(path).state).toBe(path.replace(/[^/]+$/, "kept"));
});

test("a file that is not JSON is reported", () => {
  expect(() => readScenario(new URL(import.meta.url).pathname)).toThrow(
    /read-scenario\.test\.ts is not a scenario/,
  );
});
