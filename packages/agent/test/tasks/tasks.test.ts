import { describe, expect, test } from "vitest";
import { coreTasks } from "./all-tasks.ts";
import { runTask } from "./run-task.ts";

describe("tasks, with a scripted model", () => {
  test.for(coreTasks.map((task) => [task.name, task] as const))("%s", async ([, task]) => {
    expect(await runTask(task)).toEqual([]);
  });
});
