import { z } from "zod";
import type { PlanExit } from "../core/user-requests.ts";
import { textContent, type Tool, type ToolContext } from "./tool.ts";

const input = z.object({
  plan: z.string().default("").describe("The plan in markdown, as the person should read it"),
});

const description = `Ends plan mode: shows the person your plan, and asks whether you may carry it out. Call it when the plan is complete and nothing is left to ask. If the person wants to keep planning, improve the plan with what they say.`;

const outputs: Record<PlanExit, string> = {
  "build-accepting-edits":
    "The person agreed. You are in build mode now, and edits are accepted without a question. Carry out the plan.",
  "build-asking":
    "The person agreed. You are in build mode now; they will be asked before each edit. Carry out the plan.",
  "keep-planning":
    "The person wants to keep planning. You are still in plan mode: ask what should be different, and end your turn.",
};

export function createPlanExitTool(
  leavePlan: (context: ToolContext, plan: string) => Promise<PlanExit>,
): Tool<z.infer<typeof input>> {
  return {
    name: "plan_exit",
    description,
    input,
    kind: "switch_mode",
    permission: "plan_exit",
    view: ({ plan = "" }) => ({
      title: "Carry out the plan?",
      locations: [],
      content: textContent(plan),
    }),
    async run({ plan }, context) {
      const exit = await leavePlan(context, plan);
      return { output: outputs[exit], metadata: { exit } };
    },
  };
}
