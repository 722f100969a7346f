import { describe, expect, test } from "vitest";
import { ModelProblem } from "../../src/model/model.ts";
import type { StepPart } from "../../src/model/stream.ts";
import { failing, faults, SessionFixture, says, tool, usage } from "./session-fixture.ts";

describe("a context that fills up", () => {
  const full = (text: string): StepPart[] => [
    { type: "text-delta", partId: "0", delta: text },
    { type: "text-end", partId: "0" },
    { type: "finish", finish: "stop", usage: { ...usage, inputTokens: 95_000 } },
  ];

  test("is summarised before the next step", async () => {
    const fixture = new SessionFixture({
      replies: [full("A long answer."), says("The summary."), says("Next answer.")],
    });
    await fixture.prompt("First");
    await fixture.prompt("Second");
    expect(fixture.requests[1]?.system).toContain("summarise");
    expect(fixture.kinds().filter((kind) => kind === "compacted")).toHaveLength(1);
    const sent = JSON.stringify(fixture.requests[2]?.messages);
    expect(sent).toContain("The summary.");
    expect(sent).toContain("Second");
    expect(faults(fixture)).toEqual([]);
  });

  test("is summarised once when the provider reports an overflow", async () => {
    const overflow = () => failing(new ModelProblem("context-overflow", "Too long."));
    const fixture = new SessionFixture({
      replies: [says("One."), overflow, says("The summary."), overflow],
    });
    await fixture.prompt("First");
    await expect(fixture.prompt("Second")).rejects.toThrow("Too long.");
    expect(fixture.kinds().filter((kind) => kind === "compacted")).toHaveLength(1);
  });

  test("keeps the current prompt, even if nothing else fits", async () => {
    const long = tool("long", () => Promise.resolve({ output: "x".repeat(90_000) }));
    const first: StepPart[] = [
      { type: "tool-call", callId: "c", tool: "long", input: {} },
      { type: "finish", finish: "tool-calls", usage: { ...usage, inputTokens: 99_000 } },
    ];
    const fixture = new SessionFixture({
      replies: [first, says("The summary."), says("Done.")],
      tools: [long],
    });
    await fixture.prompt("Do the long thing");
    const sent = JSON.stringify(fixture.requests[2]?.messages);
    expect(sent).toContain("Do the long thing");
    expect(sent).toContain("The summary.");
    expect(sent).not.toContain("xxx");
    expect(faults(fixture)).toEqual([]);
  });

  test("stays unchanged when the summary fails", async () => {
    const fixture = new SessionFixture({
      replies: [
        full("A long answer."),
        () => failing(new ModelProblem("provider-error", "Broken.")),
        says("Next."),
      ],
    });
    await fixture.prompt("First");
    expect((await fixture.prompt("Second")).stopReason).toBe("end_turn");
    expect(fixture.events).toContainEqual(
      expect.objectContaining({ kind: "compaction-changed", status: "failed" }),
    );
    expect(JSON.stringify(fixture.requests[2]?.messages)).toContain("A long answer.");
  });

  test("is summarised before an output is sent that would not fit", async () => {
    const long = tool("long", () => Promise.resolve({ output: "x".repeat(380_000) }));
    const first: StepPart[] = [
      { type: "tool-call", callId: "c", tool: "long", input: {} },
      { type: "finish", finish: "tool-calls", usage },
    ];
    const fixture = new SessionFixture({
      replies: [says("Before."), first, says("The summary."), says("Done.")],
      tools: [long],
    });
    await fixture.prompt("Earlier");
    await fixture.prompt("Do the long thing");
    expect(fixture.requests[2]?.system).toContain("summarise");
    expect(JSON.stringify(fixture.requests[3]?.messages)).not.toContain("xxx");
  });

  test("is estimated if a server reports no usage", async () => {
    const unmeasured = (text: string): StepPart[] => [
      { type: "text-delta", partId: "0", delta: text },
      { type: "finish", finish: "stop", usage: { ...usage, inputTokens: 0, outputTokens: 0 } },
    ];
    const fixture = new SessionFixture({
      replies: [unmeasured("y".repeat(390_000)), says("The summary."), unmeasured("Done.")],
    });
    await fixture.prompt("Earlier");
    await fixture.prompt("Next");
    expect(fixture.requests[1]?.system).toContain("summarise");
  });

  test("is not summarised repeatedly if only the prompt is long", async () => {
    const echo = tool("echo", () => Promise.resolve({ output: "echo" }));
    const call = (callId: string): StepPart[] => [
      { type: "tool-call", callId, tool: "echo", input: { callId } },
      { type: "finish", finish: "tool-calls", usage: { ...usage, inputTokens: 95_000 } },
    ];
    const fixture = new SessionFixture({
      replies: [call("a"), call("b"), says("Done.")],
      tools: [echo],
    });
    expect((await fixture.prompt("z".repeat(360_000))).stopReason).toBe("end_turn");
    expect(fixture.kinds()).not.toContain("compacted");
  });

  test("is summarised from less if even that overflows, and its cost is counted", async () => {
    const overflow = () => failing(new ModelProblem("context-overflow", "Too long."));
    const fixture = new SessionFixture({
      replies: [full("A".repeat(10_000)), overflow, says("The summary."), says("Next.")],
    });
    await fixture.prompt("First");
    await fixture.prompt("Second");
    const lengths = fixture.requests
      .slice(1, 3)
      .map(({ messages }) => JSON.stringify(messages).length);
    expect(lengths[1]).toBeLessThan((lengths[0] ?? 0) * 0.6);
    expect(fixture.kinds().filter((kind) => kind === "compacted")).toHaveLength(1);
    expect(fixture.session.state.usage.outputTokens).toBe(3 * usage.outputTokens);
  });

  test("is summarised on command with the user's instructions, including the previous summary", async () => {
    const fixture = new SessionFixture({
      replies: [says("One."), says("Summary A."), says("Two."), says("Summary B."), says("Three.")],
    });
    await fixture.prompt("First");
    await fixture.prompt("/compact mind the tests");
    expect(fixture.requests[1]?.system).toContain("mind the tests");
    await fixture.prompt("Second");
    expect(JSON.stringify(fixture.requests[2]?.messages)).not.toContain("One.");
    await fixture.prompt("/compact");
    expect(JSON.stringify(fixture.requests[3]?.messages)).toContain("Summary A.");
    await fixture.prompt("Third");
    const sent = JSON.stringify(fixture.requests[4]?.messages);
    expect(sent).toContain("Summary B.");
    expect(sent).not.toContain("Summary A.");
    expect(faults(fixture)).toEqual([]);
  });
});
