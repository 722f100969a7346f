import { describe, expect, test } from "vitest";
import { allTasks } from "./all-tasks.ts";
import { play } from "./play.ts";

describe("tasks, with a scripted model", () => {
  test.for(allTasks.map((task) => [task.name, task] as const))("%s", async ([, task]) => {
    expect(await play(task)).toEqual([]);
  });
});
