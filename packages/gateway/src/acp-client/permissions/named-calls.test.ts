import { describe, expect, it } from "vitest";
import { NamedCalls } from "./named-calls.ts";

const call = (toolCallId: string, more: object = {}) => ({
  sessionUpdate: "tool_call",
  toolCallId,
  title: "Run",
  ...more,
});
const update = (toolCallId: string, more: object) => ({
  sessionUpdate: "tool_call_update",
  toolCallId,
  ...more,
});
const run = (command: string) => ({ kind: "execute", rawInput: { command } });
const linesOf = (calls: NamedCalls, toolCallId: string, child: string | null = null) =>
  calls.asked({ toolCallId }, child).commands.map(({ line }) => line);

describe("the names of a call", () => {
  it("come from all its updates and its request", () => {
    const calls = new NamedCalls();
    calls.note(call("1", { ...run("rm -rf build"), locations: [{ path: "/etc/passwd" }] }), null);
    calls.note(update("1", { title: "Tests", rawInput: { command: "npm test" } }), null);
    calls.note(update("1", { content: [{ type: "diff", path: "b", newText: "" }] }), null);
    const asked = {
      toolCallId: "1",
      kind: "edit",
      name: "Write",
      locations: [{ path: "a" }],
    } as const;
    expect(calls.asked({ ...asked, locations: [...asked.locations] }, null)).toMatchObject({
      kinds: ["execute", "edit"],
      names: ["Write"],
      titles: ["Run", "Tests"],
      paths: ["/etc/passwd", "b", "a"],
      commands: [{ line: "rm -rf build" }, { line: "npm test" }],
      hasDiff: true,
      unknown: [],
    });
  });

  it("are the same object while nothing new is named", () => {
    const calls = new NamedCalls();
    calls.note(call("1", run("ls")), null);
    const names = calls.asked({ toolCallId: "1" }, null);
    calls.note(update("1", { status: "in_progress", rawInput: { command: "ls" } }), null);
    expect(calls.asked({ toolCallId: "1" }, null)).toBe(names);
  });

  it("belong to one call: another id, another child or another turn is separate", () => {
    const calls = new NamedCalls();
    calls.note(call("1", run("rm x")), null);
    expect(linesOf(calls, "2")).toEqual([]);
    expect(linesOf(calls, "1", "child")).toEqual([]);
    calls.endTurn();
    expect(linesOf(calls, "1")).toEqual([]);
  });

  it("start again when the id of an ended call is reused", () => {
    const calls = new NamedCalls();
    calls.note(call("1", run("rm x")), null);
    calls.note(call("1", run("ls")), null);
    expect(linesOf(calls, "1")).toEqual(["rm x", "ls"]);
    calls.note(update("1", { status: "completed" }), null);
    expect(linesOf(calls, "1")).toEqual(["rm x", "ls"]);
    calls.note(update("1", run("pwd")), null);
    expect(linesOf(calls, "1")).toEqual(["rm x", "ls", "pwd"]);
    calls.note(call("1", run("cat a")), null);
    expect(linesOf(calls, "1")).toEqual(["cat a"]);
  });

  it("are incomplete if a request has the id of an ended call", () => {
    const calls = new NamedCalls();
    calls.note(call("1", run("npm test")), null);
    expect(calls.asked({ toolCallId: "1" }, null).unread).toEqual([]);
    calls.note(update("1", { status: "completed" }), null);
    const ended = ["an ended call has the same id"];
    const names = calls.asked({ toolCallId: "1", title: "Deploy" }, null);
    expect(names).toMatchObject({ unread: ended, commands: [{ line: "npm test" }] });
    expect(calls.asked({ toolCallId: "1", title: "Deploy" }, null)).toBe(names);
    calls.note(call("1", run("npm test")), null);
    expect(calls.asked({ toolCallId: "1" }, null).unread).toEqual([]);
  });

  it("include the seeds' spellings", () => {
    const calls = new NamedCalls();
    const toolCall = { id: "1", name: "bash", input: { command: "rm x" } };
    calls.note({ type: "tool_call", content: { toolCall } }, null);
    calls.note({ toolCallId: "1", title: "bash", rawInput: { cmd: "ls" } }, null);
    expect(linesOf(calls, "1")).toEqual(["rm x", "ls"]);
  });

  const tooMany = ["it names more than can be stored"];

  it("are bounded, and report it", () => {
    const calls = new NamedCalls();
    for (let index = 0; index < 2_100; index += 1)
      calls.note(update("1", { locations: [{ path: `f${index}` }] }), null);
    const { unread, paths } = calls.asked({ toolCallId: "1" }, null);
    expect(unread).toEqual(tooMany);
    expect(paths).toHaveLength(2_000);
  });

  it("keep the most important ones, in any order", () => {
    const calls = new NamedCalls();
    const paths = Array.from({ length: 2_001 }, (_, index) => `f${index}`);
    calls.note(call("1", { kind: "other", rawInput: { paths, pad: "x".repeat(300_000) } }), null);
    const asked = { toolCallId: "1", name: "run", rawInput: { command: "rm x", more: "y" } };
    const names = calls.asked(asked, null);
    expect(names).toMatchObject({
      kinds: ["other"],
      names: ["run"],
      commands: [{ line: "rm x" }],
      others: [],
      unread: tooMany,
    });
    expect(names.paths).toEqual(paths.slice(0, 1_997));
    expect(calls.asked(asked, null)).toBe(names);
  });

  const forgotten = [expect.stringMatching(/^too much was named in this turn/)];
  const fill = (calls: NamedCalls, status = "pending") => {
    for (let index = 0; index < 1_000; index += 1) calls.note(call(`${index}`, { status }), null);
  };

  it("are incomplete for a call that was dropped, whatever comes later", () => {
    const calls = new NamedCalls();
    calls.note(call("first", run("rm x")), null);
    fill(calls);
    expect(calls.asked({ toolCallId: "999" }, null).unread).toEqual([]);
    const names = calls.asked({ toolCallId: "first" }, null);
    expect(names).toMatchObject({ commands: [], unread: forgotten });
    expect(calls.asked({ toolCallId: "first" }, null)).toBe(names);
    for (const message of [update("0", run("ls")), call("1", run("ls"))]) {
      calls.note(message, null);
      expect(calls.asked({ toolCallId: message.toolCallId }, null).unread).toEqual(forgotten);
    }
    calls.endTurn();
    expect(calls.asked({ toolCallId: "first" }, null).unread).toEqual([]);
  });

  it("are complete in a long turn, because ended calls are dropped first", () => {
    const calls = new NamedCalls();
    calls.note(call("open", run("rm x")), null);
    fill(calls, "completed");
    calls.note(call("fresh", run("ls")), null);
    expect(linesOf(calls, "open")).toEqual(["rm x"]);
    expect(calls.asked({ toolCallId: "fresh" }, null).unread).toEqual([]);
    expect(calls.asked({ toolCallId: "0" }, null).unread).toEqual(forgotten);
  });

  it("have a bounded size per turn", () => {
    const calls = new NamedCalls();
    const script = "x".repeat(190_000);
    for (let index = 0; index < 30; index += 1)
      calls.note(call(`${index}`, { rawInput: { script: `${script}${index}` } }), null);
    const kept = Array.from({ length: 30 }, (_, index) =>
      calls.asked({ toolCallId: `${index}` }, null),
    ).filter(({ others }) => others.length > 0);
    expect(kept).toHaveLength(21);
  });
});
