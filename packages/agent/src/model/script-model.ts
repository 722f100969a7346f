import { readFile, stat } from "node:fs/promises";
import { randomUUID } from "node:crypto";
import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { readConversation } from "./demo/conversation.ts";
import { collected, paced, partsOf, usageOf } from "./demo/stream-parts.ts";
import { titleOrSummary } from "./demo/title-and-summary.ts";
import type { DemoAnswer } from "./demo/answer-builder.ts";
import { ModelProblem } from "./model.ts";

/** Maximum size of a script. */
const scriptBytes = 16 * 1_024 * 1_024;

/**
 * A model that plays a file with one answer per line: `{"think", "say", "calls": [{"tool", "input"}]}`, all
 * optional. Every request takes the next line, including those of subagents; titles and summaries take none. After
 * the last line it says that the script is over.
 */
export async function openScriptModel(path: string, paceMs: number): Promise<LanguageModelV4> {
  const answers = await readScript(path);
  let next = 0;
  const respond = (call: LanguageModelV4CallOptions) => {
    const { system, request } = readConversation(call.prompt);
    const job = titleOrSummary(system, request);
    const answer = job === null ? (answers[next] ?? endOfScript) : { ...endOfScript, say: job };
    if (job === null) next += 1;
    const usage = usageOf(JSON.stringify(call.prompt).length, answer);
    return partsOf(answer, usage, () => `script-${randomUUID()}`);
  };
  return {
    specificationVersion: "v4",
    provider: "script",
    modelId: "replay",
    supportedUrls: {},
    doGenerate: (call) => Promise.resolve(collected(respond(call))),
    doStream: (call) => Promise.resolve({ stream: paced(respond(call), paceMs, call.abortSignal) }),
  };
}

const endOfScript: DemoAnswer = { think: "", say: "(The script is over.)", calls: [] };

async function readScript(path: string): Promise<DemoAnswer[]> {
  const { size } = await stat(path).catch((cause: unknown) => {
    throw wrong(`The script ${path} can't be read.`, cause);
  });
  if (size > scriptBytes) throw wrong(`The script ${path} is too large.`);
  const lines = (await readFile(path, "utf8")).split("\n");
  return lines.flatMap((line, index) =>
    line.trim() === "" ? [] : [answerOf(line, `${path}:${index + 1}`)],
  );
}

function answerOf(line: string, location: string): DemoAnswer {
  const { think = "", say = "", calls = [], ...rest } = objectOf(parsed(line, location), location);
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) {
    throw wrong(`${location}: there is no “${unknown}”. There are think, say and calls.`);
  }
  if (typeof think !== "string" || typeof say !== "string" || !Array.isArray(calls)) {
    throw wrong(`${location}: think and say are texts, calls is a list.`);
  }
  return { think, say, calls: (calls as unknown[]).map((call) => callOf(call, location)) };
}

function callOf(call: unknown, location: string): DemoAnswer["calls"][number] {
  const { tool, input = {} } = objectOf(call, location);
  if (typeof tool !== "string") throw wrong(`${location}: a call needs its tool.`);
  return { tool, input: objectOf(input, location) };
}

function objectOf(value: unknown, location: string): Record<string, unknown> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw wrong(`${location}: an object is wanted.`);
}

function parsed(line: string, location: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw wrong(`${location}: this is not JSON.`, cause);
  }
}

function wrong(message: string, cause?: unknown): ModelProblem {
  return new ModelProblem("provider-error", message, { cause });
}
