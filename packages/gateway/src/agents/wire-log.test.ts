import { PassThrough } from "node:stream";
import { limitsOf } from "@landline/protocol";
import { expect, test } from "vitest";
import { createLogger } from "../telemetry/logger.ts";
import { WireLog } from "./wire-log.ts";

function stage(lengthMax = 8_192) {
  const stream = new PassThrough();
  const logger = createLogger({ level: "debug", stream });
  const limits = limitsOf("default", { traceLineLength: lengthMax });
  const wire = new WireLog(logger, { agent: "scripted", sessionId: "ours" }, limits);
  const lines = () =>
    String(stream.read() ?? "")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const say = (direction: "in" | "out", message: object) =>
    wire.add(direction, JSON.stringify({ jsonrpc: "2.0", ...message }));
  return { wire, say, lines };
}

test("logs requests, responses and notifications of both sides, by method, id and session", () => {
  const { say, lines } = stage();
  say("in", { id: 0, method: "session/prompt", params: { sessionId: "theirs" } });
  // Both sides count from 0: a response belongs to its own side's request.
  say("out", { id: 0, method: "fs/read_text_file", params: { sessionId: "theirs", path: "/a" } });
  say("in", { id: 0, result: { content: "what the file holds" } });
  say("out", { method: "session/update", params: { sessionId: "theirs" } });
  say("out", { id: 0, error: { code: -32000, message: "Authentication required" } });
  const owner = { agent: "scripted", sessionId: "ours", agentSessionId: "theirs", level: "debug" };
  const told = lines();
  expect(told).toMatchObject([
    { ...owner, message: "acp request", from: "gateway", id: 0, method: "session/prompt" },
    { ...owner, message: "acp request", from: "agent", id: 0, method: "fs/read_text_file" },
    { ...owner, message: "acp response", from: "gateway", method: "fs/read_text_file" },
    { ...owner, message: "acp notification", from: "agent", method: "session/update" },
    { ...owner, message: "acp response", method: "session/prompt", outcome: "error", code: -32000 },
  ]);
  expect(JSON.stringify(told)).not.toContain("what the file holds");
});

test("params are masked, and omitted if they are long", () => {
  const { say, lines } = stage(400);
  const server = {
    name: "files",
    command: "server",
    env: [{ name: "PLAIN", value: "value-of-env" }],
    headers: [{ name: "X-Plain", value: "value-of-header" }],
  };
  say("in", { id: 1, method: "session/new", params: { cwd: "/a", mcpServers: [server] } });
  say("in", { id: 2, method: "session/prompt", params: { sessionId: "s", long: "x".repeat(500) } });
  const [opened, prompted] = lines();
  expect(opened).toMatchObject({ params: { cwd: "/a", mcpServers: [{ name: "files" }] } });
  expect(JSON.stringify(opened)).not.toMatch(/value-of/);
  expect(prompted).toMatchObject({ id: 2, agentSessionId: "s" });
  expect(prompted).not.toHaveProperty("params");
});

test("lines that are not messages are skipped", () => {
  const { wire, say, lines } = stage();
  for (const line of ["", "hello", "[]", "null", "7"]) wire.add("out", line);
  say("out", { id: 4 });
  expect(lines()).toEqual([]);
});
