import { expect, test } from "vitest";
import { ScriptedGateway, text } from "./scripted-gateway.ts";

/** Sessions that are only in their logs. */
async function dormantSessions(gateway: ScriptedGateway, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index++) ids.push((await gateway.openSession("agent")).id);
  await gateway.restart();
  return ids;
}

test("the least recently used session is unloaded first", async () => {
  await using gateway = await ScriptedGateway.open({ agent: {} }, { dormantSessionsKept: 2 });
  const [first = "", second = "", third = ""] = await dormantSessions(gateway, 3);
  const { sessions } = gateway;
  const used = await sessions.get(first);
  const unused = await sessions.get(second);
  expect(await sessions.get(first)).toBe(used);
  await sessions.get(third);
  expect(await sessions.get(first)).toBe(used);
  expect(await sessions.get(second)).not.toBe(unused);
});

test("a session is not unloaded while a prompt is being added", async () => {
  await using gateway = await ScriptedGateway.open({ agent: {} }, { dormantSessionsKept: 1 });
  const [first = "", second = ""] = await dormantSessions(gateway, 2);
  const { sessions } = gateway;
  const session = await sessions.get(first);
  const added = session.prompt("p1", text("go"), "tester");
  await sessions.get(second);
  expect(await sessions.get(first)).toBe(session);
  expect(await added).toBe(true);
});
