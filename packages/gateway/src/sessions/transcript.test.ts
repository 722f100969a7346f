import { emptyView, fold, trimView, type EventBody, type SessionEvent } from "@landline/protocol";
import { expect, test } from "vitest";
import { transcriptBlock } from "./transcript.ts";

function turn(number: number): EventBody[] {
  const promptId = `p${number}`;
  const content = [{ type: "text" as const, text: `Question ${number}` }];
  const said = { type: "text", text: `Answer ${number}` };
  return [
    { kind: "prompt-queued", promptId, content, by: "me" },
    { kind: "turn-started", turnId: `t${number}`, promptId },
    {
      kind: "update",
      update: { sessionUpdate: "agent_message_chunk", messageId: `m${number}`, content: said },
    },
    { kind: "turn-ended", turnId: `t${number}`, stopReason: "end_turn" },
  ];
}

const log: SessionEvent[] = [];
for (const body of [1, 2, 3, 4].flatMap(turn)) {
  const seq = log.length + 1;
  log.push({ seq, at: seq, ...body });
}
const whole = fold(emptyView(), log);

const textOf = (view = whole, maxLength = 10_000) => {
  const block = transcriptBlock(view, "s", maxLength, false);
  return block?.type === "text" ? block.text : null;
};

const talk = (...numbers: readonly number[]) =>
  numbers
    .map((number) => `## User\n\nQuestion ${number}\n\n## Assistant\n\nAnswer ${number}\n`)
    .join("\n");

test("contains the whole conversation, or is null if there is none", () => {
  expect(textOf()).toBe(`# The conversation so far\n\n${talk(1, 2, 3, 4)}`);
  expect(textOf(emptyView())).toBeNull();
});

test("contains the latest part of a long one, marked as a part", () => {
  const start = "# The conversation so far\n\n_Older parts are omitted._\n\n";
  expect(textOf(whole, talk(3, 4).length)).toBe(start + talk(3, 4));
  const view = trimView(whole, 4);
  // Answers that may still grow are kept before the window; their questions are not.
  expect(view.items).toHaveLength(6);
  expect(textOf(view)).toBe(start + talk(3, 4));
});
