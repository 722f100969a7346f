import * as fs from "node:fs/promises";
import * as path from "node:path";
import {
  errorCodes,
  errorRow,
  LandlineError,
  toRpcError,
  toSeedError,
  type ErrorCode,
} from "@landline/protocol";
import { expect, test } from "vitest";
import { text, turn, type ScriptedGateway } from "../sessions/scripted-gateway.ts";
import { inGateway, opened } from "../sessions/marked-gateway.ts";
import { ask, openByHttp } from "./http.ts";

/**
 * Seed 003's two tables of errors, row by row. `by` says who emits the row here: the gateway towards its agent, or
 * towards a client. Rows that only an agent can emit are the built-in agent's; how the gateway handles them is tested
 * for every row below.
 */
interface Row {
  readonly seed: number;
  readonly message: string;
  readonly reason: ErrorCode;
  readonly by: "toward the agent" | "toward a client" | "to come: agent";
}

const standard: readonly Row[] = [
  { seed: -32700, message: "Parse error", reason: "parse-error", by: "toward a client" },
  { seed: -32600, message: "Invalid Request", reason: "invalid-request", by: "toward the agent" },
  { seed: -32601, message: "Method not found", reason: "method-not-found", by: "toward the agent" },
  { seed: -32602, message: "Invalid params", reason: "invalid-params", by: "toward the agent" },
  { seed: -32603, message: "Internal error", reason: "internal-error", by: "to come: agent" },
];

const own: readonly Row[] = [
  { seed: -32000, message: "Connection lost", reason: "connection-lost", by: "toward a client" },
  { seed: -32001, message: "Timeout", reason: "timeout", by: "toward a client" },
  {
    seed: -31900,
    message: "Session not found",
    reason: "session-not-found",
    by: "toward a client",
  },
  { seed: -31901, message: "Session expired", reason: "session-expired", by: "toward a client" },
  { seed: -31902, message: "Session locked", reason: "session-locked", by: "toward a client" },
  { seed: -31800, message: "Tool not found", reason: "tool-not-found", by: "to come: agent" },
  { seed: -31801, message: "Tool disabled", reason: "tool-disabled", by: "toward the agent" },
  { seed: -31802, message: "Tool timeout", reason: "tool-timeout", by: "toward the agent" },
  { seed: -31700, message: "File not found", reason: "file-not-found", by: "toward the agent" },
  {
    seed: -31701,
    message: "Permission denied",
    reason: "permission-denied",
    by: "toward the agent",
  },
  { seed: -31702, message: "File too large", reason: "file-too-large", by: "toward the agent" },
  { seed: -31600, message: "MCP server error", reason: "mcp-server-error", by: "to come: agent" },
  {
    seed: -31601,
    message: "MCP server unavailable",
    reason: "mcp-server-unavailable",
    by: "to come: agent",
  },
];

const isStandard = ({ seed }: Row) => standard.some((row) => row.seed === seed);

test("the list of errors has every row of the seed, with its number", () => {
  const numbered = errorCodes.flatMap((code) => errorRow(code).seed ?? []);
  expect(new Set(numbered)).toEqual(new Set(own.map(({ seed }) => seed)));
  for (const { reason, seed } of own) expect(errorRow(reason).seed).toBe(seed);
  for (const { reason, seed } of standard) expect(errorRow(reason).rpc).toBe(seed);
});

/** The wire code of each row: ACP's own, with the seed's number beside it. */
const wireCodes: Partial<Record<ErrorCode, number>> = {
  "connection-lost": -32603,
  timeout: -32603,
  "session-not-found": -32002,
  "session-expired": -32002,
  "session-locked": -32602,
  "tool-not-found": -32602,
  "tool-disabled": -32602,
  "tool-timeout": -32603,
  "file-not-found": -32002,
  "permission-denied": -32602,
  "file-too-large": -32602,
  "mcp-server-error": -32603,
  "mcp-server-unavailable": -32603,
};

test.each(own)("$seed is $reason in ACP", ({ reason, seed }) => {
  const error = new LandlineError(reason);
  expect(toRpcError(error)).toMatchObject({ code: wireCodes[reason], data: { code: seed } });
  expect(toSeedError(error)).toMatchObject({ code: seed, data: { reason, code: seed } });
});

/** What causes a row on the agent's side; the step receives its expectation. */
const steps: Partial<Record<ErrorCode, (expected: object) => readonly object[]>> = {
  "invalid-request": (expected) => {
    const toolCall = { toolCallId: "t", title: "Do" };
    const options = [{ optionId: "yes", name: "Yes", kind: "allow_once" }];
    const params = { sessionId: "{{sessionId}}", toolCall, options };
    // The second request has the id of the first one, which is open: the response has that id.
    const again = { jsonrpc: "2.0", id: 0, method: "session/request_permission", params };
    return [
      { together: [[{ permission: { toolCall, options, ...expected } }], [{ message: again }]] },
    ];
  },
  "method-not-found": (expected) => [{ request: { method: "no/such", ...expected } }],
  "invalid-params": (expected) => [
    {
      request: { method: "fs/read_text_file", params: { sessionId: "{{sessionId}}" }, ...expected },
    },
  ],
  "tool-disabled": (expected) => [{ createTerminal: { command: "true", ...expected } }],
  "tool-timeout": (expected) => [
    { createTerminal: { command: "sleep 20; true" } },
    { waitForExit: expected },
  ],
  "file-not-found": (expected) => [{ readFile: { path: "{{cwd}}/missing", ...expected } }],
  "session-not-found": (expected) => [
    {
      request: {
        method: "fs/read_text_file",
        params: { sessionId: "nobody", path: "{{cwd}}/large.txt" },
        ...expected,
      },
    },
  ],
  "permission-denied": (expected) => [{ readFile: { path: "/etc/passwd", ...expected } }],
  "file-too-large": (expected) => [{ readFile: { path: "{{cwd}}/large.txt", ...expected } }],
};

const toAgent = [...standard, ...own].filter(({ reason }) => reason in steps);

test.concurrent.each(toAgent)("$seed $message, towards the agent", async (row) => {
  const data = { reason: row.reason, ...(isStandard(row) ? {} : { code: row.seed }) };
  const provoked = steps[row.reason]?.({ expect: { error: { code: row.seed, data } } }) ?? [];
  const withheld = { files: false, terminals: row.reason === "tool-disabled" };
  await inGateway(
    { agent: { turns: [{ steps: [...provoked, { say: "as expected" }] }] } },
    async (gateway) => {
      await fs.writeFile(path.join(gateway.project, "large.txt"), "x".repeat(2_000));
      const { session, watcher } = await opened(gateway);
      const ended = await turn(session, watcher, "go");
      expect(ended.error).toBeUndefined();
      expect(watcher.said).toBe("as expected");
    },
    {
      profile: "spec",
      limits: { terminalMs: 200, fileBytes: 1_000 },
      policy: { agent: { withhold: withheld } },
    },
  );
});

test("without `--limits spec` errors have the codes of ACP, and a missing file its path", async () => {
  const missing = "{{cwd}}/missing";
  const error = { code: -32002, data: { reason: "file-not-found", code: -31700, path: missing } };
  const inMissing = { command: "true", cwd: missing, expect: { error } };
  const unknown = { code: -32002, data: { reason: "session-not-found", code: -31900 } };
  const params = { sessionId: "nobody", command: "true" };
  const child = { sessionId: "helper", command: "true" };
  const provoked: readonly object[] = [
    { readFile: { path: missing, expect: { error } } },
    { createTerminal: inMissing },
    { request: { method: "terminal/create", params, expect: { error: unknown } } },
    // A subagent is known from its first update.
    { say: "at work", child: "helper" },
    { request: { method: "terminal/create", params: child } },
    { say: "as expected" },
  ];
  await inGateway({ agent: { turns: [{ steps: provoked }] } }, async (gateway) => {
    const { session, watcher } = await opened(gateway);
    const ended = await turn(session, watcher, "go");
    expect(ended.error).toBeUndefined();
    expect(watcher.said).toContain("as expected");
  });
});

/** A request that causes the error, and the answer. */
const requests: Partial<Record<ErrorCode, (gateway: ScriptedGateway) => ReturnType<typeof ask>>> = {
  "parse-error": (gateway) => ask(gateway, "POST", "/sessions", "{"),
  "connection-lost": async (gateway) => {
    const id = await openByHttp(gateway);
    return ask(gateway, "POST", `/sessions/${id}/mode`, { modeId: "crash" });
  },
  timeout: async (gateway) => {
    const id = await openByHttp(gateway);
    return ask(gateway, "POST", `/sessions/${id}/mode`, { modeId: "never" });
  },
  "session-not-found": (gateway) =>
    ask(gateway, "GET", "/sessions/0197a000-0000-7000-8000-000000000000"),
  "session-expired": async (gateway) => {
    const id = await openByHttp(gateway);
    await ask(gateway, "DELETE", `/sessions/${id}?erase=true`);
    return ask(gateway, "POST", `/sessions/${id}/prompts`, { content: "hello" });
  },
  "session-locked": async (gateway) => {
    const id = await openByHttp(gateway);
    const session = await gateway.sessions.get(id);
    await session.prompt("p1", text("wait"), "tester");
    await session.prompt("p2", text("behind it"), "tester");
    return ask(gateway, "POST", `/sessions/${id}/prompts`, { content: "one too many" });
  },
};

const toClient = [...standard, ...own].filter(({ by }) => by === "toward a client");

test.concurrent.each(toClient)("$seed $message, towards a client", async (row) => {
  const modeId = (id: string) => ({ id, name: id });
  const agent = {
    session: {
      modes: { currentModeId: "a", availableModes: ["a", "crash", "never"].map(modeId) },
    },
    answers: {
      "session/set_mode": [
        { match: { modeId: "crash" }, before: [{ crash: 3 }] },
        { match: { modeId: "never" }, never: true },
      ],
    },
    turns: [{ steps: [], end: "never" }],
  };
  await inGateway(
    { agent },
    async (gateway) => {
      const { status, json } = await requests[row.reason]!(gateway);
      expect({ status, ...json }).toMatchObject({
        status: errorRow(row.reason).http,
        code: row.reason,
        message: expect.any(String) as string,
        help: expect.any(String) as string,
      });
      expect(JSON.stringify(json)).not.toMatch(/\bat .*\.ts|node_modules|"stack"/);
    },
    {
      profile: "spec",
      // Only if the agent must be late; it answers `session/new` within the same limit.
      limits: { promptsQueued: 1, ...(row.reason === "timeout" && { sessionNewMs: 3_000 }) },
    },
  );
});

test("every row is emitted here, or is the built-in agent's", () => {
  for (const { reason, by } of [...standard, ...own]) {
    expect([reason, reason in steps || reason in requests]).toEqual([
      reason,
      by !== "to come: agent",
    ]);
  }
});

test.concurrent("an agent that answers a prompt with a row of the seed is understood", async () => {
  const rows = [...standard, ...own];
  const turns = rows.map(({ seed, message }) => ({
    match: `row ${seed}`,
    steps: [],
    end: { error: { code: seed, message } },
  }));
  await inGateway(
    { agent: { turns } },
    async (gateway) => {
      const { session, watcher } = await opened(gateway);
      for (const { seed, reason, message } of rows) {
        const ended = await turn(session, watcher, `row ${seed}`);
        expect(ended).toMatchObject({ stopReason: "failed", error: { code: reason, message } });
      }
    },
    { profile: "spec" },
  );
});
