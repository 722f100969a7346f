import { expect } from "vitest";
import { calls, results, type Task } from "../task.ts";

export const planFirst: Task = {
  name: "in plan mode an edit is refused, and is made once the plan is approved",
  files: { "config.json": '{ "port": 3000 }\n' },
  async act(user) {
    await user.setMode("plan");
    user.decide = ({ toolCall }) =>
      toolCall.kind === "switch_mode" ? "allow_always" : "allow_once";
    await user.prompt(
      "Change the port in config.json to 8080. Plan it, have the plan approved with plan_exit, and then carry it out.",
    );
  },
  async outcome({ repository }) {
    expect(JSON.parse(await repository.read("config.json"))).toEqual({ port: 8_080 });
  },
  script: {
    lines: [
      calls(["read", { filePath: "config.json" }]),
      calls(["edit", { filePath: "config.json", oldString: "3000", newString: "8080" }]),
      calls(["plan_exit", { plan: "1. Put 8080 where 3000 stands." }]),
      calls(["edit", { filePath: "config.json", oldString: "3000", newString: "8080" }]),
      "The port is 8080.",
    ],
    transcript({ user, requests }) {
      expect(user.shown.outline).toEqual([
        "read completed",
        "edit failed",
        "plan_exit completed",
        "edit completed",
      ]);
      expect(user.shown.calls[1]?.rawOutput).toMatchObject({ reason: "tool-disabled" });
      expect(results(requests[2]!)).toContain("refuses edit");
      // The plan needed permission; the edit did not, because the person accepted all edits.
      expect(user.asks.map(({ toolCall }) => toolCall.kind)).toEqual(["switch_mode"]);
      expect(JSON.stringify(user.asks[0]?.toolCall.content)).toContain("Put 8080");
      const modes = user.shown.updates.flatMap((update) =>
        update.sessionUpdate === "current_mode_update" ? [update.currentModeId] : [],
      );
      expect(modes.at(-1)).toBe("build");
      const offered = requests.map(({ tools }) => tools.some(({ name }) => name === "plan_exit"));
      expect(offered).toEqual([true, true, true, false, false]);
    },
  },
};
