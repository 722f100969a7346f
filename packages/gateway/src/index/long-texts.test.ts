import type { EventBody } from "@landline/protocol";
import { describe, expect, it } from "vitest";
import { memoryLogs } from "../../test/log/memory.ts";
import { openIndexDatabase } from "./index-database.ts";
import { rebuild } from "./rebuild.ts";
import {
  opened,
  prompt,
  says,
  toolCall,
  toolUpdate,
  turn,
  turnEnd,
  update,
} from "../../test/index/sample-events.ts";

const long = (first: string) => `${first} ${"äöü ".repeat(100_000)} ending`;

describe("texts that were too long for the log", () => {
  it("can be searched like any text", async () => {
    await using logs = memoryLogs();
    const log = await logs.create("s");
    const link = { type: "resource_link", uri: "file:///notes.txt", name: "notes" };
    const mixed = { ...prompt("", "p2"), content: [link, { type: "text", text: long("pasted") }] };
    log.append([
      opened,
      prompt(long("question"), "p1"),
      mixed as EventBody,
      says(long("answer")),
      turnEnd(),
      update({
        sessionUpdate: "agent_message_chunk",
        content: { type: "text", text: { $blob: "none" } },
      }),
    ]);
    let text = "";
    for await (const chunk of log.read(0)) text += chunk.bytes.toString();
    expect(text.match(/\$blob/g)).toHaveLength(4);

    using indexDatabase = openIndexDatabase(":memory:");
    expect((await rebuild(indexDatabase, logs)).problems).toEqual([]);
    const kindsOf = (query: string) =>
      indexDatabase.search(query).map(({ kind, seq }) => `${kind} ${seq}`);
    expect(kindsOf("question aou")).toEqual(["prompt 2"]);
    expect(kindsOf("pasted notes.txt")).toEqual(["prompt 3"]);
    expect(kindsOf("answer")).toEqual(["message 4"]);
    expect(kindsOf("ending")).toEqual([]);
    expect(indexDatabase.applied("s")).toBe(6);
  });

  it("are part of what a tool call names, unless they are only displayed or written", async () => {
    await using logs = memoryLogs();
    const log = await logs.create("s");
    const patch = `*** Update File: src/a.ts\n${"x".repeat(300_000)}`;
    const asked: EventBody = {
      kind: "ask-opened",
      askId: "a",
      ask: "permission",
      toolCall: { toolCallId: "3", title: "Ask", rawInput: { steps: [{ code: long("shred") }] } },
      options: [],
    };
    log.append([
      opened,
      turn(),
      toolCall("1", { rawInput: { command: long("rm"), content: long("written") } }),
      toolUpdate("1", { rawInput: { command: "ls" }, status: "completed" }),
      update({ sessionUpdate: "tool_call", id: "2", name: "patch", input: { patch } }),
      asked,
      toolCall("4", { rawInput: { path: "/a", content: long("written") } }),
      toolCall("5", { rawInput: { content: { $blob: "0".repeat(64), bytes: 1, command: "rm" } } }),
    ]);
    using indexDatabase = openIndexDatabase(":memory:");
    expect((await rebuild(indexDatabase, logs)).problems).toEqual([]);
    const details = indexDatabase.audit().entries.map(({ detail }) => detail);
    expect(details).toMatchObject([
      { commands: [expect.stringMatching(/^rm äöü/)], truncated: true },
      { commands: [expect.stringMatching(/^rm äöü/), "ls"], truncated: true },
      { paths: ["src/a.ts"], truncated: true },
      { mayBeCommandsOrPaths: [expect.stringMatching(/^shred äöü/)], truncated: true },
      { paths: ["/a"] },
      { commands: ["rm"] },
    ]);
    expect(details.at(-2)).not.toHaveProperty("truncated");
    expect(details.at(-2)).not.toHaveProperty("mayBeCommandsOrPaths");
    expect(indexDatabase.search("written")).toEqual([]);
    expect(indexDatabase.search("shred").map(({ seq }) => seq)).toEqual([6]);
  });
});
