import { z } from "zod";
import type { Tool } from "./tool.ts";

const input = z.object({
  todos: z
    .array(
      z.object({
        content: z.string().min(1).describe("What is to be done, in a few words"),
        status: z.enum(["pending", "in_progress", "completed", "cancelled"]),
        priority: z.enum(["high", "medium", "low"]).default("medium"),
      }),
    )
    .max(100)
    .describe("The whole list, in order; it replaces the one before"),
});

type Todo = z.infer<typeof input>["todos"][number];

const description = `Writes down the steps of your work, for yourself and for the person who watches. Use it when a task has three steps or more, and each time that a step begins or ends; leave it out for small things. Send the whole list each time. Exactly one step is in progress while you work. Tick a step as soon as it is done and checked, and add steps that turn up on the way.`;

/** The model's list becomes the ACP plan. */
export const todoTool: Tool<z.infer<typeof input>> = {
  name: "todowrite",
  description,
  input,
  kind: "think",
  permission: "todowrite",
  view: ({ todos = [] }) => {
    const left = todos.filter((todo) => todo.status !== "completed" && todo.status !== "cancelled");
    const title = left.length === 0 ? "Plan: all done" : `Plan: ${left.length} to do`;
    return { title, locations: [], content: [] };
  },
  async run({ todos }, context) {
    await context.ask({ permission: "todowrite", patterns: ["*"], always: ["*"] });
    const list = withOneInProgress(todos);
    // ACP plans have no cancelled entries.
    const entries = list.flatMap(({ content, status, priority }) =>
      status === "cancelled" ? [] : [{ content, status, priority }],
    );
    context.append({ kind: "plan-changed", entries });
    const isChanged = list.some((todo, index) => todo !== todos[index]);
    const note = isChanged
      ? "\n\nSeveral steps were in progress. The first one still is, and the others are pending: work on one at a time, and say when the next one begins."
      : "";
    return { output: JSON.stringify(list, null, 2) + note, content: [], metadata: { todos: list } };
  },
};

function withOneInProgress(todos: readonly Todo[]): Todo[] {
  const first = todos.findIndex((todo) => todo.status === "in_progress");
  return todos.map((todo, index) =>
    todo.status === "in_progress" && index !== first ? pending(todo) : todo,
  );
}

function pending({ content, priority }: Todo): Todo {
  return { content, status: "pending", priority };
}
