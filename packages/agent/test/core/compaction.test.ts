import { describe, expect, test } from "vitest";
import { ModelProblem } from "../../src/model/model.ts";
import type { StepPart } from "../../src/model/stream.ts";
import { failing, faults, Rig, says, tool, usage } from "./session-fixture.ts";

describe("a context that fills up", () => {
  const full = (text: string): StepPart[] => [
    { type: "text-delta", partId: "0", delta: text },
    { type: "text-end", partId: "0" },
    { type: "finish", finish: "stop", usage: { ...usage, inputTokens: 95_000 } },
  ];

  test("is summarised before the next step", async () => {
    const rig = new Rig({
      replies: [full("A long answer."), says("The summary."), says("Next answer.")],
    });
    await rig.prompt("First");
    await rig.prompt("Second");
    expect(rig.requests[1]?.system).toContain("summarise");
    expect(rig.kinds().filter((kind) => kind === "compacted")).toHaveLength(1);
    const sent = JSON.stringify(rig.requests[2]?.messages);
    expect(sent).toContain("The summary.");
    expect(sent).toContain("Second");
    expect(faults(rig)).toEqual([]);
  });

  test("is summarised when the provider says that it overflowed, once", async () => {
    const overflow = () => failing(new ModelProblem("context-overflow", "Too long."));
    const rig = new Rig({ replies: [says("One."), overflow, says("The summary."), overflow] });
    await rig.prompt("First");
    await expect(rig.prompt("Second")).rejects.toThrow("Too long.");
    expect(rig.kinds().filter((kind) => kind === "compacted")).toHaveLength(1);
  });

  test("keeps the prompt that is being answered, even when nothing else fits", async () => {
    const long = tool("long", () => Promise.resolve({ output: "x".repeat(90_000) }));
    const first: StepPart[] = [
      { type: "tool-call", callId: "c", tool: "long", input: {} },
      { type: "finish", finish: "tool-calls", usage: { ...usage, inputTokens: 99_000 } },
    ];
    const rig = new Rig({ replies: [first, says("The summary."), says("Done.")], tools: [long] });
    await rig.prompt("Do the long thing");
    const sent = JSON.stringify(rig.requests[2]?.messages);
    expect(sent).toContain("Do the long thing");
    expect(sent).toContain("The summary.");
    expect(sent).not.toContain("xxx");
    expect(faults(rig)).toEqual([]);
  });

  test("stays as it was when the summary fails", async () => {
    const rig = new Rig({
      replies: [
        full("A long answer."),
        () => failing(new ModelProblem("provider-error", "Broken.")),
        says("Next."),
      ],
    });
    await rig.prompt("First");
    expect((await rig.prompt("Second")).stopReason).toBe("end_turn");
    expect(rig.events).toContainEqual(
      expect.objectContaining({ kind: "compaction-changed", status: "failed" }),
    );
    expect(JSON.stringify(rig.requests[2]?.messages)).toContain("A long answer.");
  });

  test("is summarised before an output goes out that would not fit", async () => {
    const long = tool("long", () => Promise.resolve({ output: "x".repeat(380_000) }));
    const first: StepPart[] = [
      { type: "tool-call", callId: "c", tool: "long", input: {} },
      { type: "finish", finish: "tool-calls", usage },
    ];
    const rig = new Rig({
      replies: [says("Before."), first, says("The summary."), says("Done.")],
      tools: [long],
    });
    await rig.prompt("Earlier");
    await rig.prompt("Do the long thing");
    expect(rig.requests[2]?.system).toContain("summarise");
    expect(JSON.stringify(rig.requests[3]?.messages)).not.toContain("xxx");
  });

  test("is seen by an estimate where a server measures nothing", async () => {
    const unmeasured = (text: string): StepPart[] => [
      { type: "text-delta", partId: "0", delta: text },
      { type: "finish", finish: "stop", usage: { ...usage, inputTokens: 0, outputTokens: 0 } },
    ];
    const rig = new Rig({
      replies: [unmeasured("y".repeat(390_000)), says("The summary."), unmeasured("Done.")],
    });
    await rig.prompt("Earlier");
    await rig.prompt("Next");
    expect(rig.requests[1]?.system).toContain("summarise");
  });

  test("is not summarised again and again when only the prompt is long", async () => {
    const echo = tool("echo", () => Promise.resolve({ output: "echo" }));
    const call = (callId: string): StepPart[] => [
      { type: "tool-call", callId, tool: "echo", input: { callId } },
      { type: "finish", finish: "tool-calls", usage: { ...usage, inputTokens: 95_000 } },
    ];
    const rig = new Rig({
      replies: [call("a"), call("b"), says("Done.")],
      tools: [echo],
    });
    expect((await rig.prompt("z".repeat(360_000))).stopReason).toBe("end_turn");
    expect(rig.kinds()).not.toContain("compacted");
  });

  test("is summarised from less when even that overflows, and what it took is counted", async () => {
    const overflow = () => failing(new ModelProblem("context-overflow", "Too long."));
    const rig = new Rig({
      replies: [full("A".repeat(10_000)), overflow, says("The summary."), says("Next.")],
    });
    await rig.prompt("First");
    await rig.prompt("Second");
    const lengths = rig.requests.slice(1, 3).map(({ messages }) => JSON.stringify(messages).length);
    expect(lengths[1]).toBeLessThan((lengths[0] ?? 0) * 0.6);
    expect(rig.kinds().filter((kind) => kind === "compacted")).toHaveLength(1);
    expect(rig.session.state.usage.outputTokens).toBe(3 * usage.outputTokens);
  });

  test("on a command is summarised with what the person asks, and sums up the summary next time", async () => {
    const rig = new Rig({
      replies: [says("One."), says("Summary A."), says("Two."), says("Summary B."), says("Three.")],
    });
    await rig.prompt("First");
    await rig.prompt("/compact mind the tests");
    expect(rig.requests[1]?.system).toContain("mind the tests");
    await rig.prompt("Second");
    expect(JSON.stringify(rig.requests[2]?.messages)).not.toContain("One.");
    await rig.prompt("/compact");
    expect(JSON.stringify(rig.requests[3]?.messages)).toContain("Summary A.");
    await rig.prompt("Third");
    const sent = JSON.stringify(rig.requests[4]?.messages);
    expect(sent).toContain("Summary B.");
    expect(sent).not.toContain("Summary A.");
    expect(faults(rig)).toEqual([]);
  });
});
