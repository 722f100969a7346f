import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { rpc, update, Wire } from "./test-peer.ts";

let wire: Wire;
beforeEach(() => {
  wire = new Wire();
});
afterEach(() => wire.connection.destroy());

describe("the gateway's calls", () => {
  test("are numbered from 0, answered by id, in any order", async () => {
    const first = wire.connection.request("_a", { x: 1 });
    const second = wire.connection.request("_b", {});
    expect(await wire.sent()).toEqual([
      { ...rpc, id: 0, method: "_a", params: { x: 1 } },
      { ...rpc, id: 1, method: "_b", params: {} },
    ]);
    await wire.say({ ...rpc, id: 1, result: "two" }, { ...rpc, id: 0, result: "one" });
    expect(await first).toBe("one");
    expect(await second).toBe("two");
  });

  test("fail with the code for the agent's error", async () => {
    const load = wire.outcome("session/load");
    await wire.say({
      ...rpc,
      id: 0,
      error: { code: -32002, message: "Session not found", data: { sessionId: "x" } },
    });
    expect((await load).error).toMatchObject({
      code: "session-not-found",
      data: { agentCode: -32002 },
    });
    const prompt = wire.outcome("session/prompt");
    await wire.say({ ...rpc, id: 1, error: { code: -32000, message: "Please sign in" } });
    expect((await prompt).error).toMatchObject({ code: "auth-required" });
  });

  const wrong: [string, object][] = [
    ["both result and error", { result: {}, error: { code: 1, message: "x" } }],
    ["neither result nor error", {}],
    ["an error without a message", { error: { code: 1 } }],
    ["an error without a code", { error: { message: "x" } }],
    ["an error that is a string", { error: "x" }],
    ["an invalid result", { result: { session: "s" } }],
    ["a result that is not an object", { result: 5 }],
  ];
  test.each(wrong)("fail individually if the response has %s", async (_, body) => {
    const broken = wire.outcome("session/new");
    const fine = wire.outcome("session/new");
    await wire.say({ ...rpc, id: 0, ...body }, { ...rpc, id: 1, result: { sessionId: "s" } });
    expect((await broken).error).toMatchObject({ code: "agent-protocol-error" });
    expect(await fine).toEqual({ result: { sessionId: "s" } });
    expect(wire.noises).toHaveLength(1);
  });

  test("a response to a request that was not made is noise, and nothing else happens", async () => {
    const open = wire.connection.request("_x", {});
    await wire.say(
      { ...rpc, id: 77, result: {} },
      { ...rpc, id: "0", result: "text ids are other ids" },
      { ...rpc, id: 0, result: 1 },
    );
    expect(await open).toBe(1);
    expect(wire.noises[0]).toMatchObject({
      count: 2,
      reason: "a response to a request that was not made",
    });
  });

  test("a second response to the same request is noise", async () => {
    const open = wire.connection.request("_x", {});
    await wire.say({ ...rpc, id: 0, result: 1 }, { ...rpc, id: 0, result: 2 });
    expect(await open).toBe(1);
    expect(wire.noises[0]).toMatchObject({ count: 1 });
  });

  test("a response with a NUL, or bytes that are not UTF-8, fails its request", async () => {
    const first = wire.outcome("_x");
    const second = wire.outcome("_x");
    await wire.say('{"jsonrpc":"2.0","id":0,"result":{"a":"\\u0000"}}');
    wire.fromAgent.write(
      Buffer.concat([
        Buffer.from('{"jsonrpc":"2.0","id":1,"result":{"a":"'),
        Buffer.from([0xff]),
        Buffer.from('"}}\n'),
      ]),
    );
    expect((await first).error).toMatchObject({ code: "agent-protocol-error" });
    expect((await second).error).toMatchObject({ code: "agent-protocol-error" });
  });

  test("time out, cancel the request, and ignore a late response", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const slow = wire.outcome("initialize", {}, { timeoutMs: 30_000 });
      vi.advanceTimersByTime(30_000);
      expect((await slow).error).toMatchObject({
        code: "timeout",
        message: expect.stringContaining("initialize within 30000 ms"),
      });
    } finally {
      vi.useRealTimers();
    }
    expect((await wire.sent())[1]).toEqual({
      ...rpc,
      method: "$/cancel_request",
      params: { requestId: 0 },
    });
    await wire.say({ ...rpc, id: 0, result: { protocolVersion: 1 } });
    expect(wire.noises).toEqual([]);
  });

  test("can be cancelled, and still wait for the response", async () => {
    const settled = vi.fn();
    const id = wire.connection.call("session/prompt", {}, {}, settled);
    wire.connection.cancel(id!);
    expect((await wire.sent())[1]).toEqual({
      ...rpc,
      method: "$/cancel_request",
      params: { requestId: 0 },
    });
    expect(settled).not.toHaveBeenCalled();
    await wire.say({ ...rpc, id: 0, error: { code: -32800, message: "cancelled" } });
    expect(settled).toHaveBeenCalledWith({
      error: expect.objectContaining({ code: "request-cancelled" }),
    });
  });

  test("all fail when the agent exits, after its output is handled", async () => {
    wire.connection.call("_x", {}, {}, ({ error }) => wire.seen.push(["settled", error?.code]));
    wire.fromAgent.end(`${JSON.stringify(update(1))}\n${JSON.stringify(update(2))}`);
    await once(wire.fromAgent, "close");
    expect(wire.messages).toEqual([
      ["update", "s", 1],
      ["update", "s", 2],
      ["settled", "connection-lost"],
      ["closed", null],
    ]);
    await expect(wire.connection.request("_late", {})).rejects.toMatchObject({
      code: "connection-lost",
    });
  });
});
