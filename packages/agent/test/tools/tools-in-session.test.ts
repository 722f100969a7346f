import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { toolsFor } from "../../src/tools/registry.ts";
import { calls, Rig, says, type Reply } from "../core/session-fixture.ts";
import { openBench, type Bench } from "./tool-fixture.ts";

/** A session whose tools are the real ones, in a real folder. */
function sessionAt(bench: Bench, replies: Reply[]): Rig {
  return new Rig({
    replies,
    config: { rules: { user: [], project: [] } },
    parts: {
      workspace: bench.workspace,
      toolsFor: (situation) => Promise.resolve(toolsFor(situation)),
    },
  });
}

describe("in a session", () => {
  test("rules of a folder come once, as long as the model has them", async () => {
    await using bench = await openBench();
    await bench.scratch.write({ "web/AGENTS.md": "Use tabs.", "web/a.ts": "", "web/b.ts": "" });
    const read = (filePath: string) => ({ tool: "read", input: { filePath } });
    const rig = sessionAt(bench, [
      calls(read("web/a.ts"), read("web/b.ts")),
      calls(read("web/b.ts")),
      says("Done."),
      calls(read("web/b.ts")),
      says("Done."),
    ]);
    const withRules = () => rig.ended().map((record) => record.output.includes("Use tabs."));
    await rig.prompt("Go");
    expect(withRules().filter(Boolean)).toHaveLength(1);
    expect(withRules().at(-1)).toBe(false);
    const promptId = rig.session.state.turns[0]?.prompt.promptId ?? "";
    rig.session.keep({ kind: "files-restored", direction: "undo", promptId, paths: [] });
    await rig.prompt("Again");
    expect(withRules().at(-1)).toBe(true);
  });

  test("an edit is asked about with its diff, and a person's no changes nothing", async () => {
    await using bench = await openBench();
    const path = await bench.scratch.write({ "a.txt": "one\n" });
    const edit = { tool: "edit", input: { filePath: "a.txt", oldString: "one", newString: "1" } };
    const read = { tool: "read", input: { filePath: "a.txt" } };
    const rig = sessionAt(bench, [calls(read), calls(edit), says("All right.")]);
    rig.decide = () => Promise.resolve({ answer: "reject" });
    await rig.prompt("Go");
    expect(rig.questions[0]?.requests[0]?.view?.content).toEqual([
      { type: "diff", path, oldText: "one\n", newText: "1\n" },
    ]);
    expect(rig.ended()[1]).toMatchObject({ status: "failed", reason: "rejected" });
    expect(await bench.scratch.read("a.txt")).toBe("one\n");
  });

  test("failures have the reasons that clients know", async () => {
    await using bench = await openBench();
    await bench.scratch.write({ "a.txt": "one\n" });
    const made = [
      { tool: "nothing", input: {} },
      { tool: "plan_exit", input: {} },
      { tool: "read", input: { filePath: "none.txt" } },
      { tool: "read", input: {} },
      { tool: "edit", input: { filePath: "a.txt", oldString: "two", newString: "2" } },
      { tool: "read", input: { filePath: "a.txt" } },
      { tool: "edit", input: { filePath: "a.txt", oldString: "two", newString: "2" } },
    ];
    const rig = sessionAt(bench, [...made.map((call) => calls(call)), says("Well.")]);
    await rig.prompt("Go");
    expect(rig.ended().map((record) => record.reason)).toEqual([
      "tool-not-found",
      "tool-disabled",
      "file-not-found",
      "invalid-input",
      "file-not-read",
      undefined,
      "match-not-found",
    ]);
  });

  test("what a rule refuses is disabled", async () => {
    await using bench = await openBench();
    await bench.scratch.write({ "secret.txt": "x" });
    const rig = new Rig({
      replies: [calls({ tool: "read", input: { filePath: "secret.txt" } }), says("Well.")],
      config: {
        rules: {
          user: [{ permission: "read", pattern: "secret*", action: "deny" }],
          project: [],
        },
      },
      parts: {
        workspace: bench.workspace,
        toolsFor: (situation) => Promise.resolve(toolsFor(situation)),
      },
    });
    await rig.prompt("Go");
    expect(rig.ended()[0]).toMatchObject({ status: "failed", reason: "tool-disabled" });
    expect(rig.questions).toEqual([]);
  });

  test("changes are kept before the call ends, for undo", async () => {
    await using bench = await openBench();
    const write = { tool: "write", input: { filePath: "a.txt", content: "new\n" } };
    const rig = sessionAt(bench, [calls(write), says("Done.")]);
    await rig.prompt("Go");
    expect(rig.kinds().indexOf("file-changed")).toBeLessThan(rig.kinds().indexOf("tool-ended"));
    expect(rig.records.find((record) => record.kind === "file-changed")).toMatchObject({
      path: join(bench.scratch.project, "a.txt"),
      before: null,
      after: "new\n",
    });
  });
});
