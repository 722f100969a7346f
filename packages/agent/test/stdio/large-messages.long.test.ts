import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startModelServer } from "@landline/testing";
import { expect, test } from "vitest";
import { connectionLimits } from "../../src/limits.ts";
import { AgentProcess } from "./agent-process.ts";
import { modelConfig } from "./model-config.ts";

/** Five megabytes of an image in base64, as decimal and binary megabytes. */
const picture = (bytes: number) => ({
  type: "image",
  mimeType: "image/png",
  data: Buffer.alloc(bytes, "pixels").toString("base64"),
});

test.each([5_000_000, 5 * 1_024 * 1_024])(
  "six images of %i bytes in one prompt are answered",
  async (bytes) => {
    await using server = await startModelServer({
      script: ({ tools }) => (tools.length === 0 ? "A title" : "Six pictures."),
    });
    await using agent = await AgentProcess.start([], {
      LANDLINE_AGENT_CONFIG_CONTENT: modelConfig(server.url),
    });
    await agent.initialize();
    const sessionId = await agent.open();
    const prompt = [{ type: "text", text: "Look." }, ...Array(6).fill(picture(bytes))];
    expect(await agent.request(2, "session/prompt", { sessionId, prompt })).toMatchObject({
      result: { stopReason: "end_turn" },
    });
    const asked = server.requests.find(({ tools }) => tools.length > 0);
    expect(asked?.messages.at(-1)?.attachments).toHaveLength(6);
    agent.child.stdin.end();
    expect(await agent.ended).toEqual({ code: 0, signal: null });
    expect(agent.stderr).toBe("");
  },
  60_000,
);

/** Repeats the text until it is longer than the limit for a message. */
async function fill(agent: AgentProcess): Promise<void> {
  const piece = "x".repeat(4 * 1_024 * 1_024);
  for (let sent = 0; sent <= connectionLimits.messageBytes; sent += piece.length) {
    if (!agent.child.stdin.write(piece)) await once(agent.child.stdin, "drain");
  }
}

test("a request that is too large is refused with a message, and the session continues", async () => {
  await using agent = await AgentProcess.start();
  await agent.initialize();
  const sessionId = await agent.open();
  agent.raw(
    `{"jsonrpc":"2.0","id":7,"method":"session/prompt","params":{"sessionId":"${sessionId}","prompt":[{"type":"text","text":"`,
  );
  await fill(agent);
  agent.raw(`"}]}}\n`);
  const refused = await agent.wire.until((message) => message["id"] === 7);
  expect(refused).toMatchObject({
    error: { code: -32600, data: { reason: "message-too-large" } },
  });
  expect((refused["error"] as { message: string }).message).toMatch(/at most 128 MiB/u);
  const prompt = [{ type: "text", text: "/status" }];
  expect(await agent.request(8, "session/prompt", { sessionId, prompt })).toMatchObject({
    result: { stopReason: "end_turn" },
  });
  agent.child.stdin.end();
  expect(await agent.ended).toEqual({ code: 0, signal: null });
  expect(agent.stderr).toMatch(/larger than 128 MiB/u);
});

test("a response of the client that is too large fails the call that needed it", async () => {
  await using agent = await AgentProcess.start();
  await agent.initialize({ fs: { readTextFile: true, writeTextFile: true } });
  const sessionId = await agent.open();
  await writeFile(join(agent.cwd, "a.txt"), "one apple\n");
  const prompt = [{ type: "text", text: "read a.txt" }];
  agent.send({ id: 7, method: "session/prompt", params: { sessionId, prompt } });
  const asked = await agent.wire.until((message) => message["method"] === "fs/read_text_file");
  agent.raw(`{"jsonrpc":"2.0","id":${JSON.stringify(asked["id"])},"result":{"content":"`);
  await fill(agent);
  agent.raw(`"}}\n`);
  expect(await agent.wire.until((message) => message["id"] === 7)).toMatchObject({
    result: { stopReason: "end_turn" },
  });
});
