import {
  emptyView,
  fold,
  trimView,
  type EventBody,
  type SessionEvent,
  type SessionView,
} from "@landline/protocol";
import { describe, expect, it } from "vitest";
import { bridgeState } from "./bridge-messages.ts";

function turn(number: number): EventBody[] {
  const id = `p${number}`;
  const content = [{ type: "text" as const, text: `Question ${number}` }];
  const said = { type: "text", text: `Answer ${number}` };
  return [
    { kind: "prompt-queued", promptId: id, content, by: "me" },
    { kind: "turn-started", turnId: `t${number}`, promptId: id },
    {
      kind: "update",
      update: { sessionUpdate: "agent_message_chunk", messageId: `m${number}`, content: said },
    },
    { kind: "turn-ended", turnId: `t${number}`, stopReason: "end_turn" },
  ];
}

const log: SessionEvent[] = [];
for (let number = 1; number <= 10; number += 1) {
  for (const body of turn(number)) {
    const seq = log.length + 1;
    log.push({ seq, at: seq, ...body });
  }
}

function wordsOf(older: readonly SessionView[], view: SessionView): readonly string[] {
  const { messages } = bridgeState({
    sessionId: "s",
    state: "live",
    view,
    older,
    history: "more",
    behind: 0,
    outgoing: [],
    error: null,
  });
  return messages.map(({ content }) => content);
}

/** From the question of one turn on. */
const talkFrom = (first: number) =>
  Array.from({ length: 11 - first }, (_, index) => index + first).flatMap((number) => [
    `Question ${number}`,
    `Answer ${number}`,
  ]);

describe("a session as messages", () => {
  it("contains no answer whose question is not loaded, although it may still grow", () => {
    const view = trimView(fold(emptyView(), log), 4);
    // Answers 1 to 8 are before the window.
    expect(view.items).toHaveLength(12);
    expect(wordsOf([], view)).toEqual(talkFrom(9));
    const some = fold(emptyView(), log.slice(16, 32));
    expect(wordsOf([some], view)).toEqual(talkFrom(5));
    const rest = fold(emptyView(), log.slice(0, 16));
    expect(wordsOf([rest, some], view)).toEqual(talkFrom(1));
  });
});
