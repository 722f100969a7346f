import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { toolsFor } from "../../src/tools/registry.ts";
import { calls, SessionFixture, says, type Reply } from "../core/session-fixture.ts";
import { openToolFixture, type ToolFixture } from "./tool-fixture.ts";

/** A session whose tools are the real ones, in a real folder. */
function sessionAt(toolFixture: ToolFixture, replies: Reply[]): SessionFixture {
  return new SessionFixture({
    replies,
    config: { rules: { user: [], project: [] } },
    parts: {
      workspace: toolFixture.workspace,
      toolsFor: (situation) => Promise.resolve(toolsFor(situation)),
    },
  });
}

describe("in a session", () => {
  test("rules of a folder are attached once, while the model has them", async () => {
    await using toolFixture = await openToolFixture();
    await toolFixture.scratch.write({
      "web/AGENTS.md": "Use tabs.",
      "web/a.ts": "",
      "web/b.ts": "",
    });
    const read = (filePath: string) => ({ tool: "read", input: { filePath } });
    const fixture = sessionAt(toolFixture, [
      calls(read("web/a.ts"), read("web/b.ts")),
      calls(read("web/b.ts")),
      says("Done."),
      calls(read("web/b.ts")),
      says("Done."),
    ]);
    const withRules = () => fixture.ended().map((record) => record.output.includes("Use tabs."));
    await fixture.prompt("Go");
    expect(withRules().filter(Boolean)).toHaveLength(1);
    expect(withRules().at(-1)).toBe(false);
    const promptId = fixture.session.state.turns[0]?.prompt.promptId ?? "";
    fixture.session.append({ kind: "files-restored", direction: "undo", promptId, paths: [] });
    await fixture.prompt("Again");
    expect(withRules().at(-1)).toBe(true);
  });

  test("an edit is requested with its diff, and a rejection changes nothing", async () => {
    await using toolFixture = await openToolFixture();
    const path = await toolFixture.scratch.write({ "a.txt": "one\n" });
    const edit = { tool: "edit", input: { filePath: "a.txt", oldString: "one", newString: "1" } };
    const read = { tool: "read", input: { filePath: "a.txt" } };
    const fixture = sessionAt(toolFixture, [calls(read), calls(edit), says("All right.")]);
    fixture.decide = () => Promise.resolve({ answer: "reject" });
    await fixture.prompt("Go");
    expect(fixture.questions[0]?.requests[0]?.view?.content).toEqual([
      { type: "diff", path, oldText: "one\n", newText: "1\n" },
    ]);
    expect(fixture.ended()[1]).toMatchObject({ status: "failed", reason: "rejected" });
    expect(await toolFixture.scratch.read("a.txt")).toBe("one\n");
  });

  test("failures have reasons that clients know", async () => {
    await using toolFixture = await openToolFixture();
    await toolFixture.scratch.write({ "a.txt": "one\n" });
    const made = [
      { tool: "nothing", input: {} },
      { tool: "plan_exit", input: {} },
      { tool: "read", input: { filePath: "none.txt" } },
      { tool: "read", input: {} },
      { tool: "edit", input: { filePath: "a.txt", oldString: "two", newString: "2" } },
      { tool: "read", input: { filePath: "a.txt" } },
      { tool: "edit", input: { filePath: "a.txt", oldString: "two", newString: "2" } },
    ];
    const fixture = sessionAt(toolFixture, [...made.map((call) => calls(call)), says("Well.")]);
    await fixture.prompt("Go");
    expect(fixture.ended().map((record) => record.reason)).toEqual([
      "tool-not-found",
      "tool-disabled",
      "file-not-found",
      "invalid-input",
      "file-not-read",
      undefined,
      "match-not-found",
    ]);
  });

  test("a tool that a rule denies is disabled", async () => {
    await using toolFixture = await openToolFixture();
    await toolFixture.scratch.write({ "secret.txt": "x" });
    const fixture = new SessionFixture({
      replies: [calls({ tool: "read", input: { filePath: "secret.txt" } }), says("Well.")],
      config: {
        rules: {
          user: [{ permission: "read", pattern: "secret*", action: "deny" }],
          project: [],
        },
      },
      parts: {
        workspace: toolFixture.workspace,
        toolsFor: (situation) => Promise.resolve(toolsFor(situation)),
      },
    });
    await fixture.prompt("Go");
    expect(fixture.ended()[0]).toMatchObject({ status: "failed", reason: "tool-disabled" });
    expect(fixture.questions).toEqual([]);
  });

  test("changes are recorded before the call ends, for undo", async () => {
    await using toolFixture = await openToolFixture();
    const write = { tool: "write", input: { filePath: "a.txt", content: "new\n" } };
    const fixture = sessionAt(toolFixture, [calls(write), says("Done.")]);
    await fixture.prompt("Go");
    expect(fixture.kinds().indexOf("file-changed")).toBeLessThan(
      fixture.kinds().indexOf("tool-ended"),
    );
    expect(fixture.records.find((record) => record.kind === "file-changed")).toMatchObject({
      path: join(toolFixture.scratch.project, "a.txt"),
      before: null,
      after: "new\n",
    });
  });
});
