import type {
  AssistantModelMessage,
  ModelMessage,
  TextPart,
  ToolResultPart,
  UserModelMessage,
} from "ai";
import type { ModelInfo } from "../model/model.ts";
import { contextTurns, lastCompaction } from "./context-turns.ts";
import { mediaOf, plainType, takes, textOf, type Media } from "./media.ts";
import { providerCallId, providerOf, providerToolName } from "./provider-names.ts";
import { prunedCalls } from "./prune-outputs.ts";
import { attachmentKey, refusedMedia, type RefusedMedia } from "./refused-media.ts";
import type { ToolCalled } from "./record.ts";
import type { SessionState, Step, StepContent, ToolContentPart, Turn } from "./state.ts";

type AssistantPart = Exclude<AssistantModelMessage["content"], string>[number];
type UserPart = Exclude<UserModelMessage["content"], string>[number];
type ProviderOptions = NonNullable<AssistantModelMessage["providerOptions"]>;

interface Reader {
  model: ModelInfo;
  pruned: ReadonlySet<string>;
  refused: RefusedMedia;
}

/**
 * Converts a session to model messages. Turns without parts for the model (`/status`, `/undo`) are omitted.
 * The history is always valid: it begins with the user, roles alternate, each call is followed by its result,
 * no message is empty, and no media is sent to a model that does not accept it.
 */
export function toModelMessages(state: SessionState, model: ModelInfo): ModelMessage[] {
  const reader = { model, pruned: prunedCalls(state), refused: refusedMedia(state, model) };
  const messages: ModelMessage[] = [];
  const compaction = lastCompaction(state);
  if (compaction) addMessage(messages, said(summaryText(compaction.summary)));
  for (const { turn, steps } of contextTurns(state)) {
    addMessage(messages, { role: "user", content: userParts(turn, reader) });
    for (const step of steps)
      for (const message of stepMessages(step, reader)) addMessage(messages, message);
  }
  return messages;
}

/** Chat templates of many local models refuse two messages of the same role in a row. */
export function addMessage(messages: ModelMessage[], message: ModelMessage): void {
  const last = messages.at(-1);
  if (last?.role === "user" && message.role === "user") {
    last.content = joined(last.content, message.content);
  } else if (last?.role === "assistant" && message.role === "assistant") {
    last.content = joined(last.content, message.content);
  } else {
    messages.push(message);
  }
}

function joined<Part>(
  first: string | (Part | TextPart)[],
  second: string | (Part | TextPart)[],
): (Part | TextPart)[] {
  const parts = typeof first === "string" ? [{ type: "text" as const, text: first }] : first;
  if (typeof second === "string") parts.push({ type: "text", text: second });
  else parts.push(...second);
  return parts;
}

/** A message of the agent with the role `user`. */
export function said(text: string): UserModelMessage {
  return { role: "user", content: [{ type: "text", text }] };
}

function summaryText(summary: string): string {
  return `This conversation was shortened. What happened before, in summary:\n\n${summary}`;
}

function userParts(turn: Turn, { model, refused }: Reader): UserPart[] {
  const parts = turn.prompt.parts
    .map((part): UserPart => {
      if (part.type === "text") return { type: "text", text: part.text };
      const block = turn.prompt.content[part.index];
      const name = block?.type === "resource" ? block.resource.uri : "this";
      const problem = refused.get(attachmentKey({ id: turn.prompt.promptId, index: part.index }));
      if (problem !== undefined) return refusedPart(mediaOf(block)?.mimeType ?? name, problem);
      return mediaPart(mediaOf(block), name, model);
    })
    .filter((part) => part.type !== "text" || part.text.trim() !== "");
  return parts.length > 0 ? parts : [{ type: "text", text: "(empty)" }];
}

function mediaPart(media: Media | null, name: string, model: ModelInfo): UserPart {
  if (media === null) return { type: "text", text: "(an attachment that can't be read)" };
  if (takes(model, media.mimeType)) return filePart(media);
  const text = textOf(media);
  const words = text === null ? `(${notTaken(name, media.mimeType, model)})` : `[${name}]\n${text}`;
  return { type: "text", text: words };
}

function refusedPart(what: string, problem: string): TextPart {
  return {
    type: "text",
    text: `(An attachment, ${what}, was refused and left out here: ${problem})`,
  };
}

function stepMessages(step: Step, reader: Reader): ModelMessage[] {
  if (step.modelId === "") return step.parts.flatMap((part) => reported(part, reader));
  const content = step.parts.flatMap((part) => assistantPart(part, step, reader.model));
  // Providers refuse a message that contains only reasoning.
  if (!content.some((part) => part.type !== "reasoning")) {
    // An attempt that failed before any output leaves nothing to continue from.
    return step.ended?.finish === "error" ? [] : interruption(step);
  }
  const calls = step.parts.filter((part) => part.type === "tool");
  if (calls.length === 0) return [{ role: "assistant", content }, ...interruption(step)];
  return [
    { role: "assistant", content },
    { role: "tool", content: calls.map((part) => resultPart(part, step, reader)) },
    ...attached(calls, reader),
  ];
}

/** The result of a user's command. Providers refuse tool calls that the model did not make. */
function reported(part: StepContent, { pruned }: Reader): ModelMessage[] {
  if (part.type !== "tool") return [];
  const output = outputOf(part, pruned);
  return [said(`(This was handed to ${part.call.tool}, which came back with:)\n${output}`)];
}

/** Tells an interrupted model to continue instead of starting again. */
function interruption(step: Step): ModelMessage[] {
  const finish = step.ended?.finish;
  if (finish === "error") return [said("(The connection broke there. Go on from that point.)")];
  return finish === "cancelled" || finish === undefined ? [said("(I stopped you there.)")] : [];
}

function assistantPart(part: StepContent, step: Step, model: ModelInfo): AssistantPart[] {
  // Signatures and encrypted reasoning are useless to another model, and some models refuse them. The same
  // holds for an answer that was cut off.
  const isOwn = step.modelId === model.id && isWhole(step);
  const options = (provider: Record<string, unknown> | undefined) =>
    isOwn && provider ? { providerOptions: provider as ProviderOptions } : {};
  if (part.type === "text") {
    const { text, provider } = part.record;
    return text.trim() === "" ? [] : [{ type: "text", text, ...options(provider) }];
  }
  if (part.type === "thought") {
    const { text, provider } = part.record;
    return isOwn && provider ? [{ type: "reasoning", text, ...options(provider) }] : [];
  }
  const { tool, input, provider } = part.call;
  return [
    {
      type: "tool-call",
      toolCallId: callIdFor(part.call, step, model),
      toolName: providerToolName(tool),
      input: inputObject(input),
      ...options(provider),
    },
  ];
}

function isWhole(step: Step): boolean {
  const finish = step.ended?.finish;
  if (finish !== undefined && finish !== "cancelled" && finish !== "error") return true;
  return step.parts.some((part) => part.type === "tool");
}

function callIdFor({ callId }: ToolCalled, step: Step, model: ModelInfo): string {
  return providerCallId(callId, { from: providerOf(step.modelId), to: model.provider });
}

/** Providers accept only objects as input. */
function inputObject(input: unknown): unknown {
  if (typeof input === "object" && input !== null && !Array.isArray(input)) return input;
  return input === undefined || input === null ? {} : { unreadable: input };
}

function resultPart(part: ToolContentPart, step: Step, { model, pruned }: Reader): ToolResultPart {
  const isFailed = part.result?.status !== "completed";
  return {
    type: "tool-result",
    toolCallId: callIdFor(part.call, step, model),
    toolName: providerToolName(part.call.tool),
    output: { type: isFailed ? "error-text" : "text", value: resultText(part, model, pruned) },
  };
}

/** With notes on attachments that the model does not accept. */
function resultText(part: ToolContentPart, model: ModelInfo, pruned: ReadonlySet<string>): string {
  const missing = (part.result?.attachments ?? []).filter(
    ({ mimeType }) => !takes(model, mimeType),
  );
  const notes = missing.map(
    ({ name, mimeType }) => `\n(${notTaken(name ?? mimeType, mimeType, model)})`,
  );
  return outputOf(part, pruned) + notes.join("");
}

function outputOf({ call, result }: ToolContentPart, pruned: ReadonlySet<string>): string {
  if (result === null) return "(It was interrupted before it ended.)";
  if (pruned.has(call.callId)) {
    return "(This old output was taken out to save room. Run it again if you need it.)";
  }
  return result.output.trim() === "" ? "(no output)" : result.output;
}

/** In a separate message, because few providers accept media in tool results. */
function attached(calls: readonly ToolContentPart[], reader: Reader): ModelMessage[] {
  const { model, pruned, refused } = reader;
  const content = calls.flatMap(({ call, result }): UserPart[] => {
    if (pruned.has(call.callId)) return [];
    return (result?.attachments ?? []).flatMap((each, index): UserPart[] => {
      if (!takes(model, each.mimeType)) return [];
      const problem = refused.get(attachmentKey({ id: call.callId, index }));
      if (problem !== undefined) return [refusedPart(each.name ?? each.mimeType, problem)];
      const words = `(${each.name ?? each.mimeType}, which ${call.tool} attached:)`;
      return [{ type: "text", text: words }, filePart(each)];
    });
  });
  return content.length === 0 ? [] : [{ role: "user", content }];
}

function filePart({ data, mimeType }: Media): UserPart {
  return { type: "file", data: { type: "data", data }, mediaType: plainType(mimeType) };
}

function notTaken(name: string, mimeType: string, model: ModelInfo): string {
  return `${name} is an attachment of type ${mimeType}, which ${model.name} can't take`;
}
