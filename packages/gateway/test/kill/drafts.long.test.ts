import { readdirSync, readFileSync } from "node:fs";
import * as path from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { GatewayProcess } from "./gateway-process.ts";

const draftsIn = (folder: string) =>
  readdirSync(folder).filter((name) => /^rules\.json\.\d+$/.test(name));

/** Stops the process while a temporary file exists. False if it was removed before. */
function stopAtDraft(gateway: GatewayProcess): boolean {
  if (draftsIn(gateway.data).length === 0) return false;
  const owner = readFileSync(path.join(gateway.data, "owner.json"), "utf8");
  const { pid } = JSON.parse(owner) as { pid: number };
  process.kill(pid, "SIGSTOP");
  if (draftsIn(gateway.data).length > 0) return true;
  process.kill(pid, "SIGCONT");
  return false;
}

test("a restarted gateway removes the temporary rules file of a killed one", async () => {
  await using gateway = await GatewayProcess.make({ agent: {} });
  await gateway.start();
  const change = (number: number) =>
    gateway.call("POST", "/api/rules", {
      decision: "deny",
      what: { commandPrefix: `program ${number}` },
      where: { in: "everywhere" },
    });
  const first = await change(0);
  expect(first.status).toBe(201);
  const answers: Promise<unknown>[] = [];
  for (let number = 1; !stopAtDraft(gateway); number = (number % 50) + 1) {
    if (answers.length < 20) answers.push(change(number).catch(() => undefined));
    else await answers.shift();
    await setImmediate();
  }
  await gateway.end("SIGKILL");
  await Promise.all(answers);
  expect(draftsIn(gateway.data)).toHaveLength(1);
  await gateway.start();
  expect(draftsIn(gateway.data)).toEqual([]);
  expect(await gateway.json("GET", "/api/rules")).toMatchObject({ damage: null });
});
