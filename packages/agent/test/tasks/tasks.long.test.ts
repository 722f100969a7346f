import { describe, expect, test } from "vitest";
import { isSkipped } from "../../../sandbox/test/skipped.ts";
import { otherTasks } from "./all-tasks.ts";
import { runTask } from "./run-task.ts";
import { sandboxedCommands } from "./suite/sandbox.ts";

const tasks = otherTasks.filter((task) => task !== sandboxedCommands || !isSkipped);

describe("tasks, with a scripted model", () => {
  test.for(tasks.map((task) => [task.name, task] as const))("%s", async ([, task]) => {
    expect(await runTask(task)).toEqual([]);
  });
});
