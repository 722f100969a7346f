import * as fs from "node:fs/promises";
import * as path from "node:path";
import type { ContentBlock } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import type { TraceLine } from "../../src/agents/trace.ts";
import { ScriptedGateway, Watcher } from "./scripted-gateway.ts";

const content: readonly ContentBlock[] = [
  { type: "text", text: "Summarise this file" },
  {
    type: "resource",
    resource: { uri: "file:///repo/notes.txt", mimeType: "text/plain", text: "notes" },
  },
];
const link = {
  type: "resource_link",
  name: "notes.txt",
  uri: "file:///repo/notes.txt",
  mimeType: "text/plain",
};

test.each([
  ["an agent with embeddedContext receives a resource unchanged", true, content],
  ["an agent without embeddedContext receives a link instead", false, [content[0], link]],
])("%s", async (_, embeddedContext, expected) => {
  const agent = {
    initialize: { agentCapabilities: { promptCapabilities: { embeddedContext } } },
    turns: [{ match: "/./", steps: [{ say: "Done." }] }],
  };
  await using gateway = await ScriptedGateway.open({ agent }, {}, { trace: true });
  const session = await gateway.openSession("agent");
  using watcher = new Watcher(session);
  await session.prompt("p1", content, "tester");
  await watcher.until("turn-ended");
  await session.close("tester");
  const trace = await fs.readFile(
    path.join(gateway.data, "sessions", session.id, "trace.ndjson"),
    "utf8",
  );
  const messages = trace
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as TraceLine).message as Record<string, unknown>);
  const prompts = messages.filter(({ method }) => method === "session/prompt");
  expect(prompts).toMatchObject([{ params: { prompt: expected } }]);
});
