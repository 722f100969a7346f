import type { EventBody } from "@landline/protocol";
import { describe, expect, it } from "vitest";
import { memoryLogs } from "../log/memory.ts";
import { openDerived } from "./derived.ts";
import { rebuild } from "./rebuild.ts";
import { opened, prompt, says, turnEnd, update } from "./sample-events.ts";

const long = (first: string) => `${first} ${"äöü ".repeat(100_000)} ending`;

describe("texts that were too long for the log", () => {
  it("can be searched for as far as any text can", async () => {
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

    using derived = openDerived(":memory:");
    expect((await rebuild(derived, logs)).problems).toEqual([]);
    const kindsOf = (query: string) =>
      derived.search(query).map(({ kind, seq }) => `${kind} ${seq}`);
    expect(kindsOf("question aou")).toEqual(["prompt 2"]);
    expect(kindsOf("pasted notes.txt")).toEqual(["prompt 3"]);
    expect(kindsOf("answer")).toEqual(["message 4"]);
    expect(kindsOf("ending")).toEqual([]);
    expect(derived.applied("s")).toBe(6);
  });
});
