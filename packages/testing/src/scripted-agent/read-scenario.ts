import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fits } from "./pick-turn.ts";
import type { Scenario } from "./scenario.ts";
import {
  anyObject,
  anything,
  byKind,
  count,
  countUpTo,
  flag,
  listOf,
  mapOf,
  objectOf,
  oneOf,
  text,
  type Check,
} from "./shape.ts";
import { ending, milliseconds, rpcError, steps } from "./step-checks.ts";

/** The maximum time that an agent with `stay` keeps running. */
const maxStrayMs = 10 * 60 * 1000;

export class ScenarioError extends Error {
  constructor(file: string, problems: readonly string[]) {
    super(`${file} is not a scenario:\n${problems.map((problem) => `  ${problem}`).join("\n")}`);
  }
}

/** Reads and validates a scenario file. Its `state` is relative to the file. */
export function readScenario(path: string): Scenario {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    throw new ScenarioError(path, [cause instanceof Error ? cause.message : String(cause)]);
  }
  const scenario = checkScenario(value, path);
  if (scenario.state === undefined) return scenario;
  return { ...scenario, state: resolve(dirname(path), scenario.state) };
}

/** Returns the value, typed, or throws an error that names every invalid field. */
export function checkScenario(value: unknown, file = "the scenario"): Scenario {
  const problems: string[] = [];
  scenarioCheck(value, "", problems);
  if (problems.length > 0) throw new ScenarioError(file, problems);
  return value as Scenario;
}

const times = countUpTo(1_000_000, "times");

const cancel = objectOf({
  optional: {
    habit: oneOf("honour", "ignore"),
    afterMs: milliseconds,
    steps,
    end: ending,
    cancelsRequests: flag,
  },
});

const session = objectOf({
  optional: {
    ids: listOf(text),
    modes: anyObject,
    configOptions: listOf(anyObject),
    booleanOptions: oneOf("offered", "always"),
    models: anyObject,
    commands: listOf(anyObject),
    replay: oneOf("before", "after", "first-before", "none"),
    notFound: rpcError,
    loadUnknown: byKind('"accept" or an error', { text: oneOf("accept"), object: rpcError }),
    replayKinds: listOf(text),
    forgets: oneOf("resumed", "loaded", "forked"),
    pageSize: count(1, 1000, "sessions"),
  },
});

const matchText: Check = (value, path, problems) => {
  text(value, path, problems);
  if (typeof value !== "string") return;
  try {
    fits(value, "");
  } catch (cause) {
    problems.push(`${path}: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
};

const turn = objectOf({
  required: { steps },
  optional: { about: text, match: matchText, times, end: ending, cancel },
});

const answer = objectOf({
  optional: {
    match: anyObject,
    times,
    delayMs: milliseconds,
    before: steps,
    after: steps,
    result: anything,
    add: anyObject,
    error: rpcError,
    raw: anyObject,
    never: flag,
  },
});

const answers: Check = (value, path, problems) => {
  mapOf(byKind("an answer, or a list of them", { object: answer, list: listOf(answer) }))(
    value,
    path,
    problems,
  );
  if (typeof value === "object" && value !== null && "session/prompt" in value) {
    problems.push(`${path}."session/prompt": what a prompt gets is said by turns`);
  }
};

const exitHabit = byKind('"exit", "stay", or an object', {
  text: oneOf("exit", "stay"),
  object: objectOf({
    optional: { afterMs: countUpTo(maxStrayMs, "milliseconds"), code: countUpTo(255, "exit code") },
  }),
});

const secondPrompt = byKind("a habit, or an object with reject or failFirst", {
  text: oneOf("queue", "parallel", "never", "cancelFirst"),
  object: (value, path, problems) => {
    const field = typeof value === "object" && value !== null && "failFirst" in value;
    objectOf({ required: { [field ? "failFirst" : "reject"]: rpcError } })(value, path, problems);
  },
});

const scenarioCheck = objectOf({
  required: { about: text, turns: listOf(turn) },
  optional: {
    initialize: anyObject,
    authentication: oneOf("none", "required"),
    login: objectOf({ required: { code: text } }),
    session,
    whenTurnsRunOut: oneOf("last", "again", "error"),
    answers,
    cancel,
    cancelRequest: oneOf("honour", "ignore"),
    secondPrompt,
    requestIds: oneOf("numbers", "uuids"),
    process: objectOf({
      optional: {
        stdinClose: exitHabit,
        stdinCloseBusy: exitHabit,
        sigterm: exitHabit,
        strayLimitMs: countUpTo(maxStrayMs, "milliseconds"),
      },
    }),
    atStart: steps,
    state: text,
  },
});
