import { Window } from "happy-dom";
import { act, createElement, type FunctionComponent } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Bridge, PermissionRequest } from "../src/react.ts";
import {
  LandlineProvider,
  useACPBridge,
  useAgents,
  useConnection,
  useLandline,
  useSession,
  useSessions,
  useStorePart,
} from "../src/react.ts";
import { renderedUntil } from "./wait-for-render.ts";
import { eventually, hurry, until } from "./short-timing.ts";
import { FaultyGateway } from "./faulty-gateway.ts";

/** A document to render in; the network is Node's. */
let page: Window;
beforeEach(() => {
  page = new Window();
  vi.stubGlobal("window", page);
  vi.stubGlobal("document", page.document);
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
});
afterEach(async () => {
  vi.unstubAllGlobals();
  await page.happyDOM.close();
});

async function draw(component: FunctionComponent) {
  const { createRoot } = await import("react-dom/client");
  const root = createRoot(page.document.body as unknown as Element);
  await act(async () => root.render(createElement(component)));
  return { unmount: () => act(async () => root.unmount()) };
}

describe("the hooks", () => {
  it("show a connection, its lists and a session, and render again only for the parts in use", async () => {
    await using gateway = await FaultyGateway.listen();
    gateway.open("s");
    using landline = hurry({ url: gateway.url });
    const drawn = { whole: 0, part: 0 };
    let shown = { state: "", sessions: 0, agents: -1, head: 0, title: "" as string | null };
    const Whole = () => {
      drawn.whole += 1;
      const { state } = useConnection();
      const { sessions } = useSessions();
      const agents = useAgents();
      const { view, session } = useSession("s");
      shown = { ...shown, state, sessions: sessions.length, agents: agents?.length ?? -1 };
      shown = { ...shown, head: view?.head ?? 0 };
      expect(session).toBe(useLandline().session("s"));
      return null;
    };
    const Part = () => {
      drawn.part += 1;
      const session = useLandline().session("s");
      const title = useStorePart(session, ({ view }) => view?.session.title ?? null);
      shown = { ...shown, title };
      return null;
    };
    const { unmount } = await draw(() =>
      createElement(
        LandlineProvider,
        { landline, children: null },
        createElement(Whole),
        createElement(Part),
      ),
    );
    await renderedUntil(() => shown.state === "online" && shown.sessions === 1 && shown.head === 1);
    expect(shown.agents).toBe(0);
    const before = { ...drawn };
    for (let turn = 0; turn < 3; turn++) gateway.sessions.get("s")?.playTurn(`t${turn}`);
    const head = gateway.sessions.get("s")?.log.length;
    await renderedUntil(() => shown.head === head);
    expect(drawn.whole).toBeGreaterThan(before.whole);
    expect(drawn.part).toBe(before.part);
    gateway.sessions.get("s")?.append({ kind: "session-changed", title: "Named", by: "x" });
    await renderedUntil(() => shown.title === "Named");
    expect(drawn.part).toBe(before.part + 1);
    await unmount();
    await eventually(() => landline.session("s").getSnapshot().state === "waiting");
  });

  it("throw without a provider", async () => {
    const complaint = vi.spyOn(console, "error").mockImplementation(() => {});
    const failures: unknown[] = [];
    vi.stubGlobal("reportError", (error: unknown) => failures.push(error));
    await draw(() => {
      useLandline();
      return null;
    }).catch((error: unknown) => failures.push(error));
    expect(String(failures[0])).toContain("LandlineProvider");
    complaint.mockRestore();
  });
});

describe("useACPBridge", () => {
  it("returns the same as seed 001's hook, over a connection that resumes", async () => {
    await using gateway = await FaultyGateway.listen();
    const session = gateway.open("s");
    const asked: PermissionRequest[] = [];
    let bridge: Bridge | undefined;
    const { unmount } = await draw(() => {
      bridge = useACPBridge(`${gateway.url.replace("http", "ws")}/ws`, {
        sessionId: "s",
        onPermissionRequest: (request) => asked.push(request),
      });
      return null;
    });
    expect(Object.keys(bridge ?? {}).toSorted()).toEqual([
      "cancelTurn",
      "currentStreamingMessage",
      "isConnected",
      "messages",
      "pendingToolCalls",
      "respondToPermission",
      "sendMessage",
    ]);
    await renderedUntil(() => bridge?.isConnected === true);
    await act(async () => bridge?.sendMessage("hello", "s"));
    await renderedUntil(() => bridge?.messages.length === 2);
    expect(bridge?.messages).toMatchObject([
      { role: "user", content: "hello" },
      { role: "assistant", toolCalls: [{ status: "error" }, { status: "error" }] },
    ]);
    expect(bridge?.messages[1]?.content).toContain(`${session.prompts[0]}:2`);
    expect(bridge?.currentStreamingMessage).toBe("");

    const chunk = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "Stre" } };
    const call = { toolCallId: "w", title: "Write", kind: "edit", rawInput: { path: "a.txt" } };
    session.append(
      {
        kind: "prompt-queued",
        promptId: "other",
        content: [{ type: "text", text: "more" }],
        by: "x",
      },
      { kind: "turn-started", turnId: "t", promptId: "other" },
      { kind: "update", update: chunk },
      { kind: "update", update: { ...chunk, content: { type: "text", text: "aming" } } },
      { kind: "update", update: { sessionUpdate: "tool_call", status: "pending", ...call } },
      {
        kind: "ask-opened",
        askId: "ask",
        ask: "permission",
        toolCall: call,
        options: [{ optionId: "yes", name: "Yes", kind: "allow_once" }],
      },
    );
    await renderedUntil(() => bridge?.currentStreamingMessage === "Streaming");
    expect(bridge?.messages.at(-1)).toMatchObject({ role: "user", content: "more" });
    expect(bridge?.pendingToolCalls).toMatchObject([
      { id: "w", name: "Write", arguments: { path: "a.txt" }, status: "pending" },
    ]);
    await renderedUntil(() => asked.length === 1);
    expect(asked[0]).toMatchObject({ requestId: "ask", toolCall: { id: "w" }, sessionId: "s" });
    await act(async () =>
      bridge?.respondToPermission("ask", { outcome: "selected", optionId: "yes" }),
    );
    await renderedUntil(() => session.answers.has("ask"));
    await act(async () => bridge?.cancelTurn("s"));
    await renderedUntil(() => gateway.commands.some(({ type }) => type === "cancel"));

    gateway.hangUp();
    await renderedUntil(() => bridge?.isConnected === false);
    expect(bridge?.messages.length).toBe(3);
    await renderedUntil(() => bridge?.isConnected === true);
    await unmount();
    await eventually(() => gateway.connections === 0);
  });

  it("opens a session with its first message if none is given", async () => {
    await using gateway = await FaultyGateway.listen();
    let bridge: Bridge | undefined;
    const { unmount } = await draw(() => {
      bridge = useACPBridge(gateway.url, { agent: "unruly", cwd: "/repo" });
      return null;
    });
    await renderedUntil(() => bridge?.isConnected === true);
    const first = bridge;
    await act(async () => {
      first?.sendMessage("one");
      first?.sendMessage("two");
    });
    await renderedUntil(() => bridge?.messages.length === 4);
    await act(async () => first?.sendMessage("three, by who was not drawn again"));
    await renderedUntil(() => bridge?.messages.length === 6);
    expect([...gateway.sessions.keys()]).toEqual(["session-1"]);
    expect(gateway.commands[0]).toMatchObject({ type: "open", agent: "unruly", cwd: "/repo" });
    await unmount();
  });
});

describe("in a page", () => {
  it("retries immediately when the network is back or the page becomes visible", async () => {
    await using gateway = await FaultyGateway.listen();
    using landline = hurry({ url: gateway.url }, { retryMs: 60_000, retryMsMost: 60_000 });
    await until(landline.connection, ({ state }) => state === "online");
    for (const wake of [
      () => page.dispatchEvent(new page.Event("online")),
      () => page.document.dispatchEvent(new page.Event("visibilitychange")),
    ]) {
      gateway.hangUp();
      await until(landline.connection, ({ state }) => state === "offline");
      wake();
      await until(landline.connection, ({ state }) => state === "online");
    }
    const asked = () => gateway.commands.filter(({ type }) => type === "detach").length;
    const before = asked();
    page.dispatchEvent(new page.Event("online"));
    await eventually(() => asked() === before + 1);
    expect(gateway.upgrades).toBe(3);
  });

  it("folds once per animation frame", async () => {
    await using gateway = await FaultyGateway.listen();
    const session = gateway.open("s");
    const pictures: (() => void)[] = [];
    vi.stubGlobal("requestAnimationFrame", (picture: () => void) => pictures.push(picture));
    vi.stubGlobal("cancelAnimationFrame", () => {});
    using landline = hurry({ url: gateway.url }, { drawMs: 600_000 });
    const attached = landline.session("s");
    let told = 0;
    attached.subscribe(() => told++);
    await until(attached, ({ behind }) => behind === 1);
    await eventually(() => pictures.length === 1);
    told = 0;
    for (let turn = 0; turn < 30; turn++) session.playTurn(`t${turn}`);
    // Its reply comes after everything that was written before.
    await landline.session("s").rename("Last");
    expect({ told, pictures: pictures.length }).toEqual({ told: 0, pictures: 1 });
    pictures[0]?.();
    expect(attached.getSnapshot().view?.head).toBe(session.log.length);
    expect(told).toBe(1);
  });

  it("finds the gateway at its own origin, and stores its prompts in the browser", async () => {
    await using gateway = await FaultyGateway.listen();
    gateway.open("s");
    const kept = new Map<string, string>();
    vi.stubGlobal("localStorage", {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => kept.set(key, value),
      removeItem: (key: string) => kept.delete(key),
    });
    page.document.head.innerHTML = `<base href="${gateway.url}/index.html?x=1">`;
    using landline = hurry({});
    const sent = landline.session("s").prompt("hello", "p");
    expect([...kept.keys()]).toEqual([
      `landline.outbox ${gateway.url}/ s p`,
      `landline.outbox ${gateway.url}/`,
    ]);
    await sent;
    expect(kept.size).toBe(0);
  });
});
