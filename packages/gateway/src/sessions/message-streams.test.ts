import { fc, test } from "@fast-check/vitest";
import { emptyView, fold, limitsOf } from "@landline/protocol";
import { describe, expect, it } from "vitest";
import type { UpdateDraft } from "../log/log.ts";
import { maskOwnTokens } from "../telemetry/mask-tokens.ts";
import { MessageStreams } from "./message-streams.ts";

const token = `ll_${"aB3-".repeat(11).slice(0, 43)}`;

type Body = Readonly<Record<string, unknown>>;

function streamsOf() {
  const drafts: UpdateDraft[] = [];
  const streams = new MessageStreams(limitsOf("default"), (draft) => drafts.push(draft));
  return {
    streams,
    take: (update: Body, child: string | null = null) =>
      streams.take({ type: "update", sessionId: "s", update, raw: JSON.stringify(update) }, child),
    drafts,
    updates: () => drafts.map(({ raw }) => JSON.parse(maskOwnTokens(raw)) as Body),
  };
}

const says = (text: string, more: Body = {}): Body => ({
  sessionUpdate: "agent_message_chunk",
  content: { type: "text", text },
  ...more,
});

const textsOf = (updates: readonly Body[]) =>
  updates.map((update) => (update["content"] as { text?: string } | undefined)?.text ?? "|");

describe("a token in several chunks", () => {
  it("is masked in messages of each kind, child session and id, however they alternate", () => {
    const { take, drafts } = streamsOf();
    const kinds = [
      says("", { messageId: "1" }),
      says("", { messageId: "2" }),
      { ...says(""), sessionUpdate: "agent_thought_chunk", messageId: "1" },
      { ...says(""), sessionUpdate: "user_message_chunk", messageId: "1" },
      { ...says(""), sessionUpdate: "session_message_chunk", messageId: "1" },
      { ...says(""), sessionUpdate: "compaction_summary_chunk", compactionId: "1" },
    ];
    for (const character of `a ${token} b`) {
      for (const kind of kinds) {
        for (const child of [null, "c", "d"])
          if (kinds.indexOf(kind) < 5 || child === null)
            take({ ...kind, content: { type: "text", text: character } }, child);
        take({ sessionUpdate: "usage_update", used: 1, size: 2 });
      }
    }
    const byStream = Map.groupBy(drafts, ({ raw, child }) => {
      const { content: _, ...rest } = JSON.parse(raw) as Body;
      return JSON.stringify([child, rest]);
    });
    const texts = [...byStream.values()].map((stream) =>
      textsOf(stream.map(({ raw }) => JSON.parse(raw) as Body)).join(""),
    );
    expect(texts.filter((text) => !text.startsWith("|"))).toEqual(
      Array.from({ length: 16 }, () => "a ll_[masked] b"),
    );
  });

  it("is masked in the spellings of the seeds", () => {
    for (const [body, read] of [
      [(text: string) => ({ type: "text", content: text }), (update: Body) => update["content"]],
      [
        (text: string) => ({ sessionUpdate: "thought_chunk", content: { type: "text", text } }),
        (update: Body) => (update["content"] as Body)["text"],
      ],
      [
        (text: string) => ({ sessionUpdate: "user_message", content: text }),
        (update: Body) => update["content"],
      ],
    ] as const) {
      const { take, updates } = streamsOf();
      for (const character of `a ${token} b`) take(body(character));
      expect(updates().map(read).join("")).toBe("a ll_[masked] b");
    }
  });
});

describe("delayed text", () => {
  it("comes before other additions to the conversation, with all fields of its chunk", () => {
    const { take, updates } = streamsOf();
    take(says("see ll_rw", { _meta: { a: 1 } }));
    take({ sessionUpdate: "tool_call", toolCallId: "1", title: "x" });
    take(says("_block"));
    expect(textsOf(updates())).toEqual(["see ll_", "rw", "|", "_block"]);
    expect(updates()[1]).toEqual(says("rw", { _meta: { a: 1 } }));
  });

  it("comes before an image, another author, a request, and the end", () => {
    const { take, updates, streams } = streamsOf();
    take(says("ll_a"));
    take({ sessionUpdate: "agent_message_chunk", content: { type: "image", data: "" } });
    take(says("ll_b"));
    take({ ...says("hm"), sessionUpdate: "agent_thought_chunk" });
    take(says("ll_c"));
    streams.note({ kind: "terminal-output", terminalId: "t", text: "x" });
    expect(textsOf(updates())).toEqual(["ll_", "a", "|", "ll_", "b", "hm", "ll_"]);
    streams.note({ kind: "turn-ended", turnId: "t", stopReason: "end_turn" });
    expect(textsOf(updates()).slice(7)).toEqual(["c"]);
    take(says("ll_d"));
    streams.end();
    expect(textsOf(updates()).slice(8)).toEqual(["ll_", "d"]);
  });

  it("is not continued by the next message, which loses nothing", () => {
    const { take, updates, streams } = streamsOf();
    take(says(token));
    streams.note({ kind: "turn-ended", turnId: "t", stopReason: "end_turn" });
    take(says("Hello"));
    expect(textsOf(updates())).toEqual(["ll_[masked]", "Hello"]);
  });

  it("is flushed when too many others grow", () => {
    const { take, updates } = streamsOf();
    take(says("ll_a", { messageId: "first" }));
    for (let count = 0; count < limitsOf("default").itemsGrowing; count++)
      take(says("x", { messageId: `${count}` }));
    expect(textsOf(updates()).filter((text) => text !== "x")).toEqual(["ll_", "a"]);
  });
});

const update = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .constantFrom("l", "ll", "_", "ll_", "a", " ", "B", "all ", "-")
      .map((text) => says(text)),
  },
  fc
    .constantFrom("1", "2")
    .chain((messageId) =>
      fc.constantFrom("l", "ll_", "a", " ").map((text) => says(text, { messageId })),
    ),
  fc.constantFrom<Body>(
    { sessionUpdate: "usage_update", used: 1, size: 2 },
    { sessionUpdate: "tool_call", toolCallId: "1", title: "x" },
    { sessionUpdate: "tool_call_update", toolCallId: "1" },
    { sessionUpdate: "plan", entries: [] },
  ),
);

test.prop([fc.array(fc.tuple(update, fc.constantFrom(null, "child")))])(
  "every update is there once and in order, with its text",
  (given) => {
    const { take, drafts, streams } = streamsOf();
    const late: UpdateDraft[] = [];
    const kept: UpdateDraft[] = [];
    for (const [body, child] of given) {
      const before = drafts.length;
      take(body, child);
      late.push(...drafts.slice(before, -1));
      kept.push(...drafts.slice(-1));
    }
    streams.end();
    const shape = (draft: { raw: string; child?: string }) => {
      const { content: _, ...rest } = JSON.parse(draft.raw) as Body;
      return { ...rest, child: draft.child ?? null };
    };
    expect(kept.map(shape)).toEqual(
      given.map(([body, child]) =>
        shape({ raw: JSON.stringify(body), ...(child !== null && { child }) }),
      ),
    );
    expect(foldedTexts(drafts.map(takenOf))).toEqual(foldedTexts(given));
    expect(late.every(({ raw }) => (JSON.parse(raw) as Body)["content"] !== undefined)).toBe(true);
  },
);

type Taken = readonly [Body, string | null];

function takenOf({ raw, child }: UpdateDraft): Taken {
  return [JSON.parse(raw) as Body, child ?? null];
}

/** The text of each message as the fold joins it, in all threads; neighbours without text are omitted. */
function foldedTexts(taken: readonly Taken[]) {
  const events = taken.map(
    ([body, child], index) =>
      ({
        seq: index + 1,
        at: 0,
        kind: "update",
        update: body,
        ...(child !== null && { child }),
      }) as const,
  );
  const view = fold(emptyView(), events);
  return [view, ...view.subagents].map(({ items }) =>
    items
      .map((item) => ("content" in item && item.type !== "tool-call" ? textIn(item.content) : "|"))
      .filter((text) => text !== ""),
  );
}

const textIn = (content: readonly object[]) =>
  content.map((block) => (block as { text?: string }).text ?? "").join("");

const tokenParts = fc.constantFrom(
  token.slice(0, 5),
  token.slice(5, 20),
  token.slice(20),
  "see ",
  " b",
);
const between = fc.constantFrom<Body>(
  { sessionUpdate: "usage_update", used: 1, size: 2 },
  { sessionUpdate: "plan", entries: [] },
  { sessionUpdate: "plan_update", plan: { planId: "1", type: "items", entries: [] } },
  { sessionUpdate: "plan_removed", planId: "1" },
  { sessionUpdate: "session_info_update", title: "x" },
  { sessionUpdate: "tool_call", toolCallId: "1", title: "x" },
  { sessionUpdate: "tool_call_update", toolCallId: "1", status: "completed" },
  { sessionUpdate: "compaction_update", compactionId: "1", status: "completed" },
  { sessionUpdate: "subagent_update", sessionId: "child", title: "x" },
);

test.prop([
  fc.array(
    fc.tuple(
      fc.oneof(
        { weight: 5, arbitrary: tokenParts.map((text) => says(text)) },
        tokenParts.map((text) => says(text, { messageId: "1" })),
        tokenParts.map((text) => says(text, { sessionUpdate: "agent_thought_chunk" })),
        between,
      ),
      fc.constantFrom(null, null, "child"),
    ),
  ),
])(
  "no message shows a token, however the fold joins its chunks, and each has its text",
  (given) => {
    const { take, drafts, streams } = streamsOf();
    for (const [body, child] of given) take(body, child);
    streams.end();
    const [said, shown] = [foldedTexts(given), foldedTexts(drafts.map(takenOf))];
    const hasToken = (text: string) => maskOwnTokens(text) !== text;
    expect(shown.flat().filter(hasToken)).toEqual([]);
    // A token that is cut by another item may be masked too.
    const joined = said.map((texts) => texts.join("").replaceAll("|", ""));
    if (![...joined, ...said.flat()].some(hasToken)) expect(shown).toEqual(said);
  },
);
