import { readFile, stat } from "node:fs/promises";
import { randomUUID } from "node:crypto";
import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { readConversation } from "./demo/conversation.ts";
import { collected, paced, partsOf, usageOf } from "./demo/stream-parts.ts";
import { smallJob } from "./demo/title-and-summary.ts";
import type { Move } from "./demo/answer-builder.ts";
import { ModelProblem } from "./model.ts";

/** A script that is replayed. A larger one is refused. */
const scriptBytes = 16 * 1_024 * 1_024;

/**
 * A model that plays a file: one answer a line, `{"think", "say", "calls": [{"tool", "input"}]}`, each part
 * optional. Every request takes the next line, whoever makes it, so that subagents take theirs in the order
 * in which they speak; titles and summaries take none. After the last line it says that it is over.
 */
export async function openScriptModel(path: string, paceMs: number): Promise<LanguageModelV4> {
  const moves = await readScript(path);
  let next = 0;
  const answer = (call: LanguageModelV4CallOptions) => {
    const { system, request } = readConversation(call.prompt);
    const job = smallJob(system, request);
    const move = job === null ? (moves[next] ?? over) : { ...over, say: job };
    if (job === null) next += 1;
    const usage = usageOf(JSON.stringify(call.prompt).length, move);
    return partsOf(move, usage, () => `script-${randomUUID()}`);
  };
  return {
    specificationVersion: "v4",
    provider: "script",
    modelId: "replay",
    supportedUrls: {},
    doGenerate: (call) => Promise.resolve(collected(answer(call))),
    doStream: (call) => Promise.resolve({ stream: paced(answer(call), paceMs, call.abortSignal) }),
  };
}

const over: Move = { think: "", say: "(The script is over.)", calls: [] };

async function readScript(path: string): Promise<Move[]> {
  const { size } = await stat(path).catch((cause: unknown) => {
    throw wrong(`The script ${path} can't be read.`, cause);
  });
  if (size > scriptBytes) throw wrong(`The script ${path} is too large.`);
  const lines = (await readFile(path, "utf8")).split("\n");
  return lines.flatMap((line, index) =>
    line.trim() === "" ? [] : [moveOf(line, `${path}:${index + 1}`)],
  );
}

function moveOf(line: string, place: string): Move {
  const { think = "", say = "", calls = [], ...rest } = objectOf(parsed(line, place), place);
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) {
    throw wrong(`${place}: there is no “${unknown}”. There are think, say and calls.`);
  }
  if (typeof think !== "string" || typeof say !== "string" || !Array.isArray(calls)) {
    throw wrong(`${place}: think and say are texts, calls is a list.`);
  }
  return { think, say, calls: (calls as unknown[]).map((call) => callOf(call, place)) };
}

function callOf(call: unknown, place: string): Move["calls"][number] {
  const { tool, input = {} } = objectOf(call, place);
  if (typeof tool !== "string") throw wrong(`${place}: a call needs its tool.`);
  return { tool, input: objectOf(input, place) };
}

function objectOf(value: unknown, place: string): Record<string, unknown> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw wrong(`${place}: an object is wanted.`);
}

function parsed(line: string, place: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw wrong(`${place}: this is not JSON.`, cause);
  }
}

function wrong(message: string, cause?: unknown): ModelProblem {
  return new ModelProblem("provider-error", message, { cause });
}
