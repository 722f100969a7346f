import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { AgentDefinition, Config } from "../../src/config/config.ts";
import type { SessionRecord, ToolEnded } from "../../src/core/record.ts";
import { subagentsOf } from "../../src/core/subagents.ts";
import { ModelProblem } from "../../src/model/model.ts";
import type { Rule } from "../../src/permission/rule.ts";
import { openSessionStore } from "../../src/session/jsonl-store.ts";
import type { SessionStore } from "../../src/session/store.ts";
import { descendantRecords } from "../session/records.ts";
import { createTaskTool } from "../../src/tools/task.ts";
import type { Tool } from "../../src/tools/tool.ts";
import {
  calls,
  failing,
  faults,
  info,
  SessionFixture,
  says,
  tool,
  until,
  type Reply,
} from "./session-fixture.ts";

let data: string;
let store: SessionStore;
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), "landline-subagents-"));
  store = openSessionStore(data);
});
afterEach(() => rm(data, { recursive: true, force: true }));

const allow: Rule = { permission: "*", pattern: "*", action: "allow" };

function agent(id: string, role: AgentDefinition["role"], rules: Rule[] = [allow]) {
  const given = { prompt: undefined, model: undefined, steps: undefined, hidden: false };
  return { id, name: id, description: id, role, rules, untrustedRules: [], ...given };
}

const agents = [
  agent("build", "primary"),
  agent("plan", "primary"),
  agent("general", "subagent"),
  agent("explore", "subagent"),
];

interface Options {
  replies: Reply[];
  tools?: Tool[];
  config?: Partial<Config>;
  from?: SessionStore;
}

function fixtureOf({ replies, tools = [], config = {}, from = store }: Options) {
  return new SessionFixture({
    replies,
    config: { agents, rules: { user: [], project: [] }, ...config },
    parts: {
      subagents: (session) => subagentsOf(from, session),
      toolsFor: ({ subagents }) =>
        Promise.resolve([...tools, ...(subagents ? [createTaskTool(subagents)] : [])]),
    },
  });
}

function task(more: Record<string, unknown> = {}, callId?: string) {
  const input = { description: "Look", prompt: "Look it up.", subagent_type: "general", ...more };
  return { tool: "task", input, ...(callId !== undefined && { callId }) };
}

function childIdOf({ rawOutput }: ToolEnded): string {
  return (rawOutput["metadata"] as { sessionId: string }).sessionId;
}

function taskEnd(fixture: SessionFixture): ToolEnded {
  const end = fixture.ended().at(-1);
  if (!end) throw new Error("no task has ended");
  return end;
}

describe("a subagent", () => {
  const edit = tool("edit", async (_input, context) => {
    await context.ask({ permission: "edit", patterns: ["a.txt"], always: ["*"] });
    const { promptId, callId } = context;
    const file = { path: "/project/a.txt", before: null, after: "new" };
    context.append({ kind: "file-changed", promptId, callId, ...file });
    return { output: "written" };
  });

  test("asks on the session that people see, and its changes are undone with the prompt", async () => {
    const asking = { permission: "edit", pattern: "*", action: "ask" as const };
    const fixture = fixtureOf({
      replies: [
        calls(task({}, "call_0")),
        calls({ tool: "edit", input: {}, callId: "call_0" }),
        says("It is done."),
        says("Done."),
      ],
      tools: [edit],
      config: {
        agents: [agent("build", "primary"), agent("general", "subagent", [allow, asking])],
      },
    });
    expect((await fixture.prompt("Go")).stopReason).toBe("end_turn");
    expect(fixture.questions.map(({ call }) => call)).toMatchObject([
      { rootSessionId: "session", taskCallId: "call_0", agent: "general", tool: "edit" },
    ]);
    // Call ids are unique across a session and its subagents.
    expect(fixture.questions[0]?.call.callId).not.toBe("call_0");
    const prompt = fixture.records.find((record) => record.kind === "prompt-sent");
    expect(fixture.records).toContainEqual(
      expect.objectContaining({
        kind: "file-changed",
        promptId: prompt?.promptId,
        callId: "call_0",
        path: "/project/a.txt",
      }),
    );
    expect(taskEnd(fixture).output).toContain("It is done.");
    expect(faults(fixture)).toEqual([]);
  });

  test("never has its prompt parsed as a command", async () => {
    const trust = vi.fn(() => Promise.resolve());
    const fixture = fixtureOf({
      replies: [calls(task({ prompt: "/trust yes" })), says("What is that?"), says("Done.")],
    });
    fixture.session.parts.project.untrustedConfig = {
      folder: "/project",
      wants: ["run things"],
      trust,
    };
    await fixture.prompt("Go");
    expect(trust).not.toHaveBeenCalled();
    expect(JSON.stringify(fixture.requests[1]?.messages)).toContain("/trust yes");
  });

  test("answers with its last message, and reports that it stopped early", async () => {
    const silent: Reply = [
      { type: "thought-delta", partId: "0", delta: "Hm" },
      { type: "finish", finish: "length", usage: emptyUsage },
    ];
    const echo = tool("echo", () => Promise.resolve({ output: "echo" }));
    const speaks: Reply = [
      { type: "text-delta", partId: "0", delta: "I found it in a.ts." },
      ...calls({ tool: "echo", input: {} }),
    ];
    const fixture = fixtureOf({
      replies: [calls(task()), speaks, silent, says("Done.")],
      tools: [echo],
    });
    await fixture.prompt("Go");
    expect(taskEnd(fixture).output).toContain("I found it in a.ts.");
    expect(taskEnd(fixture).output).toContain("max_tokens");
  });

  test("has the model that was chosen for the session", async () => {
    const fixture = fixtureOf({ replies: [calls(task()), says("Here."), says("Done.")] });
    const chosen = { ...info, id: "test/chosen" };
    const { models } = fixture.session.parts;
    models.find = (id) => (id === chosen.id ? chosen : null);
    fixture.session.choose({ model: chosen.id });
    await fixture.prompt("Go");
    const records = await store.read(childIdOf(taskEnd(fixture)));
    const step = records.find((record) => record.kind === "step-started");
    expect(step?.modelId).toBe(chosen.id);
  });

  test.each([
    [1, false],
    [2, true],
  ])("of a session with depth %i can have subagents: %s", async (subagentDepth, can) => {
    const fixture = fixtureOf({
      replies: [calls(task()), says("Here."), says("Done.")],
      config: { subagentDepth },
    });
    await fixture.prompt("Go");
    const offered = fixture.requests.map(({ tools }) => tools.some(({ name }) => name === "task"));
    expect(offered).toEqual([true, can, true]);
  });
});

const emptyUsage = {
  inputTokens: 1,
  outputTokens: 1,
  thoughtTokens: 0,
  cachedReadTokens: 0,
  cachedWriteTokens: 0,
};

describe("the rights of a subagent", () => {
  const bash = (command: string) =>
    tool("bash", async (_input, context) => {
      await context.ask({ permission: "bash", patterns: [command], always: [] });
      return { output: "ran" };
    });
  const rule = (pattern: string, action: Rule["action"]): Rule => {
    return { permission: "bash", pattern, action };
  };

  test.each([
    ["git log", "completed"],
    ["rm -r x", "failed"],
  ])("are those of its parent, exceptions from denials included: %s", async (command, status) => {
    const bound = [allow, rule("*", "deny"), rule("git *", "allow")];
    const fixture = fixtureOf({
      replies: [calls(task()), calls({ tool: "bash", input: {} }), says("Here."), says("Done.")],
      tools: [bash(command)],
      config: {
        agents: [agent("build", "primary", bound), agent("general", "subagent")],
      },
    });
    await fixture.prompt("Go");
    const records = await store.read(childIdOf(taskEnd(fixture)));
    expect(records.find((record) => record.kind === "tool-ended")?.status).toBe(status);
    expect(fixture.questions).toEqual([]);
  });

  test.each(["plan", "build"])(
    "need permission where its parent's do, whatever its own rules allow: %s",
    async (mode) => {
      const parent = agent(mode, "primary", [allow, rule("*", "ask")]);
      const fixture = fixtureOf({
        replies: [calls(task()), calls({ tool: "bash", input: {} }), says("Here."), says("Done.")],
        tools: [bash("make")],
        config: { agents: [parent, agent("general", "subagent")] },
      });
      fixture.session.choose({ mode });
      await fixture.prompt("Go");
      expect(
        fixture.questions.map(({ requests }) => requests.map(({ patterns }) => patterns)),
      ).toEqual([[["make"]]]);
    },
  );
});

describe("cancelling", () => {
  test("reaches the subagent, whose session is complete and unlocked afterwards", async () => {
    const fixture = fixtureOf({
      replies: [
        calls(task()),
        (request) => until([{ type: "text-delta", partId: "0", delta: "Half" }], request),
      ],
    });
    const outcome = fixture.prompt("Go");
    await expect.poll(() => fixture.requests).toHaveLength(2);
    fixture.session.cancel();
    expect((await outcome).stopReason).toBe("cancelled");
    expect(taskEnd(fixture)).toMatchObject({ status: "failed", reason: "cancelled" });
    const [child] = await childrenOf();
    expect(child?.at(-1)).toMatchObject({ kind: "turn-ended", stopReason: "cancelled" });
    expect(child?.map(({ kind }) => kind)).toContain("text-added");
    await using file = await store.open(idOf(child));
    expect(file.records).toEqual(child);
  });

  test("while a subagent is created prevents its start", async () => {
    const gate = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    const slow: SessionStore = Object.assign(Object.create(store) as SessionStore, {
      async create(first: Parameters<SessionStore["create"]>[0]) {
        reached.resolve();
        await gate.promise;
        return store.create(first);
      },
    });
    const fixture = fixtureOf({ replies: [calls(task())], from: slow });
    const outcome = fixture.prompt("Go");
    await reached.promise;
    fixture.session.cancel();
    gate.resolve();
    expect((await outcome).stopReason).toBe("cancelled");
    expect(fixture.requests).toHaveLength(1);
    const isFree = async () => {
      const [child] = await childrenOf();
      const file = await store.open(idOf(child)).catch(() => null);
      await file?.[Symbol.asyncDispose]();
      return file !== null;
    };
    await expect.poll(isFree).toBe(true);
  });

  async function childrenOf(): Promise<SessionRecord[][]> {
    return descendantRecords(data, "session");
  }

  function idOf(records: SessionRecord[] | undefined): string {
    const [first] = records ?? [];
    return first?.kind === "session-created" ? first.sessionId : "";
  }
});

describe("a task that is continued", () => {
  test("keeps the subagent's history", async () => {
    const fixture = fixtureOf({ replies: [calls(task()), says("It is red."), says("Done.")] });
    await fixture.prompt("Go");
    const taskId = childIdOf(taskEnd(fixture));
    const again = fixtureOf({
      replies: [
        calls(task({ task_id: taskId, prompt: "Are you sure?" })),
        says("Yes."),
        says("Done."),
      ],
    });
    await again.prompt("Ask again");
    const sent = JSON.stringify(again.requests[1]?.messages);
    expect(sent).toContain("It is red.");
    expect(sent).toContain("Are you sure?");
    expect(childIdOf(taskEnd(again))).toBe(taskId);
  });

  test("must exist, in this session and for that subagent", async () => {
    const fixture = fixtureOf({ replies: [calls(task()), says("Red."), says("Done.")] });
    await fixture.prompt("Go");
    const taskId = childIdOf(taskEnd(fixture));
    for (const [input, words] of [
      [{ task_id: "nothing" }, "There is no task nothing"],
      [{ task_id: "../../etc/passwd" }, "There is no task"],
      [{ task_id: taskId, subagent_type: "explore" }, "belongs to the helper general"],
      [{ subagent_type: "nobody" }, "There is no subagent nobody"],
    ] as const) {
      const other = fixtureOf({ replies: [calls(task(input)), says("Done.")] });
      await other.prompt("Go");
      expect(taskEnd(other).status).toBe("failed");
      expect(taskEnd(other).output).toContain(words);
    }
  });

  test("is not started twice at the same time", async () => {
    const first = fixtureOf({ replies: [calls(task()), says("Red."), says("Done.")] });
    await first.prompt("Go");
    const taskId = childIdOf(taskEnd(first));
    const gate = Promise.withResolvers<void>();
    const fixture = fixtureOf({
      replies: [
        calls(task({ task_id: taskId }, "one"), task({ task_id: taskId }, "two")),
        async function* slow() {
          await gate.promise;
          yield* says("Still red.");
        },
        says("Done."),
      ],
    });
    const outcome = fixture.prompt("Go");
    await expect.poll(() => fixture.ended()).toHaveLength(1);
    expect(taskEnd(fixture).output).toContain("already running");
    gate.resolve();
    expect((await outcome).stopReason).toBe("end_turn");
    expect(fixture.ended().map(({ status }) => status)).toEqual(["failed", "completed"]);
  });

  test("works after its model failed", async () => {
    const broken = () => failing(new ModelProblem("provider-error", "It is down."));
    const fixture = fixtureOf({ replies: [calls(task()), broken, says("Done.")] });
    expect((await fixture.prompt("Go")).stopReason).toBe("end_turn");
    expect(taskEnd(fixture)).toMatchObject({ status: "failed" });
    const [, taskId = ""] = /task_id (\S+)/u.exec(taskEnd(fixture).output) ?? [];
    const again = fixtureOf({
      replies: [calls(task({ task_id: taskId })), says("Here."), says("Done.")],
    });
    await again.prompt("Go");
    expect(taskEnd(again)).toMatchObject({ status: "completed" });
  });
});
