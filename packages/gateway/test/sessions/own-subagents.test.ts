import { emptyView, fold } from "@landline/protocol";
import { expect, test } from "vitest";
import { turn, Watcher } from "./scripted-gateway.ts";
import { openBuiltInAgentGateway } from "./own-agent.ts";

test("each subagent of the built-in agent is listed once from its first update", async () => {
  await using gateway = await openBuiltInAgentGateway();
  const session = await gateway.openSession("landline");
  using watcher = new Watcher(session);
  await turn(session, watcher, "delegate: list and delegate: find *");
  let view = emptyView();
  const counts: number[] = [];
  for (const event of watcher.events) {
    view = fold(view, [event]);
    counts.push(view.subagents.length);
  }
  expect(Math.max(...counts)).toBe(2);
  const calls = view.items.flatMap((item) => (item.type === "tool-call" ? [item.toolCallId] : []));
  expect(new Set(view.subagents.map(({ toolCallId }) => toolCallId))).toEqual(new Set(calls));
  for (const subagent of view.subagents) {
    expect(subagent.items).not.toEqual([]);
    expect(subagent.state).toBe("completed");
  }
});
