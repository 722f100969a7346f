import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { readMessage, type Message } from "./message.ts";

const read = (value: unknown): Message =>
  readMessage(typeof value === "string" ? value : JSON.stringify(value), 1_024);
const rpc = { jsonrpc: "2.0" };
const updateLine = (update: string, sessionId = "s1") =>
  `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"${sessionId}","update":${update}}}`;

describe("an update", () => {
  const chunk =
    '{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"hi }} \\" there"}}';

  test("is read with its own text", () => {
    expect(read(updateLine(chunk))).toEqual({
      type: "update",
      sessionId: "s1",
      update: JSON.parse(chunk),
      raw: chunk,
    });
  });

  test.each([
    [
      "spaces between",
      `{"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": ${chunk} }}`,
    ],
    [
      "another order",
      `{"params":{"update":${chunk},"sessionId":"s1"},"method":"session/update","jsonrpc":"2.0"}`,
    ],
    [
      "more fields in params",
      `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":${chunk},"_meta":{"a":1}}}`,
    ],
    [
      "more fields around",
      `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":${chunk}},"_meta":{}}`,
    ],
    [
      "an id of null",
      `{"jsonrpc":"2.0","id":null,"method":"session/update","params":{"sessionId":"s1","update":${chunk}}}`,
    ],
    ["a carriage return", `${updateLine(chunk)}\r`],
    ["an escaped session id", updateLine(chunk, "\\u00731")],
    [
      "no jsonrpc, as seed 002 writes",
      `{"method":"session/update","params":{"sessionId":"s1","update":${chunk}}}`,
    ],
  ])("keeps its text byte for byte with %s", (_, line) => {
    expect(read(line)).toEqual({
      type: "update",
      sessionId: "s1",
      update: JSON.parse(chunk),
      raw: chunk,
    });
  });

  test("keeps numbers that JavaScript cannot represent", () => {
    const raw = '{"sessionUpdate":"x","big":12345678901234567890123,"one":1.0}';
    expect(read(updateLine(raw))).toMatchObject({ raw });
    expect(
      read(
        `{"jsonrpc":"2.0","method":"session/update","params":{"update":${raw},"sessionId":"s1"}}`,
      ),
    ).toMatchObject({ raw });
  });

  // A line that imitates the common spelling must not bypass the parser.
  test.each([
    [
      "two params",
      '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"a":1}},"params":{"sessionId":"s2","update":{"b":2}}}',
      { sessionId: "s2", raw: '{"b":2}' },
    ],
    [
      "two updates",
      '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"a":1},"update":{"b":2}}}',
      { raw: '{"b":2}' },
    ],
    [
      "a name with an escape",
      '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"a":1},"\\u0075pdate":{"b":2}}}',
      { raw: '{"b":2}' },
    ],
    [
      "an id beside it",
      '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"a":1}},"id":{}}',
      { type: "refusal" },
    ],
  ])("with %s is parsed like JSON.parse", (_, line, expected) => {
    expect(read(line)).toMatchObject(expected);
  });

  property.prop([
    fc.dictionary(fc.string(), fc.jsonValue()),
    fc.string(),
    fc.constantFrom(0, 1, 2),
  ])(
    "is the same on the fast and the slow path, with an equivalent text",
    (update, sessionId, spaces) => {
      const short = JSON.stringify({
        jsonrpc: "2.0",
        method: "session/update",
        params: { sessionId, update },
      });
      const long = JSON.stringify(
        { method: "session/update", params: { update, sessionId }, jsonrpc: "2.0" },
        null,
        spaces,
      ).replaceAll("\n", " ");
      const nul = /(?<!\\)(\\\\)*\\u0000/.test(short);
      for (const line of [short, long]) {
        const message = read(line);
        if (nul) expect(message).toEqual({ type: "noise", reason: "a NUL in a string" });
        else {
          expect(message).toMatchObject({ type: "update", sessionId });
          const { raw, update: value } = message as Extract<Message, { type: "update" }>;
          const meant: unknown = JSON.parse(JSON.stringify(update));
          expect(value).toEqual(meant);
          expect(JSON.parse(raw)).toEqual(meant);
        }
      }
    },
  );
});

describe("calls and answers", () => {
  test("a request, a notification, a response", () => {
    expect(read({ ...rpc, id: 0, method: "fs/read_text_file", params: { path: "/a" } })).toEqual({
      type: "request",
      id: 0,
      method: "fs/read_text_file",
      params: { path: "/a" },
    });
    expect(read({ ...rpc, method: "_x/y", params: [1] })).toEqual({
      type: "notification",
      method: "_x/y",
      params: [1],
    });
    expect(read({ ...rpc, id: "7", result: null })).toMatchObject({
      type: "response",
      id: "7",
      body: { result: null },
    });
  });

  const refusals: [string, unknown, object][] = [
    [
      "an id over 1,024 characters",
      { ...rpc, id: "i".repeat(1_025), method: "m" },
      { code: "invalid-params", id: null },
    ],
    [
      "an id out of range",
      '{"jsonrpc":"2.0","id":1e300,"method":"m"}',
      { code: "invalid-params", id: null },
    ],
    ["a fractional id", { ...rpc, id: 1.5, method: "m" }, { code: "invalid-params", id: null }],
    [
      "an id that is an object",
      { ...rpc, id: {}, method: "m" },
      { code: "invalid-request", id: null },
    ],
    [
      "an id of null on a request",
      { ...rpc, id: null, method: "fs/read_text_file" },
      { code: "invalid-request", id: null },
    ],
    [
      "a NUL in a string",
      '{"jsonrpc":"2.0","id":3,"method":"m","params":{"a":"x\\u0000y"}}',
      { code: "invalid-params", id: 3 },
    ],
    [
      "a number out of range",
      '{"jsonrpc":"2.0","id":3,"method":"m","params":{"a":[1,{"b":1e999}]}}',
      { code: "invalid-params", id: 3 },
    ],
    [
      "a method and a result",
      { ...rpc, id: 3, method: "m", result: {} },
      { code: "invalid-request", id: 3 },
    ],
    ["a batch", [{ ...rpc, id: 3, method: "m" }], { code: "invalid-request", id: null }],
  ];
  test.each(refusals)("%s is refused", (_, value, expected) => {
    expect(read(value)).toMatchObject({ type: "refusal", ...expected });
  });

  test("a backslash before u0000 is not a NUL", () => {
    expect(
      read('{"jsonrpc":"2.0","id":3,"method":"m","params":{"a":"x\\\\u0000y"}}'),
    ).toMatchObject({ type: "request" });
  });

  const noises: [string, string, string][] = [
    ["a log line", "[info] starting", "not JSON"],
    ["half a message", '{"jsonrpc":"2.0","met', "not JSON"],
    ["JSON of another program", '{"level":"info","text":"starting"}', "not JSON-RPC"],
    ["a notification of another JSON-RPC", '{"jsonrpc":"1.0","method":"m"}', "not JSON-RPC"],
    ["a response of another JSON-RPC", '{"jsonrpc":"1.0","id":1,"result":{}}', "not JSON-RPC"],
    ["JSON of another program with an id", '{"id":1,"text":"starting"}', "not JSON-RPC"],
    ["a number", "42", "not JSON-RPC"],
    [
      "a response to nothing",
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}',
      "a response to nothing",
    ],
    [
      "a NUL in a notification",
      '{"jsonrpc":"2.0","method":"m","params":{"a":"\\u0000"}}',
      "a NUL in a string",
    ],
    ["a NUL in an update", updateLine('{"sessionUpdate":"x","a":"\\u0000"}'), "a NUL in a string"],
  ];
  test.each(noises)("%s is noise", (_, line, reason) => {
    expect(read(line)).toEqual({ type: "noise", reason });
  });

  property.prop([fc.string({ unit: "binary" })])("any line is classified", (line) => {
    expect(read(line.replaceAll("\n", "")).type).toBeTypeOf("string");
  });
});
