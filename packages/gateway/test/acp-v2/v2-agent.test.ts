import * as path from "node:path";
import type { SessionEvent } from "@landline/protocol";
import { scriptedAgentCommand } from "@landline/testing";
import { describe, expect, test } from "vitest";
import { ScriptedGateway, turn, Watcher, text } from "../sessions/scripted-gateway.ts";

/** A gateway whose agent `v2` speaks version 2 of ACP. */
function openGateway(): Promise<ScriptedGateway> {
  const program = path.join(import.meta.dirname, "v2-agent.ts");
  const agent = { id: "v2", command: process.execPath, args: [program], acpVersion: 2 as const };
  return ScriptedGateway.open({}, {}, { agents: [agent] });
}

function updatesOf(events: readonly SessionEvent[], kind: string) {
  return events.flatMap((event) =>
    event.kind === "update" && event.update["sessionUpdate"] === kind ? [event.update] : [],
  );
}

describe("an agent that speaks version 2 of ACP", () => {
  test("says something, and its message is completed, not repeated", async () => {
    await using gateway = await openGateway();
    const session = await gateway.openSession("v2");
    using watcher = new Watcher(session);
    const ended = await turn(session, watcher, "hello");
    expect(ended.stopReason).toBe("end_turn");
    expect(watcher.said).toBe("Hello yourself. Bye.");
    // The gateway logged the prompt itself.
    expect(updatesOf(watcher.events, "user_message_chunk")).toEqual([]);
    const [commands] = updatesOf(watcher.events, "available_commands_update");
    expect(commands?.["availableCommands"]).toEqual([
      { name: "plan", description: "Make a plan", input: { hint: "what for" } },
    ]);
  });

  test("asks for permission, shows a diff, a terminal and a plan", async () => {
    await using gateway = await openGateway();
    const session = await gateway.openSession("v2");
    using watcher = new Watcher(session);
    await session.prompt("p1", text("tools"), "tester");
    const asked = await watcher.until("ask-opened");
    if (asked.ask !== "permission") throw new Error("not a permission request");
    expect(asked.toolCall).toMatchObject({ toolCallId: "t1", title: "Edit a.txt?" });
    await session.answer(asked.askId, { outcome: "selected", optionId: "yes" }, "tester");
    const ended = await watcher.until("turn-ended");
    expect(ended.stopReason).toBe("end_turn");
    const [edit, run] = updatesOf(watcher.events, "tool_call");
    expect([edit?.["title"], run?.["title"]]).toEqual(["Edit a.txt", "Run make"]);
    const changes = updatesOf(watcher.events, "tool_call_update");
    expect(changes.find(({ toolCallId }) => toolCallId === "t1")).toMatchObject({
      status: "completed",
      content: [{ type: "diff", path: "/p/a.txt", oldText: "same\nold", newText: "same\nnew" }],
    });
    const outputs = changes.filter(({ toolCallId, content }) => toolCallId === "t2" && content);
    expect(outputs.at(-1)?.["content"]).toEqual([
      { type: "content", content: { type: "text", text: "one\ntwo\n" } },
    ]);
    const [plan] = updatesOf(watcher.events, "plan");
    expect(plan?.["entries"]).toEqual([{ content: "Step", priority: "high", status: "pending" }]);
  });

  test("is cancelled, and takes the next prompt", async () => {
    await using gateway = await openGateway();
    const session = await gateway.openSession("v2");
    using watcher = new Watcher(session);
    await session.prompt("p1", text("wait"), "tester");
    await watcher.until(
      "update",
      ({ update }) => update["sessionUpdate"] === "agent_message_chunk",
    );
    await session.cancel("tester");
    expect((await watcher.until("turn-ended")).stopReason).toBe("cancelled");
    expect((await turn(session, watcher, "hello")).stopReason).toBe("end_turn");
  });

  test("reports its failure with its own message", async () => {
    await using gateway = await openGateway();
    const session = await gateway.openSession("v2");
    using watcher = new Watcher(session);
    const ended = await turn(session, watcher, "fail");
    expect(ended.stopReason).toBe("failed");
    expect(ended.error?.message).toContain("The model is out");
  });

  test("is resumed after a restart of the gateway, with its options", async () => {
    await using gateway = await openGateway();
    const session = await gateway.openSession("v2");
    using watcher = new Watcher(session);
    await turn(session, watcher, "hello");
    await session.setConfig("level", "high", "tester");
    const { configOptions } = await session.view();
    expect(configOptions).toMatchObject([
      { id: "level", currentValue: "high", options: [{ group: "g", name: "Group" }] },
    ]);
    await gateway.restart();
    const again = await gateway.sessions.get(session.id);
    using later = new Watcher(again);
    const ended = await turn(again, later, "hello");
    expect(ended.stopReason).toBe("end_turn");
    const starts = later.events.filter((event) => event.kind === "agent-started");
    expect(starts.map(({ how }) => how)).toEqual(["new", "resume"]);
  });
});

test("an agent that answers in version 1 is used in version 1", async () => {
  await using gateway = await ScriptedGateway.open({
    agent: { turns: [{ match: "hello", steps: [{ say: "Hello." }] }] },
  });
  const file = path.join(gateway.folder, "agent.json");
  await gateway.stop();
  await gateway.start({ agents: [{ id: "old", ...scriptedAgentCommand(file), acpVersion: 2 }] });
  const session = await gateway.openSession("old");
  using watcher = new Watcher(session);
  await turn(session, watcher, "hello");
  expect(watcher.said).toBe("Hello.");
});
