import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openToolContext, type ToolContextFixture } from "../../test/tools/tool-context-fixture.ts";
import type { Answer, DisplayedCall, PlanExit, Question } from "../core/user-requests.ts";
import { createPlanExitTool } from "./plan-exit.ts";
import { createQuestionTool } from "./question.ts";

let rig: ToolContextFixture;
beforeEach(async () => {
  rig = await openToolContext();
});
afterEach(() => rig[Symbol.asyncDispose]());

describe("question", () => {
  const onScreen = { callId: "call-1" } as DisplayedCall;
  const input = {
    questions: [
      {
        question: "Which colour?",
        header: "Colour",
        options: [{ label: "Red" }, { label: "Blue" }],
      },
      { question: "Why?", header: "Reason" },
    ],
  };

  async function ask(answers: Answer[]) {
    const heard: { call: DisplayedCall; questions: Question[]; signal: AbortSignal }[] = [];
    const tool = createQuestionTool(
      (call, questions, signal) => {
        heard.push({ call, questions, signal });
        return Promise.resolve(answers);
      },
      () => onScreen,
    );
    const result = await tool.run(tool.input.parse(input), rig.context);
    return { tool, result, heard };
  }

  it("asks the questions with free text allowed, and returns the answers", async () => {
    const { result, heard, tool } = await ask([["Red", "Blue"], ["because"]]);
    expect(result.output).toBe("Which colour?\nRed, Blue\n\nWhy?\nbecause");
    expect(result.metadata).toEqual({ answers: [["Red", "Blue"], ["because"]] });
    expect(heard).toHaveLength(1);
    expect(heard[0]).toMatchObject({ call: onScreen, signal: rig.context.signal });
    expect(heard[0]?.questions).toMatchObject([
      { header: "Colour", free: true, multiple: false, options: [{ label: "Red" }, {}] },
      { question: "Why?", free: true, options: [] },
    ]);
    expect(rig.asked).toEqual([{ permission: "question", patterns: ["*"], always: ["*"] }]);
    expect(tool.view(tool.input.parse(input), rig.context.workspace).title).toBe(
      "Which colour? Why?",
    );
    expect(tool.view({}, rig.context.workspace).title).toBe("Question");
  });

  it("reports unanswered questions, and what to do if none was answered", async () => {
    expect((await ask([["Red"], []])).result.output).toBe(
      "Which colour?\nRed\n\nWhy?\n(no answer)",
    );
    for (const silent of [[], [[], []]]) {
      expect((await ask(silent)).result.output).toMatch(/did not answer\. Go on/);
    }
  });

  it("requires a question", async () => {
    const { tool } = await ask([]);
    expect(tool.input.safeParse({ questions: [] }).success).toBe(false);
  });
});

describe("plan_exit", () => {
  it.each<[PlanExit, RegExp]>([
    ["build-accepting-edits", /agreed.*edits are accepted/],
    ["build-asking", /agreed.*asked before each edit/],
    ["keep-planning", /keep planning.*still in plan mode/],
  ])("tells the model about %s", async (exit, words) => {
    const plans: string[] = [];
    const tool = createPlanExitTool((context, plan) => {
      expect(context).toBe(rig.context);
      plans.push(plan);
      return Promise.resolve(exit);
    });
    const result = await tool.run({ plan: "1. Do it" }, rig.context);
    expect(result.output).toMatch(words);
    expect(result.metadata).toEqual({ exit });
    expect(plans).toEqual(["1. Do it"]);
  });

  it("shows the plan", () => {
    const tool = createPlanExitTool(() => Promise.resolve("keep-planning"));
    expect(tool.view({ plan: "1. Do it" }, rig.context.workspace).content).toEqual([
      { type: "content", content: { type: "text", text: "1. Do it" } },
    ]);
    expect(tool.view({}, rig.context.workspace).content).toEqual([]);
  });
});
