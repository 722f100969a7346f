import { describe, expect, it } from "vitest";
import {
  echoes,
  logOf,
  says,
  thinks,
  toolCall,
  turn,
  turnEnded,
  update,
} from "../../test/events.ts";
import type { EventBody } from "../events.ts";
import { fold } from "../fold.ts";
import { limitsOf } from "../limits.ts";
import { emptyView } from "../view/empty.ts";

/** Type, author and text of each item, as displayed. */
function thread(...bodies: readonly EventBody[]): string[] {
  return fold(emptyView(), logOf(...bodies)).items.map((item) => {
    if (item.type !== "message" && item.type !== "thought" && item.type !== "prompt") {
      return item.type;
    }
    const voice = item.type === "message" ? item.role : item.type;
    const text = item.content.map((block) => (block.type === "text" ? block.text : block.type));
    return `${voice}: ${text.join("|")}`;
  });
}

describe("messages", () => {
  it("joins chunks of one id, with any items between them", () => {
    expect(thread(says("a", "1"), toolCall("t"), says("x", "2"), says("b", "1"))).toEqual([
      "agent: ab",
      "tool-call",
      "agent: x",
    ]);
  });

  it("extends the items that grew last, and starts new items for older ids", () => {
    const { itemsGrowing } = limitsOf("default");
    const others = Array.from({ length: itemsGrowing - 1 }, (_, number) => says("x", `${number}`));
    const tools = Array.from({ length: 1_000 }, (_, number) => toolCall(`t${number}`));
    expect(thread(says("a", "m"), ...tools, ...others, says("b", "m"))[0]).toBe("agent: ab");
    const more = [...others, thinks("y", "one more")];
    expect(thread(says("a", "m"), ...more, says("b", "m"), says("c", "m"))).toEqual([
      "agent: a",
      ...others.map(() => "agent: x"),
      "thought: y",
      "agent: bc",
    ]);
    // An item that grew again is no longer the oldest.
    const again = [says("a", "m"), ...others, says("b", "m"), thinks("y", "one more")];
    expect(thread(...again, says("c", "m"))[0]).toBe("agent: abc");
  });

  it("adds a chunk without an id to the message that it continues", () => {
    const { itemsGrowing } = limitsOf("default");
    const thoughts = Array.from({ length: itemsGrowing }, (_, number) => `${number}`);
    const bodies = [
      ...thoughts.map((id) => thinks("x", id)),
      says("a", "m"),
      ...thoughts.slice(1).map((id) => thinks("y", id)),
      says("b"),
      thinks("z", "one more"),
      says("c", "m"),
    ];
    expect(thread(...bodies).slice(itemsGrowing)).toEqual(["agent: abc", "thought: z"]);
  });

  it("joins neighbours without ids, and starts a new message after anything else", () => {
    const usage = update("usage_update", { used: 1, size: 2 });
    expect(thread(says("a"), usage, says("b"), toolCall("t"), says("c"))).toEqual([
      "agent: ab",
      "tool-call",
      "agent: c",
    ]);
  });

  it("keeps a thought and a message with the same id apart", () => {
    expect(thread(thinks("hm", "1"), says("a", "1"), thinks("m", "1"))).toEqual([
      "thought: hmm",
      "agent: a",
    ]);
  });

  it("keeps the threads of child sessions apart", () => {
    const view = fold(
      emptyView(),
      logOf(says("a"), says("x", undefined, "child"), says("b"), says("y", undefined, "child")),
    );
    expect(view.items).toHaveLength(1);
    expect(view.subagents[0]?.items).toEqual([
      expect.objectContaining({ content: [{ type: "text", text: "xy" }], first: 2, last: 4 }),
    ]);
  });

  it("keeps the position of blocks other than text", () => {
    const image = update("agent_message_chunk", {
      content: { type: "image", data: "", mimeType: "image/png" },
    });
    expect(thread(says("a"), image, says("b"), says("c"))).toEqual(["agent: a|image|bc"]);
  });

  it("joins text of the same audience only", () => {
    const to = (audience: string, text: string) =>
      update("agent_message_chunk", {
        content: { type: "text", text, annotations: { audience: [audience] } },
      });
    expect(thread(to("user", "a"), to("user", "b"), to("assistant", "c"))).toEqual(["agent: ab|c"]);
  });

  it("refers to a text that is stored as a blob", () => {
    const blob = { $blob: "hash", bytes: 300_000 };
    const long = update("agent_message_chunk", { content: { type: "text", text: blob } });
    const view = fold(emptyView(), logOf(says("a"), long, says("b")));
    expect(view.items[0]).toMatchObject({
      content: [
        { type: "text", text: "a" },
        { type: "text", text: "", blob },
        { type: "text", text: "b" },
      ],
    });
  });

  it("reads the spellings of the seeds", () => {
    expect(thread(update("thought_chunk", { content: { type: "text", text: "hm" } }))).toEqual([
      "thought: hm",
    ]);
  });

  it("keeps an invalid chunk as unknown", () => {
    expect(thread(update("agent_message_chunk", { content: 5 }))).toEqual(["unknown"]);
  });
});

describe("the agent's echo of a prompt", () => {
  const prompt = turn(1, "Fix the typo");

  it("is not shown again, whole or in pieces", () => {
    expect(thread(...prompt, echoes("Fix the typo"), says("ok"))).toEqual([
      "prompt: Fix the typo",
      "agent: ok",
    ]);
    expect(thread(...prompt, echoes("Fix "), echoes("the typo"))).toEqual(["prompt: Fix the typo"]);
  });

  it("covers blocks that are not text, and text after text", () => {
    const link = { type: "resource_link", name: "a", uri: "file:///a" } as const;
    const bodies: EventBody[] = [
      {
        kind: "prompt-queued",
        promptId: "p",
        content: [{ type: "text", text: "one" }, link, { type: "text", text: "two" }],
        by: "laptop",
      },
      { kind: "turn-started", turnId: "t", promptId: "p" },
      echoes("one"),
      update("user_message_chunk", { content: link }),
      echoes("two"),
    ];
    expect(thread(...bodies)).toEqual(["prompt: one|resource_link|two"]);
    expect(thread(...bodies.slice(0, 2), echoes("onetw"), echoes("o"))).toHaveLength(1);
  });

  it("is a message if its text differs", () => {
    expect(thread(...prompt, echoes("[interrupted]"))).toEqual([
      "prompt: Fix the typo",
      "user: [interrupted]",
    ]);
    expect(thread(...prompt, echoes("Fix the typo and more"))).toHaveLength(2);
  });

  it("is a message if no turn runs, and in a child's thread", () => {
    expect(thread(...prompt, turnEnded("turn-1"), echoes("Fix the typo"))).toEqual([
      "prompt: Fix the typo",
      "user: Fix the typo",
    ]);
    const view = fold(emptyView(), logOf(...prompt, echoes("Fix the typo", "child")));
    expect(view.subagents[0]?.items).toHaveLength(1);
  });
});
