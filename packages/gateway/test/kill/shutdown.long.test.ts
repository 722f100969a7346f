import * as fs from "node:fs/promises";
import { connect } from "node:net";
import type { SessionEvent } from "@landline/protocol";
import { shippedScenario } from "@landline/testing";
import { expect, test } from "vitest";
import { transportNames } from "./transports.ts";
import { Follower } from "./follower.ts";
import { GatewayProcess } from "./gateway-process.ts";
import { until } from "./until.ts";

const limitMs = 5_000;

async function stubborn(): Promise<object> {
  return JSON.parse(await fs.readFile(shippedScenario("stubborn"), "utf8")) as object;
}

const isKind =
  <Kind extends SessionEvent["kind"]>(kind: Kind) =>
  (event: SessionEvent): event is Extract<SessionEvent, { kind: Kind }> =>
    event.kind === kind;

/** Opens a session and prompts it; resolves when its agent has sent something. */
async function busySession(gateway: GatewayProcess, agent: string): Promise<string> {
  const sessionId = await gateway.openSession(agent);
  await gateway.json("POST", `/api/sessions/${sessionId}/prompts`, { content: "go" });
  await until("the agent sends something", async () =>
    (await gateway.logEvents(sessionId)).some(isKind("update")),
  );
  return sessionId;
}

/** Clients of every transport, one of which does not read. */
async function watch(
  { network, token }: GatewayProcess,
  sessionId: string,
  clients: AsyncDisposableStack,
): Promise<void> {
  const place = { port: network.port, token, sessionId };
  const watching = transportNames.map((transport) => clients.use(new Follower(transport, place)));
  for (const { transport, frames } of watching)
    await until(`a client over ${transport} is shown the session`, () => frames.length > 0);
  const deaf = connect(network.target ?? 0, "127.0.0.1");
  clients.defer(() => void deaf.destroy());
  deaf.on("error", () => {});
  deaf.pause();
  const lines = [
    `GET /api/sessions/${sessionId}/events HTTP/1.1`,
    "host: localhost",
    `authorization: Bearer ${token}`,
  ];
  deaf.write(`${lines.join("\r\n")}\r\n\r\n`);
}

test.each(["SIGTERM", "SIGINT"] as const)(
  "%s during turns ends them, with stubborn agents and all their processes, with 0",
  async (signal) => {
    await using gateway = await GatewayProcess.make({
      stubborn: await stubborn(),
      asking: {
        turns: [{ steps: [{ say: "May I?" }, { permission: { toolCall: { toolCallId: "t" } } }] }],
      },
      typing: {
        turns: [
          {
            steps: [
              { createTerminal: { command: "trap '' TERM; sleep 60 & sleep 60" } },
              { say: "Running." },
              { waitForExit: {} },
            ],
          },
        ],
      },
    });
    await gateway.start();
    expect(gateway.processes()).toHaveLength(1);
    const sessions = [
      await busySession(gateway, "stubborn"),
      await busySession(gateway, "stubborn"),
      await busySession(gateway, "asking"),
      await busySession(gateway, "typing"),
    ];
    // The gateway; two agents with three children each; an agent; an agent and a shell with two children.
    await until("all of them run", () => gateway.processes().length === 1 + 8 + 1 + 4);

    await using clients = new AsyncDisposableStack();
    await watch(gateway, sessions[0] ?? "", clients);

    const toldAt = performance.now();
    const code = await gateway.end(signal);
    expect(performance.now() - toldAt).toBeLessThan(limitMs);
    expect({ code, complaints: gateway.complaints() }).toEqual({ code: 0, complaints: [] });
    expect(gateway.processes()).toEqual([]);

    for (const sessionId of sessions) {
      const events = await gateway.logEvents(sessionId);
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index + 1));
      const started = events.find(isKind("turn-started"));
      expect(events.filter(isKind("turn-ended"))).toMatchObject([
        { turnId: started?.turnId, stopReason: "cancelled" },
      ]);
      expect(events.filter(isKind("agent-exited"))).toHaveLength(1);
      expect(events.filter(isKind("ask-settled"))).toHaveLength(
        events.filter(isKind("ask-opened")).length,
      );
      expect(events.filter(isKind("terminal-exited"))).toHaveLength(
        events.filter(isKind("terminal-opened")).length,
      );
    }

    // The folder is unlocked, and its content is complete.
    const heads = await Promise.all(
      sessions.map(async (id) => (await gateway.logLines(id)).length),
    );
    await gateway.start();
    const shown = await Promise.all(
      sessions.map((id) =>
        gateway.json<{ head: number; state: string }>("GET", `/api/sessions/${id}`),
      ),
    );
    expect(shown).toMatchObject(heads.map((head) => ({ head, state: "idle" })));
    expect(await gateway.end(signal)).toBe(0);
  },
  60_000,
);

test("SIGTERM during the start of an agent that does not answer ends it too", async () => {
  await using gateway = await GatewayProcess.make({
    silent: {
      turns: [],
      answers: { initialize: { never: true } },
      process: { stdinClose: "stay", sigterm: "stay", strayLimitMs: 20_000 },
    },
  });
  await gateway.start();
  const opening = gateway.openSession("silent").then(
    () => "opened",
    () => "refused",
  );
  await until("the agent runs", () => gateway.agents().length === 1);
  const toldAt = performance.now();
  expect(await gateway.end("SIGTERM")).toBe(0);
  expect(performance.now() - toldAt).toBeLessThan(limitMs);
  expect(await opening).toBe("refused");
  expect(gateway.processes()).toEqual([]);
  expect(await fs.readdir(gateway.path("data", "sessions"))).toEqual([]);
});
