import { emptyView, fold, LandlineError } from "@landline/protocol";
import { describe, expect, it, vi } from "vitest";
import { eventually, hurry, until } from "./short-timing.ts";
import { FaultyGateway } from "./faulty-gateway.ts";

const typesOf = (gateway: FaultyGateway, type: string) =>
  gateway.commands.filter((command) => command.type === type);

describe("a session", () => {
  it("is attached while it has subscribers and shortly after, and resumes where it stopped", async () => {
    await using gateway = await FaultyGateway.listen();
    const session = gateway.open("s");
    using landline = hurry({ url: gateway.url });
    const attached = landline.session("s");
    expect(attached.getSnapshot()).toMatchObject({ state: "waiting", view: null, older: [] });
    const first = attached.subscribe(() => {});
    await until(attached, ({ state }) => state === "live");
    first();
    // A remount costs nothing.
    const second = attached.subscribe(() => {});
    expect(typesOf(gateway, "attach")).toHaveLength(1);
    second();
    await eventually(() => typesOf(gateway, "detach").length === 1);
    expect(attached.getSnapshot().state).toBe("waiting");
    session.playTurn("meanwhile");
    attached.subscribe(() => {});
    await until(attached, ({ view }) => view?.head === session.log.length);
    expect(typesOf(gateway, "attach")[1]).toMatchObject({ after: 1 });
    expect(landline.session("s")).toBe(attached);
  });

  it("is one of many over one connection", async () => {
    await using gateway = await FaultyGateway.listen();
    using landline = hurry({ url: gateway.url });
    const ids = Array.from({ length: 20 }, (_, number) => `s${number}`);
    for (const id of ids) gateway.open(id).playTurn(id);
    const sessions = ids.map((id) => landline.session(id));
    for (const session of sessions) session.subscribe(() => {});
    await Promise.all(sessions.map((session) => until(session, ({ state }) => state === "live")));
    expect(gateway.upgrades).toBe(1);
    for (const { id, getSnapshot } of sessions.map((session) => ({
      id: session.id,
      getSnapshot: () => session.getSnapshot(),
    }))) {
      expect(getSnapshot().view).toEqual(fold(emptyView(), gateway.sessions.get(id)?.log ?? []));
    }
  });

  it("keeps its content until a log that was restored from a backup is loaded", async () => {
    await using gateway = await FaultyGateway.listen();
    const session = gateway.open("s");
    session.playTurn("lost");
    using landline = hurry({ url: gateway.url });
    const attached = landline.session("s");
    const heads: (number | undefined)[] = [];
    attached.subscribe(() => heads.push(attached.getSnapshot().view?.head));
    await until(attached, ({ state }) => state === "live");
    const shownBefore = attached.getSnapshot().view?.head ?? 0;
    session.log.splice(4);
    session.append({ kind: "session-changed", title: "Restored", by: "somebody" });
    gateway.hangUp();
    await until(attached, ({ view }) => view?.session.title === "Restored");
    await until(attached, ({ state }) => state === "live");
    expect(attached.getSnapshot().view).toEqual(fold(emptyView(), session.log));
    const settled = heads.filter((head, position) => head !== heads[position - 1]);
    expect(settled.slice(settled.indexOf(shownBefore))).toEqual([shownBefore, session.log.length]);
  });

  it("resumes from a snapshot after a long disconnect", async () => {
    await using gateway = await FaultyGateway.listen();
    gateway.snapshotAfter = 10;
    const session = gateway.open("s");
    for (let turn = 0; turn < 5; turn++) session.playTurn(`t${turn}`);
    using landline = hurry({ url: gateway.url });
    const attached = landline.session("s");
    attached.subscribe(() => {});
    await until(
      attached,
      ({ view, state }) => state === "live" && view?.head === session.log.length,
    );
    expect(attached.getSnapshot().view).toEqual(fold(emptyView(), session.log));
    expect(attached.getSnapshot().history).toBe("whole");
  });

  it("is gone when it was deleted or never existed, and keeps its view", async () => {
    await using gateway = await FaultyGateway.listen();
    gateway.open("s").playTurn("t");
    using landline = hurry({ url: gateway.url });
    const never = landline.session("never");
    never.subscribe(() => {});
    await until(never, ({ state }) => state === "gone");
    const attached = landline.session("s");
    attached.subscribe(() => {});
    await until(attached, ({ state }) => state === "live");
    await attached.delete();
    const { view } = await until(attached, ({ state }) => state === "gone");
    expect(view?.items.length).toBeGreaterThan(0);
    gateway.hangUp();
    await until(landline.connection, ({ state }) => state === "offline");
    await until(landline.connection, ({ state }) => state === "online");
    expect(attached.getSnapshot().state).toBe("gone");
  });

  it("is offline and keeps its view while disconnected", async () => {
    await using gateway = await FaultyGateway.listen();
    gateway.open("s").playTurn("t");
    using landline = hurry({ url: gateway.url });
    const attached = landline.session("s");
    attached.subscribe(() => {});
    await until(attached, ({ state }) => state === "live");
    const { view } = attached.getSnapshot();
    gateway.hangUp();
    await until(attached, ({ state }) => state === "offline");
    expect(attached.getSnapshot().view).toBe(view);
    await until(attached, ({ state }) => state === "live");
    expect(attached.getSnapshot().view).toBe(view);
  });

  it("is offline if the gateway was never reachable", async () => {
    await using gateway = await FaultyGateway.listen();
    gateway.open("s");
    gateway.refusal = new LandlineError("disk-full", { retryAfterMs: 60_000 });
    using landline = hurry({ url: gateway.url });
    const attached = landline.session("s");
    attached.subscribe(() => {});
    expect(attached.getSnapshot().state).toBe("attaching");
    await until(attached, ({ state }) => state === "offline");
    gateway.refusal = null;
    landline.reconnect();
    await until(attached, ({ state }) => state === "live");
  });

  it("folds many events in few batches, and then reports them", async () => {
    await using gateway = await FaultyGateway.listen();
    const session = gateway.open("s");
    using landline = hurry({ url: gateway.url });
    const attached = landline.session("s");
    let told = 0;
    attached.subscribe(() => told++);
    const heard: number[] = [];
    attached.onEvents((events) => {
      expect(attached.getSnapshot().view?.head).toBe(events.at(-1)?.seq);
      heard.push(...events.map(({ seq }) => seq));
    });
    await until(attached, ({ state }) => state === "live");
    told = 0;
    for (let turn = 0; turn < 100; turn++) session.playTurn(`t${turn}`, 20);
    await until(attached, ({ view }) => view?.head === session.log.length);
    expect(heard).toEqual(session.log.map(({ seq }) => seq));
    expect(told).toBeLessThan(session.log.length / 10);
  });

  it("requests events again that were announced but not received", async () => {
    await using gateway = await FaultyGateway.listen();
    const session = gateway.open("s");
    using landline = hurry({ url: gateway.url }, { quickCommandMs: 150 });
    const attached = landline.session("s");
    attached.subscribe(() => {});
    await until(attached, ({ state }) => state === "live");
    for (const follower of session.attached.values()) follower.cursor = 100;
    session.playTurn("lost");
    gateway.tellAll({ type: "sessions", sessions: [session.summary], gone: [] });
    await until(attached, ({ view }) => view?.head === session.log.length);
    expect(typesOf(gateway, "attach").length).toBeGreaterThan(1);
  });

  it("is evicted after many others were used, and loads again completely", async () => {
    await using gateway = await FaultyGateway.listen();
    const session = gateway.open("s");
    using landline = hurry({ url: gateway.url }, { idleSessions: 2, lingerMs: 1 });
    const attached = landline.session("s");
    const stop = attached.subscribe(() => {});
    await until(attached, ({ state }) => state === "live");
    stop();
    await eventually(() => attached.getSnapshot().state === "waiting");
    for (const id of ["a", "b", "c"]) landline.session(id);
    expect(attached.getSnapshot().view).toBeNull();
    attached.subscribe(() => {});
    expect(landline.session("s")).toBe(attached);
    await until(attached, ({ view }) => view?.head === session.log.length);
  });

  it("a listener that throws affects neither the session nor other listeners", async () => {
    await using gateway = await FaultyGateway.listen();
    const session = gateway.open("s");
    const complaint = vi.spyOn(console, "error").mockImplementation(() => {});
    using landline = hurry({ url: gateway.url });
    const attached = landline.session("s");
    const fail = () => {
      throw new Error("a careless listener");
    };
    attached.subscribe(fail);
    attached.onEvents(fail);
    landline.connection.subscribe(fail);
    landline.sessions.subscribe(fail);
    let told = 0;
    attached.subscribe(() => told++);
    await until(attached, ({ state }) => state === "live");
    session.playTurn("t");
    await until(attached, ({ view }) => view?.head === session.log.length);
    expect(told).toBeGreaterThan(0);
    expect(complaint).toHaveBeenCalled();
    landline.close();
    complaint.mockRestore();
  });

  it("is polled if more sessions are followed than may be streamed", async () => {
    await using gateway = await FaultyGateway.listen();
    using landline = hurry({ url: gateway.url, transport: "sse" }, { streams: 1 });
    const ids = ["a", "b", "c"];
    for (const id of ids) gateway.open(id);
    const sessions = ids.map((id) => landline.session(id));
    for (const session of sessions) session.subscribe(() => {});
    await Promise.all(sessions.map((session) => until(session, ({ state }) => state === "live")));
    for (const id of ids) gateway.sessions.get(id)?.playTurn("t");
    for (const session of sessions) {
      const log = gateway.sessions.get(session.id)?.log ?? [];
      await until(session, ({ view }) => view?.head === log.length);
      expect(session.getSnapshot().view).toEqual(fold(emptyView(), log));
    }
    expect(gateway.streams).toBe(1);
    gateway.sessions.delete("c");
    await until(landline.session("c"), ({ state }) => state === "gone");
  });

  it("that can't be streamed does not affect others, and is loaded when it can be", async () => {
    await using gateway = await FaultyGateway.listen();
    for (const id of ["good", "bad"]) gateway.open(id);
    gateway.unreadable.add("bad");
    using landline = hurry({ url: gateway.url, transport: "sse" });
    const [good, bad] = [landline.session("good"), landline.session("bad")];
    let breaks = 0;
    await until(landline.connection, ({ state }) => state === "online");
    landline.connection.subscribe(() => breaks++);
    for (const session of [good, bad]) session.subscribe(() => {});
    await until(good, ({ state }) => state === "live");
    await eventually(() => gateway.streams >= 4);
    gateway.unreadable.clear();
    await until(bad, ({ state, view }) => state === "live" && view?.head === 1);
    expect({ breaks, state: good.getSnapshot().state }).toEqual({ breaks: 0, state: "live" });
  });

  it.each([
    { what: "its first bytes", most: 0 },
    { what: "a part of what there is", most: 1 },
  ])("is polled when its stream delivers no more than $what", async ({ most }) => {
    await using gateway = await FaultyGateway.listen();
    const session = gateway.open("s");
    session.append({ kind: "session-changed", title: "First", by: "somebody" });
    gateway.streamedMost = most;
    using landline = hurry({ url: gateway.url, transport: "sse" }, { streamMs: 20 });
    const attached = landline.session("s");
    attached.subscribe(() => {});
    await until(attached, ({ state, view }) => state === "live" && view?.head === 2);
    session.append({ kind: "session-changed", title: "Heard", by: "somebody" });
    await until(attached, ({ view }) => view?.session.title === "Heard");
    expect(gateway.streams).toBe(1);
    expect(landline.connection.getSnapshot().state).toBe("online");
  });

  it("is polled if streams are buffered on the way, and then all others immediately", async () => {
    await using gateway = await FaultyGateway.listen();
    gateway.streamedMost = -1;
    using landline = hurry({ url: gateway.url, transport: "sse" }, { streamMs: 20 });
    for (const id of ["a", "b"]) {
      const session = gateway.open(id);
      const attached = landline.session(id);
      attached.subscribe(() => {});
      await until(attached, ({ state }) => state === "live");
      session.append({ kind: "session-changed", title: `Said in ${id}`, by: "somebody" });
      await until(attached, ({ view }) => view?.session.title === `Said in ${id}`);
    }
    expect(gateway.streams).toBe(1);
    expect(landline.connection.getSnapshot().state).toBe("online");
  });

  it("leaves its stream to another session when it is gone", async () => {
    await using gateway = await FaultyGateway.listen();
    for (const id of ["a", "b"]) gateway.open(id);
    using landline = hurry({ url: gateway.url, transport: "sse" }, { streams: 1 });
    const [first, second] = [landline.session("a"), landline.session("b")];
    first.subscribe(() => {});
    await until(first, ({ state }) => state === "live");
    gateway.sessions.delete("a");
    gateway.hangUp();
    await until(first, ({ state }) => state === "gone");
    const before = gateway.streams;
    second.subscribe(() => {});
    await until(second, ({ state }) => state === "live");
    expect(gateway.streams).toBe(before + 1);
  });

  it("is polled when its stream is silent, and the connection stays", async () => {
    await using gateway = await FaultyGateway.listen();
    const session = gateway.open("s");
    const timing = { quietMs: 20, wordMs: 2_000 };
    using landline = hurry({ url: gateway.url, transport: "sse" }, timing);
    const attached = landline.session("s");
    attached.subscribe(() => {});
    let breaks = 0;
    await until(attached, ({ state }) => state === "live");
    landline.connection.subscribe(() => breaks++);
    session.attached.clear();
    session.append({ kind: "session-changed", title: "Not streamed", by: "somebody" });
    await until(attached, ({ view }) => view?.session.title === "Not streamed");
    expect({ streams: gateway.streams, breaks }).toEqual({ streams: 1, breaks: 0 });
  });
});

describe("the list of sessions", () => {
  it("has the latest first, is read in pages, and applies pushed changes", async () => {
    await using gateway = await FaultyGateway.listen();
    for (const id of ["a", "b", "c", "d", "e"]) gateway.open(id);
    gateway.sessions.get("b")?.playTurn("t");
    using landline = hurry({ url: gateway.url }, { pageSessions: 2 });
    const { sessions } = landline;
    const ids = () => sessions.getSnapshot().sessions.map(({ sessionId }) => sessionId);
    expect(sessions.getSnapshot()).toEqual({ sessions: [], isLoaded: false, hasMore: false });
    await until(sessions, ({ isLoaded }) => isLoaded);
    expect(ids()).toEqual(["e", "d"]);
    await Promise.all([sessions.loadMore(), sessions.loadMore()]);
    expect(ids()).toEqual(["b", "e", "d", "c"]);
    await sessions.loadMore();
    expect(sessions.getSnapshot()).toMatchObject({ hasMore: false });
    expect(ids()).toHaveLength(5);
    const summary = { ...gateway.sessions.get("a")?.summary, title: "New", lastAt: 99, head: 99 };
    gateway.tellAll({ type: "sessions", sessions: [summary], gone: ["e"] });
    await until(sessions, (list) => list.sessions[0]?.title === "New");
    expect(ids()).toEqual(["a", "b", "d", "c"]);
  });

  it("does not notify without a change, and reads the shown pages again after a disconnect", async () => {
    await using gateway = await FaultyGateway.listen();
    for (const id of ["a", "b", "c"]) gateway.open(id);
    using landline = hurry({ url: gateway.url });
    await until(landline.sessions, ({ isLoaded }) => isLoaded);
    let told = 0;
    landline.sessions.subscribe(() => told++);
    const isOnline = () => until(landline.connection, ({ state }) => state === "online");
    const lists = () => gateway.requests.filter((path) => path === "GET /api/sessions").length;
    gateway.tellAll({ type: "sessions", sessions: [gateway.sessions.get("a")?.summary], gone: [] });
    gateway.hangUp();
    await eventually(() => lists() === 2);
    await isOnline();
    expect(told).toBe(0);
    gateway.sessions.delete("b");
    gateway.hangUp();
    await until(landline.sessions, ({ sessions }) => sessions.length === 2);
    expect(told).toBe(1);
  });

  it("is polled when the gateway does not push it", async () => {
    await using gateway = await FaultyGateway.listen();
    using landline = hurry({ url: gateway.url, transport: "sse" });
    await until(landline.sessions, ({ isLoaded }) => isLoaded);
    gateway.open("new");
    await until(landline.sessions, ({ sessions }) => sessions.length === 1);
    expect(await until(landline.agents, (agents) => agents !== null)).toEqual([]);
  });
});
