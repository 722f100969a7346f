import { blockOf, normaliseToolContent } from "./content.ts";
import type { Hits } from "./hits.ts";
import { isRecord, type RawRecord, renamed, isAlias, withField } from "../../record.ts";

/**
 * Normalises the fields of a tool call in `tool_call`, `tool_call_update` and permission requests. Seed 001 nests and
 * renames them, seed 002 renames them differently, and the appendix of seed 004 has a subagent's input outside
 * `rawInput`.
 */
export function normaliseToolCall(call: RawRecord, hits?: Hits): RawRecord {
  let result = unnested(call, hits);
  result = withId(result, hits);
  result = withName(result, hits);
  result = withInput(result, hits);
  result = withSubagent(result, hits);
  result = withResult(result, hits);
  result = withStatus(result, hits);
  return withField(result, "content", normaliseToolContent(result["content"], hits));
}

function unnested(call: RawRecord, hits?: Hits): RawRecord {
  if (!isRecord(call["toolCall"]) || call["toolCallId"] !== undefined) return call;
  hits?.count("tool-call-nested");
  const { toolCall: _toolCall, ...rest } = call;
  return { ...call["toolCall"], ...rest };
}

function withId(call: RawRecord, hits?: Hits): RawRecord {
  if (!isAlias(call, "id", "toolCallId")) return call;
  hits?.count("tool-call-id");
  return renamed(call, "id", "toolCallId");
}

function withName(call: RawRecord, hits?: Hits): RawRecord {
  if (typeof call["toolName"] === "string" && call["name"] === undefined) {
    hits?.count("tool-call-name");
    const { toolName, ...rest } = call;
    return { ...rest, name: toolName, title: call["title"] ?? toolName };
  }
  // An update may name a tool without a title; the start of a call must have one.
  const lacksTitle = call["sessionUpdate"] === "tool_call" && call["title"] === undefined;
  if (!lacksTitle || typeof call["name"] !== "string") return call;
  hits?.count("tool-call-name");
  return { ...call, title: call["name"] };
}

function withInput(call: RawRecord, hits?: Hits): RawRecord {
  for (const field of ["arguments", "input"]) {
    if (!isAlias(call, field, "rawInput")) continue;
    hits?.count("tool-call-input");
    return renamed(call, field, "rawInput");
  }
  return call;
}

function withSubagent(call: RawRecord, hits?: Hits): RawRecord {
  if (call["subagent_type"] === undefined) return call;
  const rawInput = call["rawInput"] ?? {};
  if (!isRecord(rawInput) || rawInput["subagent_type"] !== undefined) return call;
  hits?.count("tool-call-subagent");
  const { subagent_type, description, prompt, ...rest } = call;
  const input = {
    subagent_type,
    ...(description === undefined ? {} : { description }),
    ...(prompt === undefined ? {} : { prompt }),
  };
  return { ...rest, rawInput: { ...input, ...rawInput } };
}

function withResult(call: RawRecord, hits?: Hits): RawRecord {
  if (!isAlias(call, "result", "rawOutput")) return call;
  hits?.count("tool-call-result");
  const block = call["content"] === undefined ? blockOf(call["result"], hits) : undefined;
  const output = renamed(call, "result", "rawOutput");
  return block === undefined
    ? output
    : { ...output, content: [{ type: "content", content: block }] };
}

function withStatus(call: RawRecord, hits?: Hits): RawRecord {
  const status = realStatus(call["status"], call["rawOutput"] !== undefined);
  if (status === undefined) return call;
  hits?.count("tool-status");
  return { ...call, status };
}

/** `partially_completed` ends a call only if it has output. */
function realStatus(status: unknown, hasOutput: boolean): string | undefined {
  switch (status) {
    case "running":
    case "executing":
      return "in_progress";
    case "partially_completed":
      return hasOutput ? "completed" : "in_progress";
    default:
      return undefined;
  }
}
