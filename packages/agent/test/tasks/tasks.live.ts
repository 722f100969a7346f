import { describe, expect, test } from "vitest";
import { allTasks } from "./all-tasks.ts";
import { runTaskLive } from "./run-task.ts";

describe("tasks, with the default model of the environment", () => {
  test.for(allTasks.map((task) => [task.name, task] as const))("%s", async ([, task]) => {
    expect(await runTaskLive(task)).toEqual([]);
  });
});
