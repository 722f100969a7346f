import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { LandlineError } from "@landline/protocol";
import { rpc, update, Wire } from "./test-peer.ts";

let wire: Wire;
beforeEach(() => {
  wire = new Wire();
});
afterEach(() => wire.connection.destroy());

describe("the agent's requests", () => {
  const readFile = {
    ...rpc,
    id: 1,
    method: "fs/read_text_file",
    params: { sessionId: "s", path: "/a" },
  };

  test("are answered once", async () => {
    wire.onRequest = (request) => {
      request.answer({ content: "text" });
      request.answer({ content: "again" });
      request.fail(new LandlineError("internal-error"));
    };
    await wire.say(readFile);
    expect(await wire.sent()).toEqual([{ ...rpc, id: 1, result: { content: "text" } }]);
  });

  test("have ids that are independent of the gateway's", async () => {
    const ours = wire.connection.request("_ours", {});
    wire.onRequest = (request) => request.answer({});
    await wire.say(
      { ...readFile, id: 0 },
      { ...readFile, id: "0" },
      { ...rpc, id: 0, result: "ours" },
    );
    expect(await ours).toBe("ours");
    expect((await wire.sent()).map(({ id, result }) => [id, result])).toEqual([
      [0, undefined],
      [0, {}],
      ["0", {}],
    ]);
  });

  test("an open id can't be used twice", async () => {
    await wire.say(readFile, readFile);
    expect(await wire.sent()).toMatchObject([{ id: 1, error: { code: -32600 } }]);
    wire.requests[0]?.answer({ content: "" });
    expect(await wire.sent()).toHaveLength(2);
  });

  test("whose handler throws or rejects are answered with an error without details", async () => {
    wire.onRequest = () => {
      throw new Error("secret detail /etc/passwd");
    };
    await wire.say(readFile);
    wire.onRequest = () =>
      Promise.reject(new LandlineError("file-not-found", { data: { path: "/a" } }));
    await wire.say({ ...readFile, id: 2 });
    const [thrown, rejected] = await wire.sent();
    expect(thrown).toMatchObject({
      id: 1,
      error: { code: -32603, data: { reason: "internal-error" } },
    });
    expect(JSON.stringify(thrown)).not.toContain("secret");
    expect(rejected).toMatchObject({
      id: 2,
      error: { code: -32002, data: { reason: "file-not-found", code: -31700, path: "/a" } },
    });
  });

  const refusals: [string, object | string, number, number | null][] = [
    [
      "a missing field",
      { ...rpc, id: 1, method: "fs/read_text_file", params: { sessionId: "s" } },
      -32602,
      1,
    ],
    [
      "a field of the wrong type",
      {
        ...rpc,
        id: 1,
        method: "fs/write_text_file",
        params: { sessionId: "s", path: "/a", content: 5 },
      },
      -32602,
      1,
    ],
    [
      "a number out of range",
      {
        ...rpc,
        id: 1,
        method: "fs/read_text_file",
        params: { sessionId: "s", path: "/a", line: -1 },
      },
      -32602,
      1,
    ],
    [
      "a fractional number",
      {
        ...rpc,
        id: 1,
        method: "fs/read_text_file",
        params: { sessionId: "s", path: "/a", limit: 1.5 },
      },
      -32602,
      1,
    ],
    [
      "an infinite number",
      '{"jsonrpc":"2.0","id":1,"method":"_x","params":{"a":1e999}}',
      -32602,
      1,
    ],
    [
      "a NUL in a path",
      '{"jsonrpc":"2.0","id":1,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/a\\u0000b"}}',
      -32602,
      1,
    ],
    [
      "params that are not an object",
      { ...rpc, id: 1, method: "terminal/create", params: [1] },
      -32602,
      1,
    ],
    [
      "options that are not a list",
      {
        ...rpc,
        id: 1,
        method: "session/request_permission",
        params: { sessionId: "s", toolCall: { toolCallId: "t" }, options: {} },
      },
      -32602,
      1,
    ],
    [
      "no session, with several open",
      { ...rpc, id: 1, method: "fs/read_text_file", params: { path: "/a" } },
      -32602,
      1,
    ],
    ["an id that is too long", { ...rpc, id: "x".repeat(1_025), method: "_x" }, -32602, null],
    ["an invalid id", { ...rpc, id: [1], method: "_x" }, -32600, null],
    ["a batch", "[]", -32600, null],
    ["no method", { ...rpc, id: 40 }, -32600, 40],
    ["a method that is not a string", { ...rpc, id: 7, method: 5 }, -32600, 7],
    ["another version of JSON-RPC", { jsonrpc: "1.0", id: 8, method: "_x" }, -32600, 8],
    [
      "the line 0",
      { ...rpc, id: 9, method: "fs/read_text_file", params: { ...readFile.params, line: 0 } },
      -32602,
      9,
    ],
  ];
  test.each(refusals)("with %s are refused and seen by no handler", async (_, line, code, id) => {
    await wire.say(line);
    expect(await wire.sent()).toMatchObject([{ ...rpc, id, error: { code } }]);
    expect(wire.messages).toEqual([]);
  });

  test("are refused without repeating the input", async () => {
    wire.onRequest = (request) => request.fail(new LandlineError("method-not-found"));
    await wire.say(
      { ...rpc, id: 1, method: "marker", params: ["marker"] },
      { ...rpc, id: 2, method: { marker: "marker" } },
      { ...rpc, id: 3, method: "fs/read_text_file", params: { sessionId: "marker", path: 5 } },
      { ...rpc, id: 4, method: "marker" },
    );
    const answers = await wire.sent();
    expect(answers.map(({ id }) => id)).toEqual([1, 2, 3, 4]);
    expect(JSON.stringify(answers)).not.toContain("marker");
  });

  test("in bytes that are not UTF-8 are refused", async () => {
    wire.fromAgent.write(
      Buffer.concat([
        Buffer.from('{"jsonrpc":"2.0","id":4,"method":"_x","params":{"a":"'),
        Buffer.from([0xc3, 0x28]),
        Buffer.from('"}}\n'),
      ]),
    );
    expect(await wire.sent()).toMatchObject([{ id: 4, error: { code: -32602 } }]);
    expect(wire.noises[0]?.reason).toBe("not UTF-8");
  });

  test("without a session id mean the only session", async () => {
    wire.connection.facts = { onlySession: "only" };
    await wire.say({ ...rpc, id: 1, method: "fs/read_text_file", params: { path: "/a" } });
    expect(wire.requests[0]?.params).toEqual({ path: "/a", sessionId: "only" });
    expect(wire.connection.hits.entries()).toEqual([["session-missing", 1]]);
  });

  test("of unknown methods reach the handler unchanged, with unknown fields", async () => {
    wire.onRequest = (request) => request.fail(new LandlineError("method-not-found"));
    await wire.say(
      { ...rpc, id: 1, method: "craft/drainMidTurnQueue", params: { odd: { field: 1 } } },
      { ...readFile, id: 2, params: { ...readFile.params, _meta: { x: 1 }, odd: true } },
    );
    expect(wire.requests.map(({ params }) => params)).toEqual([
      { odd: { field: 1 } },
      { ...readFile.params, _meta: { x: 1 }, odd: true },
    ]);
    expect(await wire.sent()).toMatchObject([
      { id: 1, error: { code: -32601 } },
      { id: 2, error: { code: -32601 } },
    ]);
  });

  test("can be cancelled: the signal aborts, and the handler still answers", async () => {
    wire.onRequest = async (request) => {
      await once(request.signal, "abort");
      request.fail(request.signal.reason as LandlineError);
    };
    await wire.say(readFile, { ...rpc, method: "$/cancel_request", params: { requestId: 1 } });
    expect(await wire.sent()).toMatchObject([{ id: 1, error: { code: -32800 } }]);
    await wire.say(
      { ...rpc, method: "$/cancel_request", params: { requestId: 99 } },
      { ...rpc, method: "$/cancel_request" },
    );
    expect(wire.seen.filter((one) => Array.isArray(one) && one[0] === "notification")).toEqual([]);
  });

  test("are aborted when the agent exits", async () => {
    await wire.say(readFile);
    wire.fromAgent.destroy();
    await once(wire.fromAgent, "close");
    expect(wire.requests[0]?.signal.aborted).toBe(true);
    wire.requests[0]?.answer({});
    expect(await wire.sent()).toEqual([]);
  });

  test("that are invalid get errors at a limited rate, and reading pauses when too many wait", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
    const own = new Wire({ errorRepliesPerMinute: 3, agentRequestsOpen: 2 });
    try {
      await own.say(
        ...Array.from({ length: 4 }, (_, id) => ({ ...readFile, id, params: {} })),
        update(0),
      );
      expect(await own.sent()).toHaveLength(3);
      await own.say({ ...readFile, id: 4, params: {} }, update(1));
      await own.say(update(2));
      expect(own.messages).toEqual([
        ["update", "s", 0],
        ["update", "s", 1],
      ]);
      vi.advanceTimersByTime(60_000);
    } finally {
      vi.useRealTimers();
    }
    expect((await own.sent()).map(({ id }) => id)).toEqual([0, 1, 2, 3, 4]);
    expect(own.messages.at(-1)).toEqual(["update", "s", 2]);
    own.connection.destroy();
  });
});
