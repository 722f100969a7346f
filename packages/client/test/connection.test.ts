import { createServer } from "node:net";
import { LandlineError } from "@landline/protocol";
import { describe, expect, it } from "vitest";
import { defaultTiming } from "../src/timing.ts";
import { connectLandline } from "../src/landline.ts";
import { eventually, shortTiming, hurry, until } from "./short-timing.ts";
import { FaultyGateway } from "./faulty-gateway.ts";

describe("the connection", () => {
  it("reports its state, and notifies only of changes", async () => {
    await using gateway = await FaultyGateway.listen();
    using landline = hurry({ url: gateway.url });
    const seen = [landline.connection.getSnapshot()];
    landline.connection.subscribe(() => seen.push(landline.connection.getSnapshot()));
    await until(landline.connection, ({ state }) => state === "online");
    gateway.hangUp();
    await until(landline.connection, ({ state }) => state === "offline");
    const again = await until(landline.connection, ({ state }) => state === "online");
    expect(again).toMatchObject({ via: "websocket", retryAt: null, error: null });
    expect(seen.map(({ state }) => state)).toEqual([
      "connecting",
      "online",
      "offline",
      "connecting",
      "online",
    ]);
    expect(seen[2]).toMatchObject({ via: null, error: { code: "connection-lost" } });
    expect(seen[2]?.retryAt).toBeGreaterThanOrEqual(seen[2]?.since ?? 0);
  });

  it("is refused when the HTTP response says so, and then retries only on request", async () => {
    await using gateway = await FaultyGateway.listen();
    gateway.refusal = new LandlineError("unauthorized");
    using landline = hurry({ url: gateway.url });
    const refused = await until(landline.connection, ({ state }) => state === "refused");
    expect(refused.error).toMatchObject({ code: "unauthorized", help: expect.any(String) });
    await expect(landline.open({ agent: "a", cwd: "/" })).rejects.toMatchObject({
      code: "unauthorized",
    });
    expect(gateway.upgrades).toBe(1);
    gateway.refusal = null;
    landline.reconnect();
    await until(landline.connection, ({ state }) => state === "online");
  });

  it("is offline when the gateway does not respond, with growing delays and jitter", async () => {
    const free = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => free.once("listening", resolve));
    const { port } = free.address() as { port: number };
    await new Promise((resolve) => free.close(resolve));
    using landline = hurry({ url: `http://127.0.0.1:${port}` }, { retryMs: 20, retryMsMost: 40 });
    const waits: number[] = [];
    landline.connection.subscribe(() => {
      const { state, retryAt, since } = landline.connection.getSnapshot();
      if (state === "offline") waits.push((retryAt ?? 0) - since);
    });
    await eventually(() => waits.length >= 5);
    for (const wait of waits) expect(wait).toBeLessThanOrEqual(41);
    expect(waits[0]).toBeLessThanOrEqual(21);
    expect(new Set(waits).size).toBeGreaterThan(1);
    expect(landline.connection.getSnapshot().error).toMatchObject({ code: "connection-lost" });
  });

  it("waits as long as a busy gateway says", async () => {
    await using gateway = await FaultyGateway.listen();
    gateway.refusal = new LandlineError("rate-limited", { retryAfterMs: 60_000 });
    using landline = hurry({ url: gateway.url });
    const offline = await until(landline.connection, ({ state }) => state === "offline");
    expect((offline.retryAt ?? 0) - offline.since).toBeGreaterThanOrEqual(59_000);
    gateway.refusal = null;
    landline.reconnect();
    await until(landline.connection, ({ state }) => state === "online");
  });

  it("falls back to server-sent events without WebSockets, and returns when they work", async () => {
    await using gateway = await FaultyGateway.listen();
    gateway.takesSockets = false;
    const session = gateway.open("s");
    using landline = hurry({ url: gateway.url });
    const attached = landline.session("s");
    attached.subscribe(() => {});
    await until(landline.connection, ({ state, via }) => state === "online" && via === "sse");
    expect(gateway.upgrades).toBe(2);
    await until(attached, ({ state }) => state === "live");
    await attached.prompt("by request", "p1");
    await until(attached, ({ view }) => view?.lastTurn?.promptId === "p1");
    gateway.takesSockets = true;
    await until(landline.connection, ({ via }) => via === "websocket");
    await attached.prompt("by socket", "p2");
    await until(attached, ({ view }) => view?.lastTurn?.promptId === "p2");
    expect(attached.getSnapshot().view?.head).toBe(session.log.length);
  });

  it("never leaves WebSocket when configured so", async () => {
    await using gateway = await FaultyGateway.listen();
    gateway.takesSockets = false;
    using landline = hurry({ url: gateway.url, transport: "websocket" });
    await eventually(() => gateway.upgrades >= 5);
    expect(landline.connection.getSnapshot().via).toBeNull();
    gateway.takesSockets = true;
    await until(landline.connection, ({ via }) => via === "websocket");
  });

  it("is broken when the gateway does not reply to a probe", async () => {
    await using gateway = await FaultyGateway.listen();
    using landline = hurry({ url: gateway.url }, { quietMs: 30, wordMs: 2_000 });
    await until(landline.connection, ({ state }) => state === "online");
    await eventually(() => gateway.commands.filter(({ type }) => type === "detach").length >= 3);
    expect(landline.connection.getSnapshot().state).toBe("online");
    expect(gateway.upgrades).toBe(1);
    gateway.isMute = true;
    await until(landline.connection, ({ state }) => state !== "online");
    gateway.isMute = false;
    await until(landline.connection, ({ state }) => state === "online");
  });

  it.each([
    { what: "a list that is asked for", timing: { sessionsPollMs: 20 }, isWanted: false },
    { what: "a session that is attached", timing: {}, isWanted: true },
  ])("is broken as soon as nobody answers $what", async ({ timing, isWanted }) => {
    // The test is shorter than the timeout for silence.
    const never = 600_000;
    const gateway = await FaultyGateway.listen();
    using landline = hurry(
      { url: gateway.url, transport: "sse" },
      { quietMs: never, sessionsPollMs: never, agentsPollMs: never, mePollMs: never, ...timing },
    );
    landline.sessions.subscribe(() => {});
    await until(landline.sessions, ({ isLoaded }) => isLoaded);
    await gateway[Symbol.asyncDispose]();
    if (isWanted) landline.session("s").subscribe(() => {});
    const { error } = await until(landline.connection, ({ state }) => state === "offline");
    expect(error).toMatchObject({ code: "connection-lost" });
  });

  it("is offline when a proxy reports that the gateway is down, and refused when authentication fails", async () => {
    await using gateway = await FaultyGateway.listen();
    using landline = hurry({ url: gateway.url, transport: "sse" }, { quietMs: 600_000 });
    landline.sessions.subscribe(() => {});
    for (const [code, state] of [
      ["connection-lost", "offline"],
      ["unauthorized", "refused"],
    ] as const) {
      landline.reconnect();
      await until(landline.connection, (now) => now.state === "online");
      gateway.refusal = new LandlineError(code);
      const { error } = await until(landline.connection, (now) => now.state === state);
      expect(error).toMatchObject({ code });
      gateway.refusal = null;
    }
  });

  it("is a single connection, even when a listener reconnects on a disconnect", async () => {
    await using gateway = await FaultyGateway.listen();
    gateway.open("s");
    using landline = hurry({ url: gateway.url }, { retryMs: 1, retryMsMost: 1 });
    landline.connection.subscribe(() => {
      if (landline.connection.getSnapshot().state === "offline") landline.reconnect();
    });
    for (let broken = 1; broken <= 3; broken++) {
      await landline.session("s").rename("First");
      gateway.hangUp();
      await until(landline.connection, ({ state }) => state !== "online");
    }
    for (let round = 0; round < 20; round++) await landline.session("s").rename("Later");
    expect(gateway.upgrades).toBe(4);
  });

  it("can be closed by a listener at any time", async () => {
    await using gateway = await FaultyGateway.listen();
    for (const last of ["online", "offline", "connecting"] as const) {
      const landline = connectLandline({ url: gateway.url }, shortTiming);
      await until(landline.connection, ({ state }) => state === "online");
      landline.connection.subscribe(() => {
        if (landline.connection.getSnapshot().state === last) landline.close();
      });
      gateway.hangUp();
      await until(landline.connection, ({ state }) => state === "closed");
      await eventually(() => gateway.connections === 0);
    }
    const before = gateway.upgrades;
    using witness = hurry({ url: gateway.url });
    await until(witness.sessions, ({ isLoaded }) => isLoaded);
    expect(gateway.upgrades).toBe(before + 1);
  });

  it("leaves nothing behind when it is closed: no timer, no socket, nothing pending", async () => {
    await using gateway = await FaultyGateway.listen();
    gateway.open("s");
    for (const transport of ["websocket", "sse"] as const) {
      // These waits would outlast the test if one were left.
      const timing = { ...shortTiming, ...defaultTiming, commandMs: 600_000 };
      const before = timers();
      const landline = connectLandline({ url: gateway.url, transport }, timing);
      const attached = landline.session("s");
      const unsubscribe = attached.subscribe(() => {});
      await until(attached, ({ state }) => state === "live");
      gateway.isMute = true;
      const pending = [
        attached.cancel(),
        attached.prompt("never", "p"),
        landline.open({ agent: "a", cwd: "/" }),
      ];
      unsubscribe();
      landline.close();
      const codes = await Promise.all(pending.map((one) => one.catch((error) => error.code)));
      expect(codes).toEqual(Array.from({ length: 3 }, () => "request-cancelled"));
      await expect(attached.cancel()).rejects.toMatchObject({ code: "request-cancelled" });
      expect(landline.connection.getSnapshot().state).toBe("closed");
      gateway.isMute = false;
      await eventually(() => gateway.connections === 0 || transport === "sse");
      await eventually(() => timers() <= before);
    }
  });

  it("aborts the attempt in progress when it is closed", async () => {
    await using gateway = await FaultyGateway.listen();
    const before = timers();
    const landline = connectLandline({ url: gateway.url }, defaultTiming);
    landline.close();
    landline.close();
    landline.reconnect();
    expect(landline.connection.getSnapshot().state).toBe("closed");
    await eventually(() => timers() <= before && gateway.connections === 0);
  });
});

/** What keeps this process alive, apart from the test's own wait. */
function timers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
}
