import * as fs from "node:fs/promises";
import { startModelServer } from "@landline/testing";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { GatewayProcess } from "./gateway-process.ts";
import { until } from "./until.ts";

const MiB = 1_024 * 1_024;

/** Each is different, so that none is deduplicated. */
const pictures = Array.from({ length: 6 }, (_, index) => ({
  type: "image",
  mimeType: "image/png",
  data: Buffer.alloc(5 * MiB, `picture ${index}`).toString("base64"),
}));

async function withModel(gateway: GatewayProcess, url: string): Promise<void> {
  const models = {
    "scripted-1": {
      limit: { context: 200_000, output: 8_192 },
      modalities: { input: ["text", "image"] },
    },
  };
  const options = { baseURL: `${url}/v1`, apiKey: "a key" };
  await fs.mkdir(gateway.path(".config/landline"), { recursive: true });
  await fs.writeFile(
    gateway.path(".config/landline/agent.jsonc"),
    JSON.stringify({
      model: "scripted/scripted-1",
      small_model: "scripted/scripted-1",
      local_providers: false,
      provider: { scripted: { kind: "openai-compatible", options, models } },
    }),
  );
}

async function byHttp(gateway: GatewayProcess, sessionId: string, content: unknown): Promise<void> {
  await gateway.json("POST", `/api/sessions/${sessionId}/prompts`, { content });
}

async function bySocket(gateway: GatewayProcess, sessionId: string, content: unknown) {
  const address = `ws://127.0.0.1:${gateway.network.target}/ws?token=${gateway.token}`;
  const socket = new WebSocket(address, ["landline.v1"]);
  const reply = await new Promise((resolve, reject) => {
    socket.on("open", () => {
      const command = { id: 1, type: "prompt", sessionId, promptId: "p1", content };
      socket.send(JSON.stringify(command));
    });
    socket.on("message", (data: Buffer) => {
      const frame = JSON.parse(data.toString()) as { type: string };
      if (frame.type === "reply") resolve(frame);
    });
    socket.on("close", (code) => reject(new Error(`closed with ${code}`)));
    socket.on("error", reject);
  });
  socket.terminate();
  expect(reply).toMatchObject({ result: { promptId: "p1" } });
}

test("six images of 5 MiB reach the model, and again after the gateway was killed", async () => {
  await using model = await startModelServer({
    script: ({ tools }) => (tools.length === 0 ? "A title" : "Seen."),
  });
  await using gateway = await GatewayProcess.make({});
  await withModel(gateway, model.url);
  await gateway.start();
  /** Prompts; resolves to the stop reason, and to the number of images that the model received. */
  const turn = async (send: typeof byHttp, sessionId: string, content: unknown) => {
    const ends = async () =>
      (await gateway.logEvents(sessionId)).filter(({ kind }) => kind === "turn-ended");
    const before = (await ends()).length;
    await send(gateway, sessionId, content);
    await until("the turn ends", async () => (await ends()).length > before);
    const asked = model.requests.findLast(({ tools }) => tools.length > 0);
    const images = asked?.messages.flatMap(({ attachments }) => attachments) ?? [];
    return { ...(await ends()).at(-1), images: images.length };
  };
  const seen = { stopReason: "end_turn", images: 6 };
  const content = [{ type: "text", text: "Look." }, ...pictures];
  const first = await gateway.openSession("landline");
  expect(await turn(byHttp, first, content)).toMatchObject(seen);
  const second = await gateway.openSession("landline");
  expect(await turn(bySocket, second, content)).toMatchObject(seen);
  await gateway.end("SIGKILL");
  await gateway.start();
  expect(await turn(byHttp, second, "And now?")).toMatchObject(seen);
});
