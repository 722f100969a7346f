import * as fs from "node:fs/promises";
import type { SessionEvent } from "@landline/protocol";
import { expect, test } from "vitest";
import { isSkipped } from "../../../sandbox/test/skipped.ts";
import { GatewayProcess } from "./gateway-process.ts";
import { until } from "./until.ts";

/** The events of a kind in the log on the disk. */
async function eventsOf<Kind extends SessionEvent["kind"]>(
  gateway: GatewayProcess,
  sessionId: string,
  kind: Kind,
): Promise<Extract<SessionEvent, { kind: Kind }>[]> {
  const events = await gateway.logEvents(sessionId);
  return events.filter(
    (event): event is Extract<SessionEvent, { kind: Kind }> => event.kind === kind,
  );
}

async function prompted(gateway: GatewayProcess, agent: string): Promise<string> {
  const sessionId = await gateway.openSession(agent);
  await gateway.json("POST", `/api/sessions/${sessionId}/prompts`, { content: "go" });
  return sessionId;
}

async function isRunning(command: string): Promise<boolean> {
  for (const name of await fs.readdir("/proc")) {
    const line = await fs.readFile(`/proc/${name}/cmdline`, "latin1").catch(() => "");
    if (line.replaceAll("\0", " ").trim() === command) return true;
  }
  return false;
}

test.skipIf(isSkipped)(
  "a killed gateway leaves no process of a confined command, and its request is settled later",
  async () => {
    const sleep = `sleep 5${process.pid}`;
    const command = `env -i setsid -f ${sleep}; cat ~/config.json`;
    const steps = [{ createTerminal: { command } }, { waitForExit: {} }];
    await using gateway = await GatewayProcess.make(
      { agent: { turns: [{ steps }] } },
      {},
      {},
      {
        flags: [],
      },
    );
    await gateway.start();
    const sessionId = await prompted(gateway, "agent");
    await until(
      "the request is open",
      async () => (await eventsOf(gateway, sessionId, "ask-opened")).length === 1,
    );
    await until("the hidden process runs", () => isRunning(sleep));
    await gateway.end("SIGKILL");
    await until("no process of the command runs", async () => !(await isRunning(sleep)));

    await gateway.start();
    await until(
      "the turn is ended",
      async () => (await eventsOf(gateway, sessionId, "turn-ended")).length === 1,
    );
    expect(await eventsOf(gateway, sessionId, "ask-settled")).toMatchObject([
      { outcome: { outcome: "cancelled" }, by: { gateway: "agent-gone" } },
    ]);
    expect(await eventsOf(gateway, sessionId, "terminal-exited")).toHaveLength(1);
    expect(await eventsOf(gateway, sessionId, "terminal-restarted")).toEqual([]);
  },
);

test("without a sandbox commands run unconfined, which is reported once, unless the config requires one", async () => {
  const steps = [
    { createTerminal: { command: "echo hi" } },
    { waitForExit: { expect: { exitCode: 0 } } },
    { releaseTerminal: {} },
    { createTerminal: { command: "echo there" } },
    { waitForExit: { expect: { exitCode: 0 } } },
  ];
  const wanting = [{ createTerminal: { command: "echo > file", expect: { error: {} } } }];
  const agents = { agent: { turns: [{ steps }] }, wanting: { turns: [{ steps: wanting }] } };
  const policy = { wanting: { terminalSandbox: true } };
  await using gateway = await GatewayProcess.make(
    agents,
    {},
    { policy },
    {
      flags: [],
      environment: { PATH: "/no/programs" },
    },
  );
  await gateway.start();
  for (const agent of ["agent", "wanting"]) {
    const sessionId = await prompted(gateway, agent);
    await until(
      "the turn is ended",
      async () => (await eventsOf(gateway, sessionId, "turn-ended")).length === 1,
    );
    expect(await eventsOf(gateway, sessionId, "turn-ended")).toMatchObject([
      { stopReason: "end_turn" },
    ]);
    const terminals = await eventsOf(gateway, sessionId, "terminal-opened");
    expect(terminals.map(({ confinement }) => confinement)).toEqual(
      agent === "agent" ? [null, null] : [],
    );
  }
  expect(await fs.readdir(gateway.project)).toEqual([]);
  // Both sessions have ended, and the gateway's output may arrive later.
  const told = () => gateway.complaints().filter((line) => line.includes("not confined"));
  await until("it is logged", () => told().length > 0);
  expect(await gateway.end("SIGTERM")).toBe(0);
  expect(told()).toEqual([expect.stringContaining("bubblewrap is not installed")]);
});
