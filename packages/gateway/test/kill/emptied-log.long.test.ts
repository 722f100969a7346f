import * as fs from "node:fs/promises";
import * as path from "node:path";
import { expect, test } from "vitest";
import { GatewayProcess } from "./gateway-process.ts";
import { until } from "./until.ts";

const steps = [{ say: "Hello." }];

async function withSession(content: string): Promise<{ gateway: GatewayProcess; id: string }> {
  const gateway = await GatewayProcess.make({ agent: { turns: [{ steps }] } });
  await gateway.start();
  const id = await gateway.openSession("agent");
  await gateway.json("POST", `/api/sessions/${id}/prompts`, { content });
  await until("the turn ends", async () =>
    (await gateway.logEvents(id)).some(({ kind }) => kind === "turn-ended"),
  );
  await gateway.json("GET", "/api/sessions");
  return { gateway, id };
}

const logOf = ({ data }: GatewayProcess, id: string) =>
  path.join(data, "sessions", id, "000000000001.ndjson");

async function expectReported(gateway: GatewayProcess, id: string): Promise<void> {
  for (const [method, address] of [
    ["GET", ""],
    ["GET", "/events"],
    ["GET", "/export?format=markdown"],
    ["POST", "/prompts"],
  ] as const) {
    const body = method === "POST" ? { content: "more" } : undefined;
    const reply = await gateway.call(method, `/api/sessions/${id}${address}`, body);
    expect(await reply.json(), `${method} ${address}`).toMatchObject({
      code: "log-damaged",
      message: expect.stringContaining("empty"),
    });
  }
}

test.each([
  ["an index that contains it", "small", false],
  ["no index", "x".repeat(1_000_000), true],
])(
  "a log that was emptied is reported, with %s",
  async (_what, content, isIndexLost) => {
    const made = await withSession(content);
    await using gateway = made.gateway;
    const { id } = made;
    await gateway.end("SIGTERM");
    await fs.truncate(logOf(gateway, id), 0);
    for (const start of [1, 2]) {
      if (isIndexLost) await fs.rm(path.join(gateway.data, "derived.sqlite"));
      await gateway.start();
      await until(`start ${start} has reported it`, () => {
        const told = gateway.complaints().filter((line) => line.includes(id));
        return told.length >= start;
      });
      await expectReported(gateway, id);
      if (start === 1) await gateway.end("SIGTERM");
    }
    // It stays in the list until it is deleted.
    const ids = async () => {
      type List = { sessions: { sessionId: string }[] };
      const { sessions } = await gateway.json<List>("GET", "/api/sessions");
      return sessions.map(({ sessionId }) => sessionId);
    };
    expect(await ids()).toEqual(isIndexLost ? [] : [id]);
    const erased = await gateway.call("DELETE", `/api/sessions/${id}?erase=true`);
    expect(erased.status).toBe(204);
    expect(await ids()).toEqual([]);
    expect(await fs.readdir(path.join(gateway.data, "sessions"))).toEqual([]);
  },
  60_000,
);

test("a log that is emptied during operation is reported", async () => {
  const made = await withSession("small");
  await using gateway = made.gateway;
  await gateway.end("SIGTERM");
  await gateway.start();
  await gateway.json("GET", `/api/sessions/${made.id}`);
  await fs.truncate(logOf(gateway, made.id), 0);
  const reply = await gateway.call("GET", `/api/sessions/${made.id}/events`);
  expect(await reply.json()).toMatchObject({ code: "log-damaged" });
});
