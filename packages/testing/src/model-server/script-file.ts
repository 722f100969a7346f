import { readFileSync } from "node:fs";
import { anything, byType, count, fields, flag, listOf, mapOf, oneOf, text } from "./check.ts";
import { variant } from "./check.ts";
import { stopReasons } from "./reply.ts";
import { providerNames } from "./request.ts";
import type { ScriptEntry } from "./script.ts";

/** A script as a file: replies, and the names for the model lists. */
export interface ScriptFile {
  readonly replies: readonly ScriptEntry[];
  readonly models?: readonly string[];
}

const problemsShown = 20;
/** A timer with a longer delay fires at once. */
const delayMs = count(0, 2_147_483_647);
const pace = { chunkLength: count(1), chunkDelayMs: delayMs };
const status = count(400, 599);
const problem = { message: text, type: text, retryAfterSeconds: count(0) };
const moment = { afterChunks: count(0) };
const textPart = fields({ type: text, text }, pace);
const interruption = fields({ kind: text }, { ...moment, beforeHeaders: flag });

const part = variant("type", {
  text: textPart,
  reasoning: textPart,
  refusal: textPart,
  "tool-call": fields(
    { type: text, name: text },
    { arguments: byType({ string: text }, mapOf(anything)), id: text, ...pace },
  ),
});

const trouble = variant("kind", {
  "http-error": fields(
    { kind: text, status },
    { ...problem, headers: mapOf(text), body: anything },
  ),
  cut: interruption,
  hang: interruption,
  malformed: fields({ kind: text }, { ...moment, text }),
  "stream-error": fields({ kind: text }, { ...moment, ...problem, status }),
});

const when = fields(
  {},
  {
    userText: text,
    system: text,
    toolResult: byType({ boolean: flag }, text),
    tool: text,
    model: text,
    provider: oneOf(providerNames),
    stream: flag,
  },
);

const tokens = count(0);
const usage = fields(
  { inputTokens: tokens, outputTokens: tokens },
  { reasoningTokens: tokens, cachedReadTokens: tokens, cachedWriteTokens: tokens },
);

const entry = byType(
  { string: text },
  fields(
    {},
    {
      when,
      times: byType({ string: oneOf(["always"]) }, count(1)),
      parts: listOf(part),
      stopReason: oneOf(stopReasons),
      usage,
      delayMs,
      ...pace,
      trouble,
    },
  ),
);

const scriptFile = fields({ replies: listOf(entry) }, { models: listOf(text) });

export class InvalidScript extends Error {}

export function readScriptFile(path: string): ScriptFile {
  let content: string;
  try {
    content = readFileSync(path, "utf8");
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new InvalidScript(`The script can't be read: ${reason}`, { cause });
  }
  return parseScript(content, path);
}

/** `name` is the file name for messages. */
export function parseScript(content: string, name: string): ScriptFile {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new InvalidScript(`${name} is not JSON: ${reason}`, { cause });
  }
  const problems: string[] = [];
  scriptFile(value, "script", (path, found) => problems.push(`  ${path}: ${found}`));
  if (problems.length > 0) {
    const shown = problems.slice(0, problemsShown).join("\n");
    const more = problems.length - problemsShown;
    throw new InvalidScript(
      `${name} is not a script (docs/model-server.md has the form):\n${shown}` +
        (more > 0 ? `\n  and ${more} more` : ""),
    );
  }
  return value as ScriptFile;
}
