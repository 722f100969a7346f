import { constants } from "node:os";
import { isObject } from "./json.ts";
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
  shown,
  text,
  wholeNumber,
  type Check,
} from "./shape.ts";
import type { StepName } from "./step.ts";

const dayMs = 24 * 60 * 60 * 1000;
/** Child processes end on their own within this time, so that no test leaves one behind. */
const maxChildMs = 10 * 60 * 1000;
const maxLineBytes = 1024 * 1024 * 1024;

export const milliseconds = countUpTo(dayMs, "milliseconds");
const times = countUpTo(1_000_000_000, "times");
const bytes = countUpTo(maxLineBytes, "bytes");
const perSecond = count(1, 1_000_000, "times a second");

const signal: Check = (value, path, problems) => {
  if (typeof value === "string" && Object.hasOwn(constants.signals, value)) return;
  problems.push(`${path}: expected the name of a signal, such as "SIGKILL", found ${shown(value)}`);
};

export const rpcError = objectOf({
  required: { code: wholeNumber, message: text },
  optional: { data: anything },
});

export const ending = byKind('a stop reason, "never", or an object with stopReason, error or raw', {
  text,
  object: (value, path, problems) => {
    if (isObject(value) && "error" in value) {
      objectOf({ required: { error: rpcError } })(value, path, problems);
    } else if (isObject(value) && "raw" in value) {
      objectOf({ required: { raw: anyObject } })(value, path, problems);
    } else objectOf({ required: { stopReason: text }, open: true })(value, path, problems);
  },
});

/** Looks up the validator of the body at run time, because steps contain steps. */
const step: Check = (value, path, problems) => {
  if (!isObject(value)) {
    problems.push(`${path}: expected a step, found ${shown(value)}`);
    return;
  }
  const names = Object.keys(value).filter((name) => name !== "child" && name !== "about");
  const [name = ""] = names;
  if (names.length !== 1) {
    const found = names.length === 0 ? "none" : names.join(", ");
    problems.push(`${path}: expected one step name, found ${found}`);
  } else if (!Object.hasOwn(bodies, name)) {
    const known = Object.keys(bodies).toSorted().join(", ");
    problems.push(`${path}: there is no step ${JSON.stringify(name)}; there are ${known}`);
  } else {
    const fields = { required: { [name]: bodies[name as StepName] } };
    objectOf({ ...fields, optional: { child: text, about: text } })(value, path, problems);
  }
};

export const steps = listOf(step);

const saying = byKind("a text, or an object with text or content", {
  text,
  object: objectOf({
    optional: {
      text,
      content: anyObject,
      messageId: text,
      chunkChars: count(1, 1_000_000, "characters"),
      everyMs: milliseconds,
    },
  }),
});

const asking = { on: mapOf(steps), expect: anything, save: text, wait: flag };

/** Params of a request are not validated, so that a scenario can send anything. */
function request(required: Readonly<Record<string, Check>> = {}): Check {
  return objectOf({ required, optional: asking, open: true });
}

const identified = objectOf({ required: { toolCallId: text }, open: true });

/** A nested request would wait for an answer before it is sent. */
const emitting: Check = (value, path, problems) => {
  steps(value, path, problems);
  for (const [index, entry] of (Array.isArray(value) ? value : []).entries()) {
    const waits = isObject(entry) ? waiting.find((name) => name in entry) : undefined;
    if (waits !== undefined) {
      problems.push(`${path}[${index}]: ${waits} waits, so it can't be part of one write`);
    }
  }
};

const bodies: Readonly<Record<StepName, Check>> = {
  say: saying,
  think: saying,
  hear: saying,
  flood: objectOf({
    required: { count: times },
    optional: {
      bytes,
      perSecond,
      perWrite: count(1, 1_000_000, "lines"),
      messageId: text,
      as: oneOf("say", "think"),
    },
  }),
  update: anyObject,
  tool: identified,
  toolUpdate: identified,
  plan: listOf(anyObject),
  mode: text,
  config: anyObject,
  usage: anyObject,
  title: text,
  commands: listOf(anyObject),
  notice: anyObject,
  environment: byKind("true, or a list of names", { flag: oneOf(true), list: listOf(text) }),
  permission: objectOf({
    required: { toolCall: identified },
    optional: { ...asking, options: listOf(anyObject) },
    open: true,
  }),
  ask: request({ message: text }),
  askDone: text,
  readFile: request({ path: text }),
  writeFile: request({ path: text, content: text }),
  createTerminal: request({ command: text }),
  terminalOutput: request(),
  waitForExit: request(),
  killTerminal: request(),
  releaseTerminal: request(),
  request: objectOf({ required: { method: text }, optional: { ...asking, params: anything } }),
  notify: objectOf({ required: { method: text }, optional: { params: anything } }),
  wait: milliseconds,
  repeat: objectOf({ required: { times, steps } }),
  together: listOf(steps),
  whenClient: objectOf({ required: { has: text, steps }, optional: { otherwise: steps } }),
  check: objectOf({ required: { value: anything, equals: anything } }),
  end: ending,
  answerEarly: ending,
  silence: byKind('milliseconds, or "forever"', { number: milliseconds, text: oneOf("forever") }),
  garbage: byKind("a line of text, or bytes", { text, object: objectOf({ required: { bytes } }) }),
  bytes: (value, path, problems) => {
    if (typeof value === "string" && /^([\da-f]{2} ?)*$/i.test(value)) return;
    problems.push(`${path}: expected bytes as pairs of hex digits, found ${shown(value)}`);
  },
  invalidUtf8: text,
  oversized: objectOf({ required: { bytes }, optional: { update: anyObject } }),
  message: anyObject,
  oneWrite: emitting,
  split: objectOf({
    required: { at: listOf(bytes), steps: emitting },
    optional: { everyMs: milliseconds },
  }),
  stderr: byKind("a line of text, or lines", {
    text,
    object: objectOf({ required: { lines: times }, optional: { bytes, perSecond } }),
  }),
  spawn: objectOf({
    required: { forMs: countUpTo(maxChildMs, "milliseconds") },
    optional: { detached: flag, ignoresSigterm: flag, holdsOutput: flag, save: text },
  }),
  crash: byKind("an exit code, or an object", {
    number: countUpTo(255, "exit code"),
    object: objectOf({
      optional: { code: countUpTo(255, "exit code"), signal, halfLine: flag },
    }),
  }),
};

const waiting = [
  "permission",
  "ask",
  "readFile",
  "writeFile",
  "createTerminal",
  "terminalOutput",
  "waitForExit",
  "killTerminal",
  "releaseTerminal",
  "request",
  "repeat",
  "together",
  "whenClient",
  "crash",
  "silence",
  "split",
] as const;
