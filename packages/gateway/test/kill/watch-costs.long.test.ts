import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { GatewayProcess } from "./gateway-process.ts";
import { until } from "./until.ts";

const heap = { flags: ["--max-old-space-size=512"] };

/** One message of about 5 MB, in chunks that are short enough for the log itself. */
const large = { flood: { count: 50, bytes: 100_000, messageId: "one" } };
/** Many events of which an export shows little. */
const long = { flood: { count: 60_000, bytes: 1, messageId: "two" } };

async function makeSession(gateway: GatewayProcess, content: string): Promise<string> {
  const id = await gateway.openSession("agent");
  await gateway.json("POST", `/api/sessions/${id}/prompts`, { content });
  const isOver = async () => {
    const { state, head } = await gateway.json<{ state: string; head: number }>(
      "GET",
      `/api/sessions/${id}`,
    );
    return state === "idle" && head > 10;
  };
  await until("the turn ends", isOver, 120_000);
  return id;
}

async function watchToken(gateway: GatewayProcess): Promise<string> {
  const wanted = { name: "a watcher", role: "watch" };
  return (await gateway.json<{ token: string }>("POST", "/api/devices", wanted)).token;
}

/** Sends a request and reads only the beginning of the response. */
class Deaf {
  readonly #socket: Socket;
  heard = "";

  constructor({ network }: GatewayProcess, address: string, token: string) {
    this.#socket = connect(network.target ?? 0, "127.0.0.1");
    this.#socket.on("error", () => {});
    this.#socket.once("data", (bytes: Buffer) => {
      this.heard = bytes.toString("latin1");
      this.#socket.pause();
    });
    const lines = [`GET ${address} HTTP/1.1`, "host: localhost", `authorization: Bearer ${token}`];
    this.#socket.write(`${[...lines, "accept: application/json"].join("\r\n")}\r\n\r\n`);
  }

  get status(): number {
    return Number(/^HTTP\/1.1 (\d+)/u.exec(this.heard)?.[1] ?? 0);
  }

  async leave(): Promise<void> {
    if (this.#socket.destroyed) return;
    const closed = once(this.#socket, "close");
    this.#socket.destroy();
    await closed;
  }
}

test("a watch token can't exhaust the memory of a gateway with 512 MB of heap", async () => {
  const turns = [{ match: "long", steps: [long] }, { steps: [large] }];
  await using gateway = await GatewayProcess.make({ agent: { turns } }, {}, {}, heap);
  await gateway.start();
  const id = await makeSession(gateway, "go");
  const token = await watchToken(gateway);
  const session = `/api/sessions/${id}`;
  for (const address of [session, `${session}/events`, `${session}/export?format=json`]) {
    const asking = Array.from({ length: 1_000 }, () => new Deaf(gateway, address, token));
    await until(`1,000 × ${address} are answered`, () => asking.every(({ status }) => status > 0));
    const statuses = new Set(asking.map(({ status }) => status));
    expect(statuses).toEqual(new Set([200, 429]));
    const refused = asking.find(({ status }) => status === 429)?.heard ?? "";
    expect(refused).toMatch(/retry-after: \d+/iu);
    expect(refused).toMatch(/"code":"rate-limited".*already receiving/u);
    // Others are served meanwhile, and so is the same client after it disconnected.
    expect((await gateway.call("GET", session)).status).toBe(200);
    await Promise.all(asking.map((one) => one.leave()));
    await until("it is served again", async () => {
      const again = new Deaf(gateway, address, token);
      await until("it is answered", () => again.status > 0);
      await again.leave();
      return again.status === 200;
    });
  }
});

test("nor can a message of a watch token", async () => {
  await using gateway = await GatewayProcess.make({ agent: { turns: [] } }, {}, {}, heap);
  await gateway.start();
  const token = await watchToken(gateway);
  const port = gateway.network.target ?? 0;
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, ["landline.v1", `token.${token}`]);
  await once(socket, "open");
  const closed = once(socket, "close");
  // 60 MB of text, and objects for several times the heap.
  socket.send(`[${"{},".repeat(20_000_000)}{}]`);
  expect((await closed)[0]).toBe(1009);
  expect((await gateway.call("GET", "/api/health")).status).toBe(200);
}, 60_000);

test("a view has a bounded size, and says what it omits", async () => {
  const turns = [{ steps: [large] }];
  await using gateway = await GatewayProcess.make(
    { agent: { turns } },
    { viewBytes: 1_000_000 },
    {},
    heap,
  );
  await gateway.start();
  const id = await makeSession(gateway, "go");
  await makeSession(gateway, "go");
  const reply = await gateway.call("GET", `/api/sessions/${id}`);
  const text = await reply.text();
  expect(text.length).toBeLessThan(1_010_000);
  expect(text).toContain("characters are omitted from this view");
  expect(JSON.parse(text)).toMatchObject({ sessionId: id, view: { head: expect.any(Number) } });
});

test("an export ends with its client, and does not delay a stop", async () => {
  const turns = [{ steps: [long] }];
  await using gateway = await GatewayProcess.make(
    { agent: { turns } },
    { exportsPerToken: 1 },
    {},
    heap,
  );
  await gateway.start();
  const id = await makeSession(gateway, "long");
  const address = `/api/sessions/${id}/export?format=markdown`;
  const first = new Deaf(gateway, address, gateway.token);
  await until("it has begun", () => gateway.stderr.includes("/export"));
  await first.leave();
  const leftAt = performance.now();
  await until("the next one is accepted", async () => {
    const next = new Deaf(gateway, address, gateway.token);
    await until("it is answered or disconnects", () => next.status > 0, 2_000).catch(() => {});
    await next.leave();
    return next.status !== 429;
  });
  expect(performance.now() - leftAt).toBeLessThan(4_000);
  for (let count = 0; count < 5; count += 1) {
    await new Deaf(gateway, address, gateway.token).leave();
  }
  const toldAt = performance.now();
  expect(await gateway.end("SIGTERM")).toBe(0);
  expect(performance.now() - toldAt).toBeLessThan(5_000);
});
