import { z } from "zod";
import { promptContentSchema } from "../content.ts";
import { type Contract, input } from "../contract.ts";
import { id, note } from "../fields.ts";
import { outcomeSchema } from "../outcome.ts";
import type { OperationName } from "../table.ts";
import { rule, ruleWords } from "./rules.ts";

const ofSession = { sessionId: id };
const ofPrompt = { ...ofSession, promptId: id };
const promptId = z.object({ promptId: z.string() });

/** Prompts, turns, and what agents ask. */
export const promptContracts = {
  prompt: {
    summary: "Queue a prompt",
    input: input({
      ...ofSession,
      promptId: id
        .exactOptional()
        .describe(
          "Chosen by the client, so that a repeated request does not queue a second prompt. Default: an id from the gateway.",
        ),
      content: promptContentSchema,
    }),
    output: promptId.extend({
      isRepeated: z
        .literal(true)
        .exactOptional()
        .describe("The id is known: the prompt was not queued again."),
    }),
    status: 202,
  },
  "change-prompt": {
    summary: "Change a prompt that waits, or move it before another (null: to the end)",
    input: input({
      ...ofPrompt,
      content: promptContentSchema.exactOptional(),
      before: id.nullable().exactOptional(),
    }).refine(
      ({ content, before }) => (content === undefined) !== (before === undefined),
      "must have content or before, and not both",
    ),
    output: promptId,
  },
  "withdraw-prompt": {
    summary: "Withdraw a prompt that waits",
    input: input(ofPrompt),
    output: null,
  },
  cancel: {
    summary: "Cancel the turn; each repetition is one step (`rung`) stronger",
    input: input({
      ...ofSession,
      promptId: id
        .exactOptional()
        .describe("Cancels only this prompt, once: withdraws it if it waits, or cancels its turn."),
    }),
    output: z.object({}),
    status: 202,
  },
  answer: {
    summary: "Answer a permission request or a question",
    input: input({
      ...ofSession,
      askId: id,
      outcome: outcomeSchema.exactOptional(),
      optionId: id.exactOptional().describe("Shorthand for an outcome that selects this option."),
      note: note.exactOptional().describe("A note with a rejection; it becomes the next prompt."),
    }).refine(
      ({ outcome, optionId }) => (outcome === undefined) !== (optionId === undefined),
      "must have outcome or optionId, and not both",
    ),
    output: z.object({
      askId: z.string(),
      outcome: outcomeSchema,
      promptId: z.string().exactOptional().describe("Of the prompt that the note became."),
    }),
  },
  "suggest-rules": {
    summary: "Rules that would have allowed an open permission request, or why there are none",
    input: input({ ...ofSession, askId: id }),
    output: z.object({
      rules: z
        .array(ruleWords.extend({ rule, isRisky: z.boolean() }))
        .describe("The narrowest first."),
      reason: z.string().exactOptional().describe("Why there are none."),
    }),
  },
} as const satisfies Partial<Record<OperationName, Contract>>;
