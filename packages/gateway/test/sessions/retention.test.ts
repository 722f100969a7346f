import { expect, test } from "vitest";
import { ScriptedGateway, text, Watcher } from "./scripted-gateway.ts";

const toolCall = { toolCallId: "c", title: "rm" };
const agent = { turns: [{ steps: [{ permission: { toolCall } }] }] };

test("a running gateway deletes sessions that become too old, unless they have work under way", async () => {
  await using gateway = await ScriptedGateway.open(
    { agent },
    { retentionCheckMs: 20 },
    { retention: { maxAgeMs: 1 } },
  );
  const { sessions } = gateway;
  const working = await gateway.openSession("agent");
  using watcher = new Watcher(working);
  await working.prompt("p1", text("go"), "tester");
  await watcher.until("ask-opened");
  const old = await gateway.openSession("agent");
  await old.close("tester");
  await expect
    .poll(() => sessions.get(old.id).catch((error: unknown) => error))
    .toMatchObject({ code: "session-expired" });
  expect(await sessions.get(working.id)).toBe(working);
});
