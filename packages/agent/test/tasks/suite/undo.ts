import { expect } from "vitest";
import type { Repository } from "../repository.ts";
import { calls, type Task } from "../task.ts";

const before = { "list.txt": "one\ntwo\n", "old.txt": "old\n", "kept.txt": "kept\n" };
const after = { "list.txt": "one\n2\n", "old.txt": null, "new.txt": "new\n", "kept.txt": "kept\n" };

async function state(repository: Repository): Promise<Record<string, string | null>> {
  const names = ["list.txt", "old.txt", "new.txt", "kept.txt"];
  const texts = await Promise.all(names.map((name) => repository.readIfThere(name)));
  return Object.fromEntries(names.map((name, index) => [name, texts[index] ?? null]));
}

const undone = { ...before, "new.txt": null };

export const undoAndRedo: Task = {
  name: "changes by edits and commands are undone and redone",
  files: before,
  async act(user, repository) {
    await user.prompt(
      "With the edit tool, replace `two` by `2` in list.txt. Then run this command: rm old.txt && echo new > new.txt",
    );
    const states = [await state(repository)];
    for (const command of ["/undo", "/redo", "/undo", "/redo"]) {
      await user.prompt(command);
      states.push(await state(repository));
    }
    return states;
  },
  async outcome({ user, acted }) {
    expect(acted).toEqual([after, undone, after, undone, after]);
    expect(user.stops).toEqual(Array(5).fill("end_turn"));
  },
  script: {
    lines: [
      calls(["read", { filePath: "list.txt" }]),
      calls(["edit", { filePath: "list.txt", oldString: "two", newString: "2" }]),
      calls(["bash", { command: "rm old.txt && echo new > new.txt", description: "Move on" }]),
      "Done.",
    ],
    transcript({ user }) {
      // The model takes no part in an undo.
      expect(user.shown.outline).toEqual(["read completed", "edit completed", "bash completed"]);
      for (const file of ["list.txt", "old.txt", "new.txt"])
        expect(user.shown.said).toContain(file);
    },
  },
};

export const undoOfHelper: Task = {
  name: "changes by a subagent's command are undone with its prompt",
  files: before,
  async act(user, repository) {
    await user.prompt(
      "Have the general helper (the task tool) run this command: rm old.txt && echo new > new.txt",
    );
    const states = [await state(repository)];
    await user.prompt("/undo");
    return [...states, await state(repository)];
  },
  async outcome({ acted }) {
    const helped = { ...before, "old.txt": null, "new.txt": "new\n" };
    expect(acted).toEqual([helped, undone]);
  },
  script: {
    lines: [
      calls([
        "task",
        { description: "Move on", prompt: "Run the command.", subagent_type: "general" },
      ]),
      calls(["bash", { command: "rm old.txt && echo new > new.txt", description: "Move on" }]),
      "It is done.",
      "The helper did it.",
    ],
    transcript({ user }) {
      expect(user.shown.outline).toEqual(["task completed"]);
      // It was asked on the session that the person sees, with the subagent's name.
      expect(user.asks.map(({ toolCall }) => toolCall.title)).toEqual([
        expect.stringContaining("General: "),
      ]);
    },
  },
};
