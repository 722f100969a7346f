import { describe, expect, test } from "vitest";
import { info, tool } from "../../test/core/session-fixture.ts";
import { scratch } from "../../test/config/config-fixture.ts";
import { defaultRules, exploreRules, planRules } from "../config/default-rules.ts";
import type { Policy, Rule } from "../permission/rule.ts";
import { toolsFor, type ToolSituation } from "./registry.ts";

async function names(changes: Partial<ToolSituation> = {}): Promise<string[]> {
  await using project = await scratch();
  const tools = toolsFor({
    info,
    policies: [policyOf()],
    isPlanning: false,
    project: await project.open(),
    mcpTools: [],
    questions: null,
    subagents: null,
    displayedCall: () => {
      throw new Error("not used here");
    },
    leavePlan: () => Promise.resolve("keep-planning"),
    outputs: "/outputs",
    rulesInContext: () => new Set(),
    ...changes,
  });
  return tools.map((each) => each.name);
}

const deny = (permission: string): Rule => ({ permission, pattern: "*", action: "deny" });
const policyOf = (...rules: Rule[]): Policy => ({ sources: [rules], defaults: defaultRules });
const nothing = () => Promise.resolve({ output: "" });

describe("the available tools", () => {
  test("are edit and write, or patches for models that are trained on them", async () => {
    const usual = await names();
    expect(usual).toEqual(
      expect.arrayContaining([
        "read",
        "list",
        "glob",
        "grep",
        "edit",
        "write",
        "bash",
        "webfetch",
        "todowrite",
      ]),
    );
    expect(usual).not.toContain("apply_patch");
    const patching = await names({ info: { ...info, prefersPatches: true } });
    expect(patching).toContain("apply_patch");
    expect(patching).not.toContain("edit");
    expect(patching).not.toContain("write");
  });

  test("omit tools that rules deny completely", async () => {
    const policies = [policyOf(deny("edit"), deny("list"))];
    const left = await names({ policies });
    for (const gone of ["edit", "write", "list"]) expect(left).not.toContain(gone);
    expect(await names({ policies, info: { ...info, prefersPatches: true } })).not.toContain(
      "apply_patch",
    );
    expect(await names({ policies: [policyOf(...exploreRules)] })).not.toContain("edit");
  });

  test("keep editing in plan mode, because plans may be written", async () => {
    const policies = [policyOf(...planRules)];
    const planning = await names({ policies, isPlanning: true });
    expect(planning).toEqual(expect.arrayContaining(["write", "plan_exit"]));
    expect(await names({ policies })).not.toContain("plan_exit");
  });

  test("include questions and subagents where they are supported", async () => {
    expect(await names()).not.toContain("question");
    expect(await names()).not.toContain("task");
    const all = await names({
      questions: () => Promise.resolve([]),
      subagents: {
        types: () => [{ id: "general", description: "Anything" }],
        run: () => Promise.reject(new Error("not used here")),
      },
    });
    expect(all).toEqual(expect.arrayContaining(["question", "task"]));
  });

  test("have unique names: built-in tools first, then the project's, then those of servers", async () => {
    await using project = await scratch();
    const opened = await project.open();
    const own = tool("deploy", nothing, { description: "the project's" });
    const mcpTools = [tool("deploy", nothing), tool("read", nothing), tool("files_find", nothing)];
    const found = await names({ project: { ...opened, customTools: [own] }, mcpTools });
    expect(new Set(found).size).toBe(found.length);
    expect(found).toEqual(expect.arrayContaining(["deploy", "files_find"]));
    expect(found.indexOf("read")).toBe(0);
    const policies = [policyOf(deny("read"))];
    const others = [tool("read", nothing, { permission: "other" })];
    expect(await names({ policies, mcpTools: others })).not.toContain("read");
  });
});
