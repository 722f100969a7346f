import * as fc from "fast-check";
import type { EventBody, SessionEvent } from "../src/events.ts";
import {
  asks,
  logOf,
  queued,
  says,
  settles,
  thinks,
  toolCall,
  toolUpdate,
  turnEnded,
  turnStarted,
  update,
} from "./events.ts";

/** More ids than messages can grow at once, but few enough that chunks return to them. */
const messageId = fc.option(
  fc.nat(24).map((number) => `m${number}`),
  { nil: undefined, freq: 8 },
);
const child = fc.constantFrom(undefined, undefined, "x");
const text = fc.constantFrom("a", "b ", "c\n");

const chunk = fc.oneof(
  { arbitrary: fc.tuple(text, messageId, child).map((given) => says(...given)), weight: 6 },
  { arbitrary: fc.tuple(text, messageId).map((given) => thinks(...given)), weight: 3 },
  {
    arbitrary: fc.tuple(text, messageId).map(([said, id]) =>
      update("user_message_chunk", {
        content: { type: "text", text: said },
        ...(id === undefined ? {} : { messageId: id }),
      }),
    ),
    weight: 1,
  },
  {
    arbitrary: fc.tuple(text, fc.constantFrom("one", "two")).map(([said, id]) =>
      update("session_message_chunk", {
        messageId: id,
        content: { type: "text", text: said },
      }),
    ),
    weight: 1,
  },
  {
    arbitrary: fc.tuple(text, fc.constantFrom("one", "two")).map(([said, compactionId]) =>
      update("compaction_summary_chunk", {
        compactionId,
        content: { type: "text", text: said },
      }),
    ),
    weight: 1,
  },
);

type Work = "call" | "change" | "end" | "ask" | "answer";

type Step =
  | { readonly do: "say"; readonly body: EventBody }
  | { readonly do: Work; readonly which: number }
  | { readonly do: "turn" };

const step: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: chunk.map((body): Step => ({ do: "say", body })), weight: 12 },
  {
    arbitrary: fc.record({
      do: fc.constantFrom("call", "call", "change", "end", "ask", "answer"),
      which: fc.nat(100),
    }),
    weight: 6,
  },
  { arbitrary: fc.constant<Step>({ do: "turn" }), weight: 1 },
);

/**
 * Logs in which several messages, thoughts and summaries grow at the same time, between tool calls that end once, asks
 * that are answered once, and turns.
 */
export const growingLog: fc.Arbitrary<SessionEvent[]> = fc
  .array(step, { maxLength: 120, size: "max" })
  .map((steps) => logOf(...bodiesOf(steps)));

function bodiesOf(steps: readonly Step[]): EventBody[] {
  const story = new Story();
  return steps.flatMap((given, index) => {
    if (given.do === "say") return [given.body];
    if (given.do === "turn") return story.turn(index);
    return story.work(given.do, given.which, index);
  });
}

/** What is open in a log while it is generated. */
class Story {
  readonly #calls: string[] = [];
  readonly #asks: string[] = [];
  #turnId: string | null = null;

  /** The end of a turn closes its calls: late updates are not tested here. */
  turn(index: number): EventBody[] {
    const ended = this.#turnId === null ? [] : [turnEnded(this.#turnId)];
    this.#turnId = `turn-${index}`;
    this.#calls.splice(0);
    const promptId = `prompt-${index}`;
    return [...ended, queued(promptId, "go"), turnStarted(this.#turnId, promptId)];
  }

  work(what: Work, which: number, index: number): EventBody[] {
    if (what === "call") {
      this.#calls.push(`call-${index}`);
      return [toolCall(`call-${index}`, { status: "pending" })];
    }
    const ids = what === "answer" ? this.#asks : this.#calls;
    const place = which % Math.max(1, ids.length);
    const id = ids[place];
    if (id === undefined) return [];
    if (what === "answer" || what === "end") ids.splice(place, 1);
    if (what === "answer") return [settles(id, "no")];
    if (what === "end") return [toolUpdate(id, { status: "completed" })];
    if (what === "change") return [toolUpdate(id, { status: "in_progress" })];
    this.#asks.push(`ask-${index}`);
    return [asks(`ask-${index}`, { toolCallId: id })];
  }
}
