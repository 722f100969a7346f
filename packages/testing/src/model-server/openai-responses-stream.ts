import { openaiWords } from "./openai-error.ts";
import { completedItem, contentPart, itemOf } from "./openai-responses-item.ts";
import { responseEnding, responseOf, type OutputItem } from "./openai-responses-item.ts";
import type { ResponsesMemory } from "./openai-responses-input.ts";
import { end, frame, piece, sse } from "./provider.ts";
import type { Frame, PlayContext, ReplyStream } from "./provider.ts";
import type { Playable, PlayablePart } from "./reply.ts";

/** One stream of semantic events, numbered from 0; an error takes the next number of the same row. */
export function responseFrames(
  reply: Playable,
  context: PlayContext,
  memory: ResponsesMemory,
): ReplyStream {
  const stream = new ResponseStream(reply, context, memory);
  return {
    frames: stream.frames(),
    failure(problem) {
      const { code, type, message } = openaiWords(problem);
      const error = { code: code ?? type, message };
      return (
        stream.event("error", { ...error, param: null }) +
        stream.event("response.failed", { response: stream.response("failed", { error }) })
      );
    },
  };
}

class ResponseStream {
  readonly #reply: Playable;
  readonly #context: PlayContext;
  readonly #memory: ResponsesMemory;
  readonly #id: string;
  readonly #output: OutputItem[] = [];
  #number = 0;

  constructor(reply: Playable, context: PlayContext, memory: ResponsesMemory) {
    this.#reply = reply;
    this.#context = context;
    this.#memory = memory;
    this.#id = context.ids("resp_", 48);
  }

  event(type: string, fields: object): string {
    const wire = sse({ type, ...fields, sequence_number: this.#number }, type);
    this.#number += 1;
    return wire;
  }

  response(
    status: "in_progress" | "completed" | "incomplete" | "failed",
    more: Partial<Parameters<typeof responseOf>[1]> = {},
  ) {
    return responseOf(this.#context, { id: this.#id, status, output: [...this.#output], ...more });
  }

  *frames(): Iterable<Frame> {
    yield frame(this.event("response.created", { response: this.response("in_progress") }));
    yield frame(this.event("response.in_progress", { response: this.response("in_progress") }));
    for (const part of this.#reply.parts) yield* this.#item(part);
    this.#memory.keep(this.#id, this.#memory.resolve(this.#context.body), this.#output);
    const ending = responseEnding(this.#reply);
    const response = this.response(ending.status, { ...ending, usage: this.#reply.usage });
    yield end(this.event(`response.${ending.status}`, { response }));
  }

  *#item(part: PlayablePart): Iterable<Frame> {
    const output_index = this.#output.length;
    const item = itemOf(part, this.#context);
    yield frame(this.event("response.output_item.added", { output_index, item }));
    const where = { item_id: item.id, output_index };
    if (part.type === "tool-call") yield* this.#toolCall(part, where);
    else if (part.type === "reasoning") yield* this.#reasoning(part, where);
    else yield* this.#message(part, part.type, where);
    const done = completedItem(item, part);
    this.#output.push(done);
    yield frame(this.event("response.output_item.done", { output_index, item: done }));
  }

  *#toolCall(part: PlayablePart, where: Where): Iterable<Frame> {
    yield* this.#deltas(part, "response.function_call_arguments.delta", where);
    const done = { ...where, arguments: part.text };
    yield frame(this.event("response.function_call_arguments.done", done));
  }

  *#reasoning(part: PlayablePart, where: Where): Iterable<Frame> {
    const place = { ...where, summary_index: 0 };
    const summary = (text: string) => ({ ...place, part: { type: "summary_text", text } });
    yield frame(this.event("response.reasoning_summary_part.added", summary("")));
    yield* this.#deltas(part, "response.reasoning_summary_text.delta", place);
    const done = { ...place, text: part.text };
    yield frame(this.event("response.reasoning_summary_text.done", done));
    yield frame(this.event("response.reasoning_summary_part.done", summary(part.text)));
  }

  *#message(part: PlayablePart, type: "text" | "refusal", where: Where): Iterable<Frame> {
    const place = { ...where, content_index: 0 };
    const content = (text: string) => ({ ...place, part: contentPart(type, text) });
    yield frame(this.event("response.content_part.added", content("")));
    if (type === "refusal") {
      yield* this.#deltas(part, "response.refusal.delta", place);
      yield frame(this.event("response.refusal.done", { ...place, refusal: part.text }));
    } else {
      const logprobs = { ...place, logprobs: [] };
      yield* this.#deltas(part, "response.output_text.delta", logprobs);
      yield frame(this.event("response.output_text.done", { ...logprobs, text: part.text }));
    }
    yield frame(this.event("response.content_part.done", content(part.text)));
  }

  *#deltas(part: PlayablePart, type: string, place: object): Iterable<Frame> {
    for (const { text, delayMs } of part.pieces)
      yield piece(this.event(type, { ...place, delta: text }), delayMs);
  }
}

interface Where {
  readonly item_id: string;
  readonly output_index: number;
}
