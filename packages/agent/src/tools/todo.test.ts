import { expect, it } from "vitest";
import { openToolContext } from "../../test/tools/tool-context-fixture.ts";
import { todoTool } from "./todo.ts";

const todo = (content: string, status: string, priority?: string) => ({
  content,
  status,
  priority,
});

async function write(...todos: ReturnType<typeof todo>[]) {
  await using rig = await openToolContext();
  const result = await todoTool.run(todoTool.input.parse({ todos }), rig.context);
  return { result, kept: rig.kept, asked: rig.asked };
}

it("becomes the plan, without cancelled steps", async () => {
  const { result, kept, asked } = await write(
    todo("one", "completed", "high"),
    todo("two", "in_progress"),
    todo("three", "cancelled"),
    todo("four", "pending", "low"),
  );
  expect(kept).toEqual([
    {
      kind: "plan-changed",
      entries: [
        { content: "one", status: "completed", priority: "high" },
        { content: "two", status: "in_progress", priority: "medium" },
        { content: "four", status: "pending", priority: "low" },
      ],
    },
  ]);
  expect(asked).toEqual([{ permission: "todowrite", patterns: ["*"], always: ["*"] }]);
  const told = JSON.parse(result.output) as unknown[];
  expect(told).toHaveLength(4);
  expect(result.metadata).toEqual({ todos: told });
});

it("has one step in progress, and reports more", async () => {
  const { result, kept } = await write(
    todo("one", "in_progress"),
    todo("two", "in_progress"),
    todo("three", "in_progress"),
  );
  expect(kept).toMatchObject([
    { entries: [{ status: "in_progress" }, { status: "pending" }, { status: "pending" }] },
  ]);
  expect(result.output).toMatch(/Several steps were in progress\. The first one still is/);
  expect(result.metadata).toMatchObject({ todos: [{}, { status: "pending" }, {}] });
});

it("can be emptied, and shows how many steps are left", async () => {
  expect((await write()).kept).toEqual([{ kind: "plan-changed", entries: [] }]);
  await using rig = await openToolContext();
  const view = (...todos: ReturnType<typeof todo>[]) =>
    todoTool.view(todoTool.input.parse({ todos }), rig.context.workspace).title;
  expect(view(todo("a", "pending"), todo("b", "completed"), todo("c", "in_progress"))).toBe(
    "Plan: 2 to do",
  );
  expect(view(todo("a", "completed"), todo("b", "cancelled"))).toBe("Plan: all done");
  expect(todoTool.view({}, rig.context.workspace).title).toBe("Plan: all done");
});

it("refuses empty steps and unknown statuses", () => {
  expect(todoTool.input.safeParse({ todos: [todo("", "pending")] }).success).toBe(false);
  expect(todoTool.input.safeParse({ todos: [todo("a", "done")] }).success).toBe(false);
});
