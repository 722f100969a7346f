import { emptyView, fold, type SessionView } from "@landline/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLandline } from "../src/landline.ts";
import type { Landline, LandlineOptions, Session } from "../src/contract.ts";
import type { Timing } from "../src/timing.ts";
import { hurry, until } from "./short-timing.ts";
import { NoSockets } from "./no-sockets.ts";
import { ServedGateway } from "./served-gateway.ts";

let gateway: ServedGateway;
beforeAll(async () => {
  gateway = await ServedGateway.make();
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
});

function connect(
  options: LandlineOptions = {},
  waits: Partial<Timing> = {},
): Landline & Disposable {
  // A busy machine may take long to start an agent.
  const timing = { commandMs: 60_000, quickCommandMs: 20_000, quietMs: 20_000, ...waits };
  return hurry({ url: gateway.url, token: gateway.token, ...options }, timing);
}

async function openSession(landline: Landline): Promise<Session> {
  const { sessionId } = await landline.open({ agent: "scripted", cwd: gateway.cwd });
  return landline.session(sessionId);
}

const turnIsOver = (promptId: string) => (snapshot: { view: SessionView | null }) =>
  snapshot.view?.lastTurn?.promptId === promptId;

/** The log, read by another client. */
async function wholeView({ api }: Landline, sessionId: string): Promise<SessionView> {
  let view = emptyView();
  for (;;) {
    const { events, head } = await api.readEvents({ sessionId, after: view.head });
    view = fold(view, events);
    if (view.head >= head) return view;
  }
}

describe("with the real gateway", () => {
  it("refuses a prompt that is too large for the socket, and continues", async () => {
    using landline = connect({ transport: "websocket" });
    const session = await openSession(landline);
    session.subscribe(() => {});
    // Three bytes per character.
    const large = "\u4e2d".repeat(23 * 1_024 * 1_024);
    await expect(session.prompt(large, "large")).rejects.toMatchObject({
      code: "message-too-large",
    });
    await session.prompt("small", "small");
    await until(session, turnIsOver("small"));
  });

  it.each(["websocket", "sse"] as const)("signs out, over %s", async (transport) => {
    using landline = connect({ transport });
    const session = await openSession(landline);
    await landline.signOut("scripted");
    await until(landline.agents, (agents) =>
      (agents ?? []).some(({ id, signedIn }) => id === "scripted" && signedIn === false),
    );
    session.subscribe(() => {});
    await session.prompt("wait", "working");
    await until(session, ({ view }) => view?.items.some(({ type }) => type === "message") === true);
    await expect(landline.signOut("scripted")).rejects.toMatchObject({ code: "agent-busy" });
    await session.cancel();
    await until(session, turnIsOver("working"));
    await expect(landline.signOut("nobody")).rejects.toMatchObject({ code: "agent-not-found" });
  });

  it("opens, prompts, answers, renames and lists", async () => {
    using landline = connect();
    const session = await openSession(landline);
    session.subscribe(() => {});
    await session.prompt("ask", "p1");
    const { view } = await until(session, (snapshot) => snapshot.view?.openAsks.length === 1);
    const ask = view?.items.find((item) => item.type === "ask");
    const options = ask?.type === "ask" && ask.ask === "permission" ? ask.options : [];
    const allow = options.find(({ kind }) => kind.startsWith("allow"));
    await session.answer(view?.openAsks[0]?.askId ?? "", {
      outcome: "selected",
      optionId: allow?.optionId ?? "",
    });
    await until(session, turnIsOver("p1"));
    await session.rename("By a person");
    await until(landline.sessions, ({ sessions }) => sessions[0]?.title === "By a person");
    await until(session, (snapshot) => snapshot.view?.session.title === "By a person");
    expect(session.getSnapshot().view).toEqual(await wholeView(landline, session.id));
    expect(await until(landline.agents, (agents) => agents !== null)).toContainEqual(
      expect.objectContaining({ id: "scripted", found: true }),
    );
    await session.delete();
    await until(session, ({ state }) => state === "gone");
  });

  it("resumes after the gateway was killed and restarted", async () => {
    using landline = connect();
    const session = await openSession(landline);
    session.subscribe(() => {});
    await session.prompt("before", "p1");
    await until(session, turnIsOver("p1"));
    const shown = session.getSnapshot().view;
    await gateway.kill();
    await until(session, ({ state }) => state === "offline");
    const sent = session.prompt("meanwhile", "p2");
    expect(session.getSnapshot()).toMatchObject({ outgoing: [{ state: "waiting" }] });
    expect(session.getSnapshot().view).toBe(shown);
    await gateway.start();
    await sent;
    await until(session, turnIsOver("p2"), 30_000);
    await until(session, ({ state, outgoing }) => state === "live" && outgoing.length === 0);
    expect(session.getSnapshot().view).toEqual(await wholeView(landline, session.id));
  });

  it("shows the same to two clients while each prompts", async () => {
    using one = connect();
    using two = connect();
    const here = await openSession(one);
    const there = two.session(here.id);
    here.subscribe(() => {});
    there.subscribe(() => {});
    await Promise.all([here.prompt("flood", "p1"), there.prompt("hello", "p2")]);
    const isOver = ({ view }: { view: SessionView | null }) =>
      view?.items.filter((item) => item.type === "prompt" && item.end).length === 2;
    await Promise.all([until(here, isOver), until(there, isOver)]);
    const whole = await wholeView(one, here.id);
    expect(here.getSnapshot().view).toEqual(whole);
    expect(there.getSnapshot().view).toEqual(whole);
  });

  it.each([
    { how: "by server-sent events where the socket's path is blocked", holdsStreams: false },
    { how: "by questions where streams are held back, too", holdsStreams: true },
  ])("does everything $how", async ({ holdsStreams }) => {
    await using proxy = await NoSockets.before(gateway.url);
    proxy.holdsStreams = holdsStreams;
    using landline = connect({ url: proxy.url }, holdsStreams ? { streamMs: 50 } : {});
    await until(landline.connection, ({ via }) => via === "sse");
    expect(proxy.refused).toBe(2);
    const session = await openSession(landline);
    session.subscribe(() => {});
    await session.prompt("hello", "p1");
    await until(session, turnIsOver("p1"));
    await session.prompt("wait", "p2");
    await until(session, ({ view }) => view?.turn.promptId === "p2");
    await session.prompt("queued", "p3");
    await session.changePrompt("p3", "changed");
    await session.prompt("last", "p4");
    await session.withdrawPrompt("p4");
    await session.cancel();
    await until(session, turnIsOver("p3"));
    await session.rename("Renamed");
    await until(session, ({ view }) => view?.session.title === "Renamed");
    const fork = await session.fork();
    expect(fork.parent).toBe(session.id);
    await until(landline.sessions, ({ sessions }) =>
      sessions.some(({ sessionId }) => sessionId === fork.sessionId),
    );
    expect(session.getSnapshot().view).toEqual(await wholeView(landline, session.id));
    await session.close();
    await session.delete();
    await until(session, ({ state }) => state === "gone");
  });

  it("starts from a snapshot of a long session, and reads older events", async () => {
    using landline = connect();
    const session = await openSession(landline);
    const stop = session.subscribe(() => {});
    for (const promptId of ["p1", "p2", "p3"]) await session.prompt("tools", promptId);
    await session.prompt("flood", "p4");
    await until(session, turnIsOver("p4"));
    stop();
    const whole = await wholeView(landline, session.id);
    expect(session.getSnapshot().view).toEqual(whole);
    for (const transport of ["websocket", "sse"] as const) {
      using late = await afterSnapshot(session.id, transport);
      const again = late.session(session.id);
      await until(again, ({ view, state }) => state === "live" && view?.head === whole.head);
      const parts: number[] = [];
      while (again.getSnapshot().history === "more") {
        await again.loadOlder();
        parts.push(again.getSnapshot().older.length);
      }
      const { older, view } = again.getSnapshot();
      const items = [...older, ...(view ? [view] : [])].flatMap((part) => part.items);
      expect(items).toEqual(whole.items);
      expect(parts.length).toBeGreaterThan(0);
    }
  });

  /** The gateway makes snapshots when it is idle. */
  async function afterSnapshot(sessionId: string, transport: "websocket" | "sse") {
    for (;;) {
      const landline = connect({ transport });
      const session = landline.session(sessionId);
      session.subscribe(() => {});
      await until(session, ({ state }) => state === "live");
      if (session.getSnapshot().view?.trimmed) return landline;
      landline.close();
    }
  }

  it("never puts the token into a URL, and reads it from the printed one", async () => {
    const printed = `${gateway.url}/?token=${encodeURIComponent(gateway.token)}`;
    const landline = createLandline({ url: printed });
    await until(landline.connection, ({ state }) => state === "online");
    const address = await landline.api.exportUrl({ sessionId: "s", format: "html" });
    expect(address).not.toContain(gateway.token);
    expect((await fetch(address)).status).toBe(404);
    expect((await fetch(address)).status).toBe(401);
    expect(await landline.api.readMe()).toMatchObject({ role: "admin" });
    landline.close();
  });

  it("is refused without a token, or with a wrong one", async () => {
    for (const options of [{}, { token: "wrong" }]) {
      using landline = hurry({ url: gateway.url, ...options });
      const refused = await until(landline.connection, ({ state }) => state === "refused");
      expect(refused.error).toMatchObject({ code: "unauthorized" });
    }
  });

  it("requests rules, files, events and search results", async () => {
    using landline = connect();
    const { api } = landline;
    const session = await openSession(landline);
    await session.prompt("find the needle", "p1");
    const rule = {
      decision: "allow",
      what: { toolKind: "read" },
      where: { in: "session", sessionId: session.id },
    } as const;
    const words = await api.previewRule(rule);
    expect(words.notes).toEqual([expect.stringMatching(/^Not covered/)]);
    const added = await api.addRule(rule);
    expect(added).toMatchObject({ text: words.text, notes: words.notes });
    expect((await api.listRules()).rules).toContainEqual(added);
    await api.removeRule({ id: added.id });
    expect((await api.listRules()).rules).toEqual([]);
    expect(await api.findFiles({ session: session.id })).toMatchObject({ files: [] });
    expect(await api.findFiles({ folder: gateway.cwd, q: "" })).toMatchObject({ files: [] });
    expect(await api.search({ q: "nothing of the kind" })).toEqual({ hits: [] });
    const page = await api.readEvents({ sessionId: session.id, before: 3, limit: 1 });
    expect(page.events.map(({ seq }) => seq)).toEqual([2]);
    expect(await api.readTrace({ sessionId: session.id })).toMatchObject({ lines: null });
    const missing = { session: session.id, hash: "0".repeat(64) };
    await expect(api.text("read-blob", missing)).rejects.toMatchObject({
      code: "file-not-found",
    });
    const folders = await api.listFolders({ path: gateway.folder });
    expect(folders).toMatchObject({ path: gateway.folder, isCut: false });
    const device = await api.addDevice({ name: "Phone", role: "watch" });
    using phone = hurry({ url: gateway.url, token: device.token });
    const watched = phone.session(session.id);
    watched.subscribe(() => {});
    await until(watched, turnIsOver("p1"));
    await expect(watched.cancel()).rejects.toMatchObject({ code: "forbidden" });
    expect((await api.listDevices()).devices.map(({ name }) => name)).toContain("Phone");
    await api.removeDevice({ id: device.id });
    await until(phone.connection, ({ state }) => state === "refused");
  });
});
