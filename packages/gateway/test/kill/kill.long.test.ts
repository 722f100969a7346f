import * as fs from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { emptyView, fold, limitsOf, trimView, type SessionView } from "@landline/protocol";
import { expect, test } from "vitest";
import { checkNumbered, checkWhole, eventsOf, filesIn } from "./checks.ts";
import { ClientProcess } from "./client-process.ts";
import { GatewayProcess } from "./gateway-process.ts";
import { Random, seedOfRun } from "./random.ts";
import { until } from "./until.ts";

const seconds = Number(process.env["LANDLINE_KILL_SECONDS"] ?? 30);

/** Streams numbers, asks, runs commands, leaves processes behind, and can load its sessions. */
const busy = {
  initialize: { agentCapabilities: { loadSession: true } },
  turns: [
    {
      match: "ask",
      steps: [
        { tool: { toolCallId: "a-{{turnId}}", title: "Change it", kind: "edit" } },
        { flood: { count: 50, bytes: 40, perSecond: 500, messageId: "before-{{turnId}}" } },
        {
          permission: {
            toolCall: { toolCallId: "a-{{turnId}}", title: "Change it", kind: "edit" },
            on: {
              allow: [{ toolUpdate: { toolCallId: "a-{{turnId}}", status: "completed" } }],
              reject: [{ toolUpdate: { toolCallId: "a-{{turnId}}", status: "failed" } }],
              cancelled: [{ end: "cancelled" }],
            },
          },
        },
        { flood: { count: 50, bytes: 40, perSecond: 500, messageId: "after-{{turnId}}" } },
      ],
    },
    {
      match: "terminal",
      steps: [
        {
          createTerminal: {
            command: "for i in 1 2 3 4 5 6 7 8; do echo line $i; sleep 0.05; done",
          },
        },
        { flood: { count: 50, bytes: 40, perSecond: 500, messageId: "run-{{turnId}}" } },
        { waitForExit: {} },
        { releaseTerminal: {} },
      ],
    },
    {
      match: "orphan",
      steps: [
        { spawn: { forMs: 120_000, detached: true, ignoresSigterm: true } },
        { spawn: { forMs: 120_000 } },
        { flood: { count: 50, bytes: 40, perSecond: 500, messageId: "left-{{turnId}}" } },
      ],
    },
    {
      match: "/./",
      steps: [
        { think: "Söme thoughts — with 🙂 in them" },
        { say: { text: `{{prompt}} ${"long ".repeat(60_000)}`, chunkChars: 1_000_000 } },
        { flood: { count: 200, bytes: 60, perSecond: 400, messageId: "stream-{{turnId}}" } },
      ],
    },
  ],
};

/** The number of each kind of kill, for the end. */
class Killer {
  readonly counts = { gateway: 0, starting: 0, agent: 0, client: 0, network: 0 };
  readonly #gateway: GatewayProcess;
  readonly #clients: readonly ClientProcess[];
  readonly #random: Random;

  constructor(gateway: GatewayProcess, clients: readonly ClientProcess[], random: Random) {
    this.#gateway = gateway;
    this.#clients = clients;
    this.#random = random;
  }

  async strike(): Promise<void> {
    const kind = this.#random.one(["gateway", "gateway", "agent", "client", "network"] as const);
    this.counts[kind]++;
    if (kind === "gateway") await this.#killGateway();
    else if (kind === "agent") this.#killAgent();
    else if (kind === "client") await this.#killClient();
    else this.#gateway.network.cut(() => this.#random.next() < 0.5);
  }

  async #killGateway(): Promise<void> {
    await this.#gateway.end("SIGKILL");
    const left = this.#gateway.processes();
    while (this.#random.next() < 0.25) {
      this.counts.starting++;
      this.#gateway.spawn();
      await delay(this.#random.below(700));
      await this.#gateway.end("SIGKILL");
    }
    await this.#gateway.start();
    await until("the next gateway ends the processes of the killed one", () => {
      const now = new Set(
        this.#gateway.processes().map(({ pid, startTime }) => `${pid} ${startTime}`),
      );
      return left.every(({ pid, startTime }) => !now.has(`${pid} ${startTime}`));
    });
  }

  #killAgent(): void {
    const agents = this.#gateway.agents();
    if (agents.length === 0) return;
    try {
      process.kill(this.#random.one(agents).pid, "SIGKILL");
    } catch {
      // It ended in between.
    }
  }

  async #killClient(): Promise<void> {
    const client = this.#random.one(this.#clients);
    await client.kill();
    client.start(this.#random.below(1_000_000));
  }
}

test(
  "whatever is killed, no received event is lost or duplicated, and nothing is left behind",
  async () => {
    const random = new Random(seedOfRun());
    const limits = { promptsPerMinute: 100_000, requestsPerMinute: 100_000 };
    const durability = random.one(["process", "disk"] as const);
    await using gateway = await GatewayProcess.make({ busy }, limits, { durability });
    await gateway.start();
    const sessionId = await gateway.openSession("busy");
    const { folder, token } = gateway;
    const { port } = gateway.network;
    const clients = (["landline", "sse", "pages"] as const).map(
      (transport, after) =>
        new ClientProcess({ name: transport, transport, folder, token, port, sessionId, after }),
    );
    await using _clients = {
      [Symbol.asyncDispose]: async () => {
        for (const client of clients) await client.kill();
      },
    };
    for (const client of clients) client.start(random.below(1_000_000));

    const killer = new Killer(gateway, clients, random);
    const end = performance.now() + seconds * 1_000;
    while (performance.now() < end) {
      await delay(random.below(1_200));
      await killer.strike();
    }
    await fs.writeFile(gateway.path("stop"), "");
    await until("the clients have no prompt to send", () => clients.every((one) => one.isQuiet));
    const at = `/api/sessions/${sessionId}`;
    const last = { promptId: "last", content: "stream for the last time" };
    await gateway.json("POST", `${at}/prompts`, last);
    const show = () => gateway.json<{ head: number; state: string; view: SessionView }>("GET", at);
    await until(
      "every prompt had its turn",
      async () => {
        const { state, view } = await show();
        return state === "idle" && view.queue.length === 0 && view.turn.state === "idle";
      },
      120_000,
    );
    expect((await gateway.call("DELETE", at)).status).toBe(204);
    const { head, view } = await show();
    for (const client of clients)
      await until(`${client.name} was shown everything`, () => {
        const { seq = 0 } = JSON.parse(client.seen.at(-1) ?? "{}") as { seq?: number };
        return seq >= head;
      });
    for (const client of clients) await client.kill();
    expect(await gateway.end("SIGTERM")).toBe(0);

    // The log on the disk is exactly what every client received, each event once and in order.
    const lines = await gateway.logLines(sessionId);
    expect(lines).toHaveLength(head);
    for (const client of clients) {
      expect({ name: client.name, faults: client.faults, stderr: client.stderr }).toEqual({
        name: client.name,
        faults: [],
        stderr: "",
      });
      expectSame(client.name, client.seen, lines.slice(client.after));
    }
    const events = await gateway.logEvents(sessionId);
    checkWhole(events);
    expect(checkNumbered(events)).toBeGreaterThan(10);
    const stopReasons = eventsOf(events, "turn-ended").map(({ stopReason }) => stopReason);
    const ends = Object.groupBy(stopReasons, (reason) => reason);
    const turns = Object.entries(ends).map(([reason, { length }]) => `${length} ${reason}`);
    process.stdout.write(`${JSON.stringify({ durability, head, killed: killer.counts, turns })}\n`);
    // Some turns were interrupted, and others completed.
    expect(Object.keys(ends)).toEqual(expect.arrayContaining(["end_turn", "interrupted"]));
    const queued = eventsOf(events, "prompt-queued").map(({ promptId }) => promptId);
    const acknowledged = clients.flatMap((client) => client.acknowledged);
    expect(queued.toSorted()).toEqual([...acknowledged, "last"].toSorted());
    const started = eventsOf(events, "turn-started").map(({ promptId }) => promptId);
    expect(started.toSorted()).toEqual(queued.toSorted());

    // All views are equal.
    const whole = fold(emptyView(), events);
    const { snapshotItems } = limitsOf("default");
    expect(whole.openAsks).toEqual([]);
    expect(trimView(whole, snapshotItems)).toEqual(trimView(view, snapshotItems));

    // Nothing is left: no process, and no unknown file in the data folder.
    expect(gateway.processes()).toEqual([]);
    const kept =
      /^(?:owner\.json|lock\.sqlite|derived\.sqlite|tokens\.json|rules\.json|agents\.ndjson|sandbox\/unreadable|sessions\/[0-9a-f-]{36}\/(?:\d{12}\.ndjson|blobs\/[0-9a-f]{64}))$/;
    expect((await filesIn(gateway.data)).filter((name) => !kept.test(name))).toEqual([]);
    // The scripted agents compile into it.
    const temporary = await filesIn(gateway.path("tmp"));
    expect(temporary.filter((name) => !name.startsWith("node-compile-cache/"))).toEqual([]);
    expect(await filesIn(gateway.project)).toEqual([]);
    expect(gateway.complaints()).toEqual([]);

    // It can be opened again, with its database and without.
    for (const isLost of [false, true]) {
      if (isLost) await fs.rm(gateway.path("data", "derived.sqlite"));
      await gateway.start();
      const again = await show();
      expect(again).toMatchObject({ head, state: "idle" });
      expect(again.view).toEqual(view);
      expect(await gateway.end("SIGTERM")).toBe(0);
      expectSame("opened again", await gateway.logLines(sessionId), lines);
    }
  },
  seconds * 1_000 + 240_000,
);

/** Reports where two lists start to differ. */
function expectSame(name: string, actual: readonly string[], wanted: readonly string[]): void {
  const at = actual.findIndex((line, index) => line !== wanted[index]);
  const differs = at === -1 ? actual.length : at;
  if (at === -1 && actual.length === wanted.length) return;
  const near = (list: readonly string[]) => list.slice(Math.max(0, differs - 2), differs + 3);
  expect({ name, differs, lines: near(actual) }).toEqual({ name, differs, lines: near(wanted) });
  expect({ name, count: actual.length }).toEqual({ name, count: wanted.length });
}
