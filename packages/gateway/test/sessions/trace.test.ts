import * as fs from "node:fs/promises";
import * as path from "node:path";
import { expect, test } from "vitest";
import type { TraceLine } from "../../src/agents/trace.ts";
import { ScriptedGateway, turn, Watcher } from "./scripted-gateway.ts";

const agent = { turns: [{ match: "/./", steps: [{ say: "Said." }] }] };
const secret = "s3cret-key-of-mine";
const mcpServers = [
  { name: "docs", command: "docs", args: [], env: [{ name: "KEY", value: secret }] },
];

async function conversation(trace: boolean) {
  const gateway = await ScriptedGateway.open({ agent }, {}, { trace });
  const { project } = gateway;
  const session = await gateway.sessions.open({
    agent: "agent",
    cwd: project,
    by: "tester",
    mcpServers,
  });
  using watcher = new Watcher(session);
  await turn(session, watcher, "speak");
  return { gateway, session, folder: path.join(gateway.data, "sessions", session.id) };
}

test("--trace writes the messages of a session, which are deleted with it", async () => {
  const { gateway, session, folder } = await conversation(true);
  await using _gateway = gateway;
  await session.close("tester");
  const text = await fs.readFile(path.join(folder, "trace.ndjson"), "utf8");
  expect(text).not.toContain(secret);
  const lines = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as TraceLine);
  const wire = lines.map(({ direction, message }) => {
    const { method = "response" } = message as { method?: string };
    return `${direction} ${method}`;
  });
  expect(wire.slice(0, 7)).toEqual([
    "in initialize",
    "out response",
    "in session/new",
    "out response",
    "in session/prompt",
    "out session/update",
    "out response",
  ]);
  const { url, token } = gateway;
  const answer = await fetch(`${url}/api/sessions/${session.id}/trace?before=4&limit=2`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(await answer.json()).toEqual({
    lines: [
      { number: 2, ...lines[1] },
      { number: 3, ...lines[2] },
    ],
    hasMore: true,
  });
  await gateway.sessions.delete(session.id, "tester");
  await expect(fs.stat(folder)).rejects.toMatchObject({ code: "ENOENT" });
});

test("without --trace nothing is written", async () => {
  const { gateway, folder } = await conversation(false);
  await using _gateway = gateway;
  expect(await fs.readdir(folder)).not.toContain("trace.ndjson");
});
