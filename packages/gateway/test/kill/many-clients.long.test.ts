import { setTimeout as delay } from "node:timers/promises";
import { decodeLine, emptyView, fold, type SessionEvent } from "@landline/protocol";
import { toBridge, toCodeopen } from "@landline/protocol/compat";
import { expect, test } from "vitest";
import { checkNumbered, checkWhole, eventsOf } from "./checks.ts";
import { transportNames } from "./transports.ts";
import { Follower } from "./follower.ts";
import { GatewayProcess } from "./gateway-process.ts";
import { Random, seedOfRun } from "./random.ts";
import { until } from "./until.ts";

const clientCount = 50;
const turnCount = 6;

/** Two modes, so that one event is several frames in the dialects. */
const talkative = {
  initialize: { agentCapabilities: { loadSession: true } },
  session: {
    modes: {
      currentModeId: "ask",
      availableModes: [
        { id: "ask", name: "Ask" },
        { id: "act", name: "Act" },
      ],
    },
  },
  turns: [
    {
      match: "/./",
      steps: [
        { think: "Thinking of {{prompt}}." },
        { tool: { toolCallId: "t-{{turnId}}", title: "Look", kind: "read", status: "pending" } },
        { flood: { count: 300, bytes: 60, perSecond: 500, messageId: "m-{{turnId}}" } },
        { toolUpdate: { toolCallId: "t-{{turnId}}", status: "completed" } },
        { plan: [{ content: "{{prompt}}", priority: "high", status: "completed" }] },
        { say: "{{prompt}} is done." },
      ],
    },
  ],
};

test("fifty clients over every transport receive the same, however often they are disconnected", async () => {
  const random = new Random(seedOfRun());
  const limits = { requestsPerMinute: 1_000_000, errorRepliesPerMinute: 1_000_000 };
  await using gateway = await GatewayProcess.make({ talkative }, limits);
  await gateway.start();
  await using followers = new AsyncDisposableStack();
  const sessionIds = [
    await gateway.openSession("talkative"),
    await gateway.openSession("talkative"),
  ];
  const [sessionId = "", otherId = ""] = sessionIds;
  const { token } = gateway;
  const { port } = gateway.network;
  const follow = (id: string, index: number, after: number) => {
    const transport = transportNames[index % transportNames.length]!;
    return followers.use(new Follower(transport, { port, token, sessionId: id }, after));
  };
  const clients = Array.from({ length: clientCount }, (_, index) => follow(sessionId, index, 0));
  const others = transportNames.map((_door, index) => follow(otherId, index, 0));

  const words = new Map(sessionIds.map((id, index) => [id, ["Apples", "Pears"][index]]));
  const isDone = async (id: string) => {
    const ended = eventsOf(await gateway.logEvents(id), "turn-ended");
    return ended.length === turnCount;
  };
  for (const id of sessionIds)
    for (let turn = 0; turn < turnCount; turn++)
      await gateway.json("POST", `/api/sessions/${id}/prompts`, {
        promptId: `${id}-${turn}`,
        content: `${words.get(id)} ${turn}`,
      });
  // Until most were disconnected more than once: on a busy machine, reconnecting takes longer than the turns.
  const areCut = () => clients.filter(({ lives }) => lives > 2).length > clientCount / 2;
  while (!(await isDone(sessionId)) || !(await isDone(otherId)) || !areCut()) {
    await delay(random.below(300));
    gateway.network.cut(() => random.next() < 0.4);
  }
  for (const id of sessionIds) await gateway.call("DELETE", `/api/sessions/${id}`);

  const lines = await gateway.logLines(sessionId);
  const otherLines = await gateway.logLines(otherId);
  for (const [followed, wanted] of [
    [clients, lines],
    [others, otherLines],
  ] as const)
    for (const follower of followed)
      await until(`a client over ${follower.transport} was shown everything`, () => {
        return follower.cursor >= wanted.length;
      });
  await followers.disposeAsync();

  const events = lines.map(decodeLine) as SessionEvent[];
  checkWhole(events);
  expect(checkNumbered(events)).toBe(turnCount);
  const view = fold(emptyView(), events);
  for (const follower of clients) checkFollower(follower, sessionId, lines, events);
  for (const follower of clients.filter(
    ({ transport }) => transport !== "bridge" && transport !== "codeopen",
  )) {
    const seen = follower.frames.map(({ text }) => decodeLine(text));
    expect(fold(emptyView(), seen)).toEqual(view);
  }
  const otherEvents = otherLines.map(decodeLine) as SessionEvent[];
  for (const follower of others) checkFollower(follower, otherId, otherLines, otherEvents);
  for (const [followed, foreign] of [
    [clients, "Pears"],
    [others, "Apples"],
  ] as const)
    for (const { frames } of followed)
      expect(frames.filter(({ text }) => text.includes(foreign))).toEqual([]);
  expect(await gateway.end("SIGTERM")).toBe(0);
  expect(gateway.processes()).toEqual([]);
});

/** It received what its transport makes of the log, each frame once and in order. */
function checkFollower(
  follower: Follower,
  sessionId: string,
  lines: readonly string[],
  events: readonly SessionEvent[],
): void {
  const { transport, faults, frames } = follower;
  const wanted = {
    bridge: () => events.flatMap((event) => toBridge(sessionId, event)).map(framed),
    codeopen: () =>
      events.flatMap((event) => toCodeopen(sessionId, event)).map(({ data }) => framed(data)),
    landline: () => [...lines],
    sse: () => [...lines],
    pages: () => [...lines],
  }[transport]();
  expect({ transport, faults, frames: frames.map(({ text }) => text) }).toEqual({
    transport,
    faults: [],
    frames: wanted,
  });
}

function framed(frame: object): string {
  return JSON.stringify(frame);
}
