import { expect } from "vitest";
import { calls, type Task } from "../task.ts";

const small = { inputTokens: 1_000, outputTokens: 100 };
const large = { inputTokens: 7_000, outputTokens: 333 };

/** The cost at the prices of the model, per million tokens: 1.75 in, 14 out. */
const total = { inputTokens: 2 * 1_000 + 2 * 7_000, outputTokens: 2 * 100 + 2 * 333 };
const amount = (total.inputTokens * 1.75 + total.outputTokens * 14) / 1_000_000;

export const spending: Task = {
  name: "the cost of a subagent is part of the session's, even after a reload",
  files: { "a.txt": "one\n" },
  async act(user) {
    await user.prompt("Have the explore helper (the task tool) read a.txt.");
    await user.restart();
    await user.prompt("/status");
  },
  async outcome({ user }) {
    expect(user.stops).toEqual(["end_turn", "end_turn"]);
  },
  script: {
    model: "openai/gpt-5.2",
    lines: [
      {
        ...calls([
          "task",
          { description: "Read", prompt: "Read a.txt.", subagent_type: "explore" },
        ]),
        usage: small,
      },
      { ...calls(["read", { filePath: "a.txt" }]), usage: large },
      { parts: [{ type: "text", text: "It says one." }], usage: large },
      { parts: [{ type: "text", text: "Done." }], usage: small },
    ],
    transcript({ user }) {
      expect(user.usages[0]).toMatchObject({
        ...total,
        totalTokens: total.inputTokens + total.outputTokens,
      });
      const shown = user.shown.updates.filter((update) => update.sessionUpdate === "usage_update");
      // The context is the session's own; the cost includes subagents.
      for (const { used } of shown) expect(used).toBe(1_100);
      const amounts = shown.map(({ cost }) => cost?.amount);
      // Each step of the subagent is reported immediately.
      expect(new Set(amounts).size).toBe(4);
      expect(amounts.slice(0, 4)).toEqual(
        amounts.slice(0, 4).toSorted((one, other) => (one ?? 0) - (other ?? 0)),
      );
      // The last one before the restart and the one after it are equal, without rounding errors.
      expect(amounts.slice(-2)).toEqual([0.040124, 0.040124]);
      expect(amount).toBeCloseTo(0.040124, 6);
      for (const each of amounts) expect(String(each)).toMatch(/^0\.\d{1,6}$/);
      expect(user.shown.said).toContain(
        `- Used: ${total.inputTokens} tokens read, ${total.outputTokens} written, 0.040124 USD`,
      );
    },
  },
};
