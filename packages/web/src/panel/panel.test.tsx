// @vitest-environment happy-dom
import type { Output } from "@landline/protocol";
import type { EventBody } from "@landline/protocol";
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { renderWithSession } from "../../test/fake-session.tsx";
import { opened, StagedSession } from "../../test/staged-session.tsx";
import { Panel } from "./panel.tsx";
import { PlanStrip } from "./plan-strip.tsx";
import { ProtocolView } from "./protocol-view.tsx";
import { SubagentsSection } from "./subagents-section.tsx";

afterEach(cleanup);

const update = (sessionUpdate: string, fields: Readonly<Record<string, unknown>>): EventBody => ({
  kind: "update",
  update: { sessionUpdate, ...fields },
});
const plan = (...statuses: readonly string[]) =>
  update("plan", {
    entries: statuses.map((status, at) => ({
      content: `Step ${at + 1}`,
      status,
      priority: "medium",
    })),
  });

describe("the panel", () => {
  it("describes its content while it is empty", () => {
    const staged = new StagedSession([opened]);
    render(<Panel />, { wrapper: staged.Stage });
    expect(screen.getByText(/appear here once the agent has some/u)).not.toBeNull();
    expect(screen.queryByRole("button", { name: /Plan/u })).toBeNull();
    act(() => staged.add(plan("pending")));
    expect(screen.queryByText(/appear here/u)).toBeNull();
    expect(screen.getByRole("button", { name: /Plan/u })).not.toBeNull();
  });

  it("updates the plan", () => {
    const staged = new StagedSession([opened, plan("in_progress", "pending")]);
    render(<Panel />, { wrapper: staged.Stage });
    expect(screen.getByText("0 of 2")).not.toBeNull();
    act(() => staged.add(plan("completed", "in_progress")));
    expect(screen.getByText("1 of 2")).not.toBeNull();
    expect(screen.getByText("Done:")).not.toBeNull();
  });

  it("shows changed files, usage and running terminals", async () => {
    const staged = new StagedSession([
      opened,
      update("tool_call", {
        toolCallId: "e",
        title: "Edit",
        kind: "edit",
        status: "completed",
        content: [{ type: "diff", path: "/repo/src/a.ts", oldText: null, newText: "x\ny\n" }],
      }),
      update("usage_update", { used: 42_000, size: 200_000 }),
      { kind: "terminal-opened", terminalId: "t", command: "npm", args: ["test"], cwd: "/repo" },
    ]);
    render(<Panel />, { wrapper: staged.Stage });
    expect((await screen.findByText("+2")).textContent).toBe("+2 added");
    expect(screen.getByRole("link", { name: /a\.ts/u }).getAttribute("href")).toBe(
      "#/s/staged?at=2",
    );
    expect(screen.getByText("42,000 of 200,000 tokens")).not.toBeNull();
    expect(screen.getByText("1 running")).not.toBeNull();
  });
});

describe("a running subagent", () => {
  const running = {
    kind: "update",
    update: {
      sessionUpdate: "subagent_update",
      sessionId: "c",
      title: "Look around",
      state: { state: "running" },
    },
  } as const;

  it("has an animated edge, except while offline", () => {
    const line = renderWithSession(<SubagentsSection />, { events: [opened, running] });
    const row = screen.getByRole("button", { name: /Look around/u });
    expect(row.querySelector(".running-edge")).not.toBeNull();
    line.change({ state: "offline" });
    expect(row.querySelector(".running-edge")).toBeNull();
    line.change({ state: "live" });
    expect(row.querySelector(".running-edge")).not.toBeNull();
  });

  it("keeps its row open when its session is identified with a known one", async () => {
    const task = (toolCallId: string, description: string) =>
      update("tool_call", {
        toolCallId,
        title: "task",
        status: "in_progress",
        rawInput: { subagent_type: "explore", description },
      });
    const heard = { ...running, update: { ...running.update, title: "Of whom?" } };
    const line = renderWithSession(<SubagentsSection />, {
      events: [opened, task("a", "First"), task("b", "Second"), heard],
    });
    const names = () =>
      screen
        .getAllByRole("button", { name: /Running/u, hidden: true })
        .map((row) => /First|Second|Of whom/u.exec(row.textContent)?.[0]);
    expect(names()).toEqual(["First", "Second", "Of whom"]);
    fireEvent.click(screen.getByRole("button", { name: /First/u }));
    await screen.findByRole("dialog", { name: "First" });
    const metadata = { sessionId: "c" };
    line.tell(update("tool_call_update", { toolCallId: "a", rawOutput: { metadata } }));
    expect(names()).toEqual(["First", "Second"]);
    expect(screen.getByRole("dialog", { name: "First" })).not.toBeNull();
  });
});

describe("the plan strip", () => {
  it("shows the progress, and disappears when all is done", () => {
    const staged = new StagedSession([
      opened,
      { kind: "prompt-queued", promptId: "p", content: [], by: "me" },
      { kind: "turn-started", turnId: "t", promptId: "p" },
      plan("completed", "in_progress", "pending"),
    ]);
    const { container } = render(<PlanStrip />, { wrapper: staged.Stage });
    expect(container.textContent).toContain("1 of 3·Step 2");
    act(() => staged.add(plan("completed", "completed", "completed")));
    expect(container.textContent).toBe("");
  });
});

type TracePage = Output<"read-trace">;

describe("the protocol view", () => {
  const viewOf = (readTrace: () => Promise<TracePage>) => {
    const staged: StagedSession = new StagedSession([opened, plan("pending")], {
      readEvents: () => Promise.resolve({ events: staged.events, head: staged.events.length }),
      readTrace,
    });
    render(<ProtocolView />, { wrapper: staged.Stage });
    return staged;
  };

  it("shows events as they arrive, newest first, and can be paused", async () => {
    const staged = viewOf(() => Promise.resolve({ lines: null, hasMore: false }));
    await screen.findByText("session-opened", { selector: "span" });
    act(() => staged.add({ kind: "error", code: "x", message: "Boom" }));
    expect(await screen.findByText("x · Boom")).not.toBeNull();
    expect(screen.getAllByRole("listitem")[0]?.textContent).toContain("Boom");
    fireEvent.click(screen.getByRole("button", { name: "Pause" }));
    act(() => staged.add({ kind: "error", code: "y", message: "Unseen" }));
    expect(screen.queryByText("y · Unseen")).toBeNull();
    fireEvent.click(screen.getByRole("button", { name: "Resume" }));
    expect(await screen.findByText("y · Unseen")).not.toBeNull();
  });

  it("filters by kind and text", async () => {
    viewOf(() => Promise.resolve({ lines: null, hasMore: false }));
    await screen.findByText("session-opened", { selector: "span" });
    fireEvent.change(screen.getByRole("searchbox"), { target: { value: "STEP 1" } });
    expect(screen.getAllByRole("listitem")).toHaveLength(1);
    fireEvent.change(screen.getByRole("searchbox"), { target: { value: "nowhere" } });
    expect(screen.getByText("No matching events.")).not.toBeNull();
  });

  it("restarts the trace list when lines arrived faster than they were loaded", async () => {
    const line = (number: number) =>
      ({ number, at: number, direction: "in", message: { method: `m/${number}` } }) as const;
    const pages: TracePage[] = [
      { lines: [line(1), line(2)], hasMore: false },
      { lines: [line(8), line(9)], hasMore: true },
    ];
    const staged = viewOf(() => Promise.resolve(pages.shift() ?? { lines: null, hasMore: false }));
    fireEvent.mouseDown(screen.getByRole("tab", { name: "Messages" }));
    await screen.findByText("m/2");
    expect(screen.queryByRole("button", { name: "Show older lines" })).toBeNull();
    act(() => staged.add({ kind: "error", code: "x", message: "Boom" }));
    await screen.findByText("m/9");
    expect(screen.queryByText("m/2")).toBeNull();
    expect(screen.getByRole("button", { name: "Show older lines" })).not.toBeNull();
  });

  it("searches older events on demand, and shows how far it searched", async () => {
    const staged: StagedSession = new StagedSession(
      [opened, ...Array.from({ length: 300 }, () => plan("pending"))],
      {
        readEvents: ({ before = 1, limit = 0 }) =>
          Promise.resolve({
            events: staged.events.filter(({ seq }) => seq < before).slice(-limit),
            head: staged.events.length,
          }),
      },
    );
    render(<ProtocolView />, { wrapper: staged.Stage });
    await screen.findByText("The newest 200 of 301 events.");
    fireEvent.change(screen.getByRole("searchbox"), { target: { value: "session-opened" } });
    expect(screen.getByText("0 of the newest 200 of 301 events match.")).not.toBeNull();
    fireEvent.click(screen.getByRole("button", { name: "Show older events" }));
    expect(await screen.findByText("1 of all 301 events matches.")).not.toBeNull();
    expect(screen.queryByRole("button", { name: "Show older events" })).toBeNull();
    act(() => staged.add({ kind: "error", code: "x", message: "session-opened again" }));
    expect(await screen.findByText("2 of all 302 events match.")).not.toBeNull();
  });

  it("explains how to record a trace if there is none, and else shows it", async () => {
    viewOf(() => Promise.resolve({ lines: null, hasMore: false }));
    fireEvent.mouseDown(screen.getByRole("tab", { name: "Messages" }));
    expect(await screen.findByText("npx landline serve --trace")).not.toBeNull();
    cleanup();
    const message = { id: 1, method: "session/new" };
    const lines = [{ number: 1, at: 1, direction: "in", message }] as const;
    viewOf(() => Promise.resolve({ lines, hasMore: false }));
    fireEvent.mouseDown(screen.getByRole("tab", { name: "Messages" }));
    expect(await screen.findByText("session/new")).not.toBeNull();
  });
});
