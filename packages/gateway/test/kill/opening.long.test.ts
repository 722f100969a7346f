import { randomUUID } from "node:crypto";
import * as fs from "node:fs/promises";
import * as path from "node:path";
import type { SessionSummary } from "@landline/protocol";
import { expect, test } from "vitest";
import { checkWhole, eventsOf } from "./checks.ts";
import { GatewayProcess } from "./gateway-process.ts";
import { until } from "./until.ts";

const mcpServers = [{ name: "docs", command: "docs-server", args: [], env: [] }];
const turns = [{ steps: [{ say: "Here I am." }] }];

test("a gateway that is killed while a session is opened leaves a session that the next prompt starts", async () => {
  const silent = { turns, answers: { "session/new": { never: true } } };
  await using gateway = await GatewayProcess.make({ late: silent });
  await gateway.start();
  const request = { agent: "late", cwd: gateway.project, title: "Mine", mcpServers };
  const opening = gateway.call("POST", "/api/sessions", request).catch(() => null);
  await until("the agent receives session/new", () => gateway.agents().length === 1);
  const [sessionId = ""] = await fs.readdir(path.join(gateway.data, "sessions"));
  expect(await gateway.logLines(sessionId)).toHaveLength(1);
  await gateway.end("SIGKILL");
  expect(await opening).toBeNull();

  const given = {
    before: [{ notice: { severity: "info", title: "{{params.mcpServers.0.name}}" } }],
  };
  const awake = { about: "late", turns, answers: { "session/new": given } };
  await fs.writeFile(gateway.path("late.json"), JSON.stringify(awake));
  await gateway.start();
  const { sessions } = await gateway.json<{ sessions: SessionSummary[] }>("GET", "/api/sessions");
  expect(sessions).toMatchObject([{ sessionId, title: "Mine", state: "idle", closedAt: null }]);
  await gateway.json("POST", `/api/sessions/${sessionId}/prompts`, { content: "hello" });
  await until("the prompt had its turn", async () => {
    return (await gateway.logLines(sessionId)).some((line) => line.includes('"turn-ended"'));
  });
  expect(await gateway.end("SIGTERM")).toBe(0);
  const events = await gateway.logEvents(sessionId);
  checkWhole(events);
  expect(eventsOf(events, "agent-started")).toMatchObject([{ how: "new" }]);
  expect(eventsOf(events, "turn-ended")).toMatchObject([{ stopReason: "end_turn" }]);
  const said = eventsOf(events, "update").map(({ update }) => update);
  expect(said).toMatchObject([{ title: "docs" }, { content: { text: "Here I am." } }]);
  expect(gateway.complaints()).toEqual([]);
});

test("the next start deletes a session that no client was told about", async () => {
  await using gateway = await GatewayProcess.make({ agent: { turns } });
  await gateway.start();
  const kept = await gateway.openSession("agent");
  await gateway.end("SIGKILL");
  // What a kill leaves before the first event.
  const sessions = path.join(gateway.data, "sessions");
  const cut = randomUUID();
  await fs.mkdir(path.join(sessions, cut));
  await fs.writeFile(path.join(sessions, cut, "mcp-servers.json"), "[");
  await gateway.start();
  await until("it is gone", async () => (await fs.readdir(sessions)).length === 1);
  expect(await fs.readdir(sessions)).toEqual([kept]);
  expect(await gateway.end("SIGTERM")).toBe(0);
  expect(gateway.complaints()).toEqual([]);
});
