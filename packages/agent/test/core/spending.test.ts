import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Config } from "../../src/config/config.ts";
import { foldRecords } from "../../src/core/state.ts";
import { subagentsOf } from "../../src/core/subagents.ts";
import { openSessionStore } from "../../src/session/jsonl-store.ts";
import type { SessionStore } from "../../src/session/store.ts";
import { createTaskTool } from "../../src/tools/task.ts";
import type { Tool } from "../../src/tools/tool.ts";
import { calls, SessionFixture, says, tool, until, usage, type Reply } from "./session-fixture.ts";

let data: string;
let store: SessionStore;
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), "landline-spending-"));
  store = openSessionStore(data);
});
afterEach(() => rm(data, { recursive: true, force: true }));

function fixtureOf(options: {
  replies: Reply[];
  tools?: Tool[];
  config?: Partial<Config>;
}): SessionFixture {
  const { replies, tools = [], config = {} } = options;
  return new SessionFixture({
    replies,
    config,
    parts: {
      subagents: (session) => subagentsOf(store, session),
      toolsFor: ({ subagents }) =>
        Promise.resolve([...tools, ...(subagents ? [createTaskTool(subagents)] : [])]),
    },
  });
}

function task() {
  const input = { description: "Look", prompt: "Look it up.", subagent_type: "general" };
  return { tool: "task", input };
}

function childIdOf(fixture: SessionFixture): string {
  const metadata = fixture.ended().at(-1)?.rawOutput["metadata"];
  return (metadata as { sessionId: string }).sessionId;
}

describe("the cost of a subagent", () => {
  const spent = (times: number) => ({
    ...usage,
    inputTokens: times * usage.inputTokens,
    outputTokens: times * usage.outputTokens,
  });
  const cost = (times: number) => ({
    amount: expect.closeTo(times * 0.0002, 10) as number,
    currency: "USD",
  });

  test("is added to all its parents, and is the same when the records are read again", async () => {
    const fixture = fixtureOf({
      replies: [
        says("Hello."),
        calls(task()),
        calls(task()),
        says("Deep."),
        says("Here."),
        says("Done."),
      ],
      config: { subagentDepth: 2 },
    });
    await fixture.prompt("Hi");
    const outcome = await fixture.prompt("Go");
    expect(outcome).toEqual({ stopReason: "end_turn", usage: spent(5) });
    const { state } = fixture.session;
    expect(state.usage).toEqual(spent(6));
    expect(state.cost).toEqual(cost(6));
    const again = foldRecords([state.created, ...fixture.records]);
    expect(again).toMatchObject({ usage: state.usage, cost: state.cost });
    const child = foldRecords(await store.read(childIdOf(fixture)));
    expect(child).toMatchObject({ usage: spent(3), cost: cost(3) });
  });

  test("is shown while it works, beside the parent's own context", async () => {
    const wide = { ...usage, inputTokens: 5_000 };
    const looks: Reply = [{ type: "text-delta", partId: "0", delta: "Here." }];
    const fixture = fixtureOf({
      replies: [
        calls(task()),
        [...looks, { type: "finish", finish: "stop", usage: wide }],
        says("Done."),
      ],
    });
    await fixture.prompt("Go");
    const shown = fixture.own.flatMap((event) =>
      event.kind === "context-measured" ? [event] : [],
    );
    expect(shown.map(({ used }) => used)).toEqual([110, 110, 110]);
    const amounts = [0.0002, 0.0002 + 0.0051, 0.0004 + 0.0051];
    expect(shown.map((event) => event.cost?.amount)).toEqual(
      amounts.map((amount) => expect.closeTo(amount, 10) as number),
    );
  });

  test("is counted if the subagent fails or is stopped", async () => {
    const echo = tool("echo", () => Promise.resolve({ output: "echo" }));
    const stop = new AbortController();
    const fixture = fixtureOf({
      replies: [
        calls(task()),
        calls({ tool: "echo", input: {} }),
        (request) => {
          stop.abort();
          return until([], request);
        },
      ],
      tools: [echo],
    });
    const outcome = await fixture.prompt("Go", stop.signal);
    expect(outcome).toEqual({ stopReason: "cancelled", usage: spent(2) });
    expect(fixture.session.state.usage).toEqual(spent(2));
  });
});
