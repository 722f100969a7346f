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
import { calls, Rig, says, tool, until, usage, type Reply } from "./session-fixture.ts";

let data: string;
let store: SessionStore;
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), "landline-spending-"));
  store = openSessionStore(data);
});
afterEach(() => rm(data, { recursive: true, force: true }));

function rigOf(options: { replies: Reply[]; tools?: Tool[]; config?: Partial<Config> }): Rig {
  const { replies, tools = [], config = {} } = options;
  return new Rig({
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

function childIdOf(rig: Rig): string {
  const metadata = rig.ended().at(-1)?.rawOutput["metadata"];
  return (metadata as { sessionId: string }).sessionId;
}

describe("what a helper spends", () => {
  const spent = (times: number) => ({
    ...usage,
    inputTokens: times * usage.inputTokens,
    outputTokens: times * usage.outputTokens,
  });
  const cost = (times: number) => ({
    amount: expect.closeTo(times * 0.0002, 10) as number,
    currency: "USD",
  });

  test("counts for all that it works for, and is the same when the records are read again", async () => {
    const rig = rigOf({
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
    await rig.prompt("Hi");
    const outcome = await rig.prompt("Go");
    expect(outcome).toEqual({ stopReason: "end_turn", usage: spent(5) });
    const { state } = rig.session;
    expect(state.usage).toEqual(spent(6));
    expect(state.cost).toEqual(cost(6));
    const again = foldRecords([state.created, ...rig.records]);
    expect(again).toMatchObject({ usage: state.usage, cost: state.cost });
    const child = foldRecords(await store.read(childIdOf(rig)));
    expect(child).toMatchObject({ usage: spent(3), cost: cost(3) });
  });

  test("is shown while it works, beside the parent's own context", async () => {
    const wide = { ...usage, inputTokens: 5_000 };
    const looks: Reply = [{ type: "text-delta", partId: "0", delta: "Here." }];
    const rig = rigOf({
      replies: [
        calls(task()),
        [...looks, { type: "finish", finish: "stop", usage: wide }],
        says("Done."),
      ],
    });
    await rig.prompt("Go");
    const shown = rig.own.flatMap((event) => (event.kind === "context-measured" ? [event] : []));
    expect(shown.map(({ used }) => used)).toEqual([110, 110, 110]);
    const amounts = [0.0002, 0.0002 + 0.0051, 0.0004 + 0.0051];
    expect(shown.map((event) => event.cost?.amount)).toEqual(
      amounts.map((amount) => expect.closeTo(amount, 10) as number),
    );
  });

  test("counts when the helper fails or is stopped", async () => {
    const echo = tool("echo", () => Promise.resolve({ output: "echo" }));
    const stop = new AbortController();
    const rig = rigOf({
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
    const outcome = await rig.prompt("Go", stop.signal);
    expect(outcome).toEqual({ stopReason: "cancelled", usage: spent(2) });
    expect(rig.session.state.usage).toEqual(spent(2));
  });
});
