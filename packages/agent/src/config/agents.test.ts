import { expect, it } from "vitest";
import { scratch, trustAll } from "../../test/config/config-fixture.ts";
import { bashRequest } from "../permission/bash-request.ts";
import { evaluate, isOff } from "../permission/evaluate.ts";
import { judge as judgeRequest } from "../permission/judge.ts";
import type { Policy } from "../permission/rule.ts";
import { openJudge } from "@landline/shell";
import type { AgentDefinition, Config } from "./config.ts";
import { defaultRules, toolPatterns } from "./default-rules.ts";

function agentOf(config: Config, id: string): AgentDefinition {
  const agent = config.agents.find((candidate) => candidate.id === id);
  if (agent === undefined) throw new Error(`there is no agent ${id}`);
  return agent;
}

/** Evaluated as in a session. */
function policyOf({ rules, ...config }: Config, id: string): Policy {
  const { rules: own, untrustedRules } = agentOf({ rules, ...config }, id);
  return { sources: [rules.user, rules.project, own, untrustedRules], defaults: defaultRules };
}

const judge = (config: Config, id: string, permission: string, pattern = "x") =>
  evaluate(policyOf(config, id), permission, pattern);

it("asks by default for what changes, runs or fetches something", async () => {
  await using folder = await scratch();
  const { config } = await folder.open();
  for (const permission of [
    "edit",
    "bash",
    "webfetch",
    "external_directory",
    "doom_loop",
    "unheard_of",
  ]) {
    expect(judge(config, "build", permission)).toBe("ask");
  }
  for (const permission of ["read", "list", "glob", "grep", "task", "todowrite", "question"]) {
    expect(judge(config, "build", permission)).toBe("allow");
  }
  const judgeRead = (pattern: string) =>
    judgeRequest(
      { policy: policyOf(config, "build"), approved: [], level: "ask" },
      { permission: "read", patterns: [pattern], always: [] },
    );
  expect(judgeRead("deploy/.env")).toBe("ask");
  expect(judgeRead(".env.local")).toBe("ask");
  expect(judgeRead(".env.example")).toBe("allow");
  expect(judge(config, "build", "github_search", toolPatterns.mcpReadOnly)).toBe("allow");
  expect(judge(config, "build", "github_write", toolPatterns.mcpMayChange)).toBe("ask");
  expect(judge(config, "build", "deploy", toolPatterns.custom)).toBe("ask");
  // Names that look like tool patterns allow nothing.
  expect(judge(config, "build", "edit", toolPatterns.mcpReadOnly)).toBe("ask");
  expect(judge(config, "build", "bash", toolPatterns.mcpReadOnly)).toBe("ask");
});

it("plan mode may only read and write plans", async () => {
  await using folder = await scratch();
  const { config } = await folder.open();
  expect(judge(config, "plan", "edit", "src/a.ts")).toBe("deny");
  expect(judge(config, "plan", "edit", ".landline/plans/one.md")).toBe("allow");
  expect(judge(config, "plan", "task", "general")).toBe("deny");
  expect(judge(config, "plan", "task", "explore")).toBe("allow");
  expect(judge(config, "plan", "github_write", toolPatterns.mcpMayChange)).toBe("deny");
  expect(judge(config, "plan", "github_search", toolPatterns.mcpReadOnly)).toBe("allow");
  expect(judge(config, "plan", "deploy", toolPatterns.custom)).toBe("ask");
  expect(judge(config, "plan", "plan_exit")).toBe("allow");
  expect(isOff(policyOf(config, "build"), "plan_exit")).toBe(true);
});

/** The bash tool asks about the commands of the line and the files that it writes. */
async function judgeLine(config: Config, id: string, line: string, project: string) {
  const shell = await openJudge();
  const verdict = await shell.judge(line, { cwd: project, roots: [project] });
  return judgeRequest(
    { policy: policyOf(config, id), approved: [], level: "ask" },
    bashRequest(line, verdict, shell),
  );
}

it.each([
  "ls",
  "ls -la src",
  "git log --oneline -3",
  "git status",
  "rg -n foo src",
  "cat a b",
  "find . -name x",
  "git branch",
  "rg 'a|b > c; d' src",
  "git log | head -3 && ls",
])("build, plan and the subagents run %s without asking", async (command) => {
  await using folder = await scratch();
  const { config } = await folder.open();
  for (const id of ["build", "plan", "general", "explore"])
    expect(await judgeLine(config, id, command, folder.project)).toBe("allow");
});

it.each([
  "rm -rf .",
  "lsof",
  "git push",
  "git branch -D main",
  "git remote -v add a b",
  "git log --output=x",
  "git grep -Ovi x",
  "find . -delete",
  "find . -exec rm {} ;",
  "rg --pre ./run x",
  "cat a > b",
  "ls; rm a",
  "ls && rm a",
  "ls | sh",
  "echo `rm a`",
  "echo $(rm a)",
  "diff <(rm a) b",
  "ls\nrm a",
])("build, plan and the subagents ask before %s", async (command) => {
  await using folder = await scratch();
  const { config } = await folder.open();
  for (const id of ["build", "plan", "general", "explore"])
    expect(await judgeLine(config, id, command, folder.project)).toBe("ask");
});

it("asks in plan and explore about other commands, even where the config allows everything", async () => {
  await using folder = await scratch({
    "home/.config/landline/agent.jsonc": { permission: "allow" },
  });
  const { config } = await folder.open();
  expect(await judgeLine(config, "build", "make", folder.project)).toBe("allow");
  for (const id of ["plan", "explore"]) {
    expect(await judgeLine(config, id, "make", folder.project)).toBe("ask");
    expect(await judgeLine(config, id, "ls", folder.project)).toBe("allow");
  }
});

it("keeps plan's restrictions when everything is allowed, and the user's deny rules in every agent", async () => {
  await using folder = await scratch({
    "home/.config/landline/agent.jsonc": {
      permission: { "*": "allow", bash: { "*": "allow", "ls *": "deny" } },
    },
  });
  const { config } = await folder.open();
  expect(judge(config, "build", "edit")).toBe("allow");
  expect(judge(config, "plan", "edit")).toBe("deny");
  expect(judge(config, "plan", "bash", "make")).toBe("ask");
  expect(await judgeLine(config, "plan", "cat a", folder.project)).toBe("allow");
  for (const id of ["build", "plan", "explore", "general"])
    expect(judge(config, id, "bash", "ls a")).toBe("deny");
});

it("does not offer a tool that the user denies, in plan and explore too", async () => {
  await using folder = await scratch({
    "home/.config/landline/agent.jsonc": { permission: { bash: "deny" } },
  });
  const { config } = await folder.open();
  for (const id of ["build", "plan", "explore"])
    expect(isOff(policyOf(config, id), "bash")).toBe(true);
});

it("rules for a built-in agent change its restrictions", async () => {
  await using folder = await scratch({
    "home/.config/landline/agent.jsonc": {
      agent: { plan: { permission: { edit: { "docs/*": "allow" } }, steps: 5 } },
    },
  });
  const { config } = await folder.open();
  expect(judge(config, "plan", "edit", "docs/a.md")).toBe("allow");
  expect(judge(config, "plan", "edit", "src/a.ts")).toBe("deny");
  expect(agentOf(config, "plan")).toMatchObject({ steps: 5, role: "primary" });
  expect(agentOf(config, "plan").prompt).toContain("plan mode");
});

it("does not let subagents start others or write the to-do list", async () => {
  await using folder = await scratch();
  const { config } = await folder.open();
  for (const id of ["general", "explore"]) {
    expect(isOff(policyOf(config, id), "task")).toBe(true);
    expect(isOff(policyOf(config, id), "todowrite")).toBe(true);
  }
  expect(isOff(policyOf(config, "explore"), "edit")).toBe(true);
  expect(await judgeLine(config, "explore", "ls", folder.project)).toBe("allow");
  expect(await judgeLine(config, "explore", "make", folder.project)).toBe("ask");
  expect(judge(config, "general", "edit")).toBe("ask");
});

it("reads Markdown agents of three dialects; Landline's take precedence", async () => {
  await using folder = await scratch({
    "project/.claude/agents/reviewer.md":
      "---\nname: code-reviewer\ndescription: Reviews\ntools: Read, Grep, Bash, mcp__git__log\nmodel: sonnet\n---\nReview it.",
    "project/.opencode/agent/helper.md": "---\nmode: subagent\ndescription: theirs\n---\nTheirs.",
    "project/.landline/agents/helper.md": "---\r\ndescription: ours\r\nsteps: 4\r\n---\r\nOurs.",
    "project/.landline/agents/plain.md": "No front matter.",
    "project/.landline/agents/team/writer.md":
      "---\nmode: primary\nmodel: a/b\npermission:\n  edit: deny\n---\nWrite.",
  });
  const { config } = await folder.open();
  expect(config.problems).toEqual([]);
  expect(agentOf(config, "code-reviewer")).toMatchObject({
    role: "subagent",
    model: undefined,
    prompt: "Review it.",
  });
  expect(judge(config, "code-reviewer", "read")).toBe("allow");
  expect(judge(config, "code-reviewer", "bash")).toBe("ask");
  expect(judge(config, "code-reviewer", "git_log")).toBe("ask");
  expect(judge(config, "code-reviewer", "external_directory")).toBe("ask");
  expect(isOff(policyOf(config, "code-reviewer"), "edit")).toBe(true);
  expect(isOff(policyOf(config, "code-reviewer"), "git_push")).toBe(true);
  expect(agentOf(config, "helper")).toMatchObject({
    role: "both",
    description: "ours",
    prompt: "Ours.",
    steps: 4,
  });
  expect(agentOf(config, "plain")).toMatchObject({ role: "both", prompt: "No front matter." });
  expect(agentOf(config, "team:writer")).toMatchObject({ role: "primary", model: "a/b" });
  expect(judge(config, "team:writer", "edit")).toBe("deny");
});

it("reports invalid Markdown agents, and withholds what they allow", async () => {
  await using folder = await scratch({
    "project/.landline/agents/a.md": "---\nmode: [\n---\nx",
    "project/.landline/agents/b.md": "---\nmode: other\n---\nx",
    "project/.landline/agents/c.md": "---\npermission: allow\n---\nx",
    "project/.landline/agents/d.md": `---\na: &a [x]\nb: [${Array(50).fill("*a").join(",")}]\n---\nx`,
  });
  const { config, untrustedConfig } = await folder.open();
  expect(config.agents.map((agent) => agent.id).slice(4)).toEqual(["c"]);
  expect(judge(config, "c", "edit")).toBe("ask");
  expect(untrustedConfig?.wants).toEqual([`allows everything without a question to the agent "c"`]);
  expect(config.problems.slice(0, 3)).toEqual([
    expect.stringContaining("a.md: was left out"),
    expect.stringContaining("d.md: was left out: Excessive alias count"),
    expect.stringContaining("b.md: was left out: `mode`"),
  ]);
  await folder.write(trustAll);
  expect(judge((await folder.open()).config, "c", "edit")).toBe("allow");
});

it("an untrusted project grants no rights", async () => {
  await using folder = await scratch({
    "home/.config/landline/agent.jsonc": {
      permission: { edit: "deny", webfetch: "ask" },
      agent: { reviewer: { mode: "subagent", tools: { bash: false } } },
      default_agent: "plan",
    },
    "project/landline.jsonc": {
      permission: { edit: "ask", webfetch: "allow", bash: { "*": "allow" } },
      tools: { edit: true },
      agent: {
        plan: { permission: { edit: "ask" }, tools: { write: true }, mode: "subagent" },
        explore: { permission: { edit: "ask", bash: "ask" }, disable: true },
        reviewer: { tools: { bash: true } },
      },
      default_agent: "build",
      command: { look: { template: "Look.", agent: "build" } },
    },
    "project/.landline/agents/plan.md": "---\ntools: {edit: true}\nhidden: true\n---\nEdit.",
    "project/.landline/commands/see.md": "---\nagent: build\n---\nSee.",
  });
  const { config, untrustedConfig } = await folder.open();
  expect(config.defaultMode).toBe("plan");
  expect(agentOf(config, "plan")).toMatchObject({ role: "primary", hidden: false });
  expect(agentOf(config, "explore").role).toBe("subagent");
  for (const id of ["build", "plan", "explore"]) expect(judge(config, id, "edit")).toBe("deny");
  expect(judge(config, "build", "webfetch")).toBe("ask");
  expect(judge(config, "build", "bash", "make")).toBe("ask");
  expect(judge(config, "reviewer", "bash", "make")).toBe("deny");
  // It may be stricter.
  expect(await judgeLine(config, "explore", "ls", folder.project)).toBe("ask");
  expect(config.commands.filter(({ name }) => ["look", "see"].includes(name))).toMatchObject([
    { agent: undefined },
    { agent: undefined },
  ]);
  expect(untrustedConfig?.wants).toEqual(
    expect.arrayContaining([
      "starts sessions in the mode build",
      `switches the agent "explore" off`,
      "runs its command /look in the mode build",
      "runs its command /see in the mode build",
    ]),
  );
  await untrustedConfig?.trust();
  const trusted = (await folder.open()).config;
  expect(trusted.defaultMode).toBe("build");
  expect(judge(trusted, "build", "bash", "make")).toBe("allow");
  // What the person denies stays denied.
  expect(judge(trusted, "build", "edit")).toBe("deny");
});
