import { z } from "zod";
import type { DisplayedCall, UserRequests } from "../core/user-requests.ts";
import type { Tool, ToolContext } from "./tool.ts";

const input = z.object({
  questions: z
    .array(
      z.object({
        question: z.string().min(1).describe("The whole question"),
        header: z.string().max(40).describe("What it is about, in one or two words"),
        options: z
          .array(z.object({ label: z.string().min(1), description: z.string().optional() }))
          .max(20)
          .default([])
          .describe("Answers to choose from; put the one you advise first"),
        multiple: z.boolean().default(false).describe("True when several may be chosen"),
      }),
    )
    .min(1)
    .max(10),
});

const description = `Asks the person, and waits for the answer. Use it when the request can be read in ways that lead to different work, or when a choice is theirs to make. Do not use it for what you can find out yourself, nor to ask whether you may go on. The person can always answer in own words, so offer no option like "other".`;

export function createQuestionTool(
  ask: NonNullable<UserRequests["questions"]>,
  displayedCall: (context: ToolContext) => DisplayedCall,
): Tool<z.infer<typeof input>> {
  return {
    name: "question",
    description,
    input,
    kind: "other",
    permission: "question",
    view: ({ questions = [] }) => ({
      title: questions.map((each) => each.question).join(" ") || "Question",
      locations: [],
      content: [],
    }),
    async run({ questions }, context) {
      await context.ask({ permission: "question", patterns: ["*"], always: ["*"] });
      const asked = questions.map((each) => ({ ...each, free: true }));
      const answers = await ask(displayedCall(context), asked, context.signal);
      const lines = questions.map(({ question }, index) => {
        const answer = answers[index]?.join(", ") ?? "";
        return `${question}\n${answer === "" ? "(no answer)" : answer}`;
      });
      const isSilent = answers.every((answer) => answer.length === 0);
      const note = isSilent
        ? "\n\nThe person did not answer. Go on with what you think best, and say what you chose."
        : "";
      return { output: lines.join("\n\n") + note, metadata: { answers } };
    },
  };
}
