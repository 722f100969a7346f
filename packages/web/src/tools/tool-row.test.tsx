// @vitest-environment happy-dom
import type { EventBody, ToolCallItem } from "@landline/protocol";
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { renderWithSession } from "../../test/fake-session.tsx";
import { opened, StagedSession } from "../../test/staged-session.tsx";
import { useSnapshotPart } from "../state/session.tsx";
import { ToolGroup } from "./tool-group.tsx";
import { ToolRow } from "./tool-row.tsx";

afterEach(cleanup);

let lastId = 0;

const call = (fields: Readonly<Record<string, unknown>>): EventBody => {
  lastId += 1;
  return {
    kind: "update",
    update: { sessionUpdate: "tool_call", toolCallId: `call-${lastId}`, title: "Tool", ...fields },
  };
};

const change = (fields: Readonly<Record<string, unknown>>): EventBody => ({
  kind: "update",
  update: { sessionUpdate: "tool_call_update", toolCallId: `call-${lastId}`, ...fields },
});

const turn: readonly EventBody[] = [
  { kind: "prompt-queued", promptId: "p", content: [{ type: "text", text: "go" }], by: "me" },
  { kind: "turn-started", turnId: "t", promptId: "p" },
];
const text = (words: string) => [{ type: "content", content: { type: "text", text: words } }];

function itemsOf({ view }: StagedSession): ToolCallItem[] {
  return view.items.filter((item) => item.type === "tool-call");
}

function show(...bodies: readonly EventBody[]) {
  const staged = new StagedSession([opened, ...bodies]);
  const Rows = () =>
    itemsOf(staged).map((item) => <ToolRow key={item.key} item={item} view={staged.view} />);
  const page = render(<Rows />, { wrapper: staged.Stage });
  return {
    add: (...more: readonly EventBody[]) => {
      act(() => staged.add(...more));
      page.rerender(<Rows />);
    },
  };
}

function RunningRow() {
  const view = useSnapshotPart((snapshot) => snapshot.view);
  const item = view?.items.findLast(({ type }) => type === "tool-call");
  return view && item?.type === "tool-call" ? <ToolRow item={item} view={view} /> : null;
}

describe("a row", () => {
  it("shows the action, its object and the duration", () => {
    show(
      call({ title: "Read a.ts", kind: "read", locations: [{ path: "/repo/src/a.ts" }] }),
      change({ status: "completed" }),
    );
    expect(screen.getByRole("button").textContent).toBe("Readsrc/a.tsDone1.0 s");
  });

  it("renders its content when it is opened, and remembers whether it is open", () => {
    const body = call({ title: "Look", status: "completed", content: text("found it") });
    const { add } = show(body);
    expect(screen.queryByText("found it")).toBeNull();
    fireEvent.click(screen.getByRole("button", { name: /Look/u }));
    expect(screen.getByText("found it")).not.toBeNull();
    add(change({ content: text("found more") }));
    expect(screen.getByText("found more")).not.toBeNull();
  });

  it("shows the first line of the error of a failed call, and all of it when opened", () => {
    show(
      call({ title: "Fetch", status: "failed", content: text("No network.\nTry again later.") }),
    );
    expect(screen.getByText("Failed")).not.toBeNull();
    expect(screen.getByText("No network.")).not.toBeNull();
    fireEvent.click(screen.getByRole("button", { name: /Fetch/u }));
    expect(screen.getByText(/Try again later/u)).not.toBeNull();
  });

  it("shows that a call was cancelled or has no end", () => {
    show(...turn, call({ title: "One" }), {
      kind: "turn-ended",
      turnId: "t",
      stopReason: "cancelled",
    });
    expect(screen.getByText("Stopped")).not.toBeNull();
  });

  describe("with a permission request", () => {
    const content = [
      { type: "diff", path: "/repo/a.ts", oldText: "a\n", newText: "b\n" },
      { type: "content", content: { type: "text", text: "The person said no. Ask them why." } },
    ];
    const asks = (askId: string): EventBody => ({
      kind: "ask-opened",
      ask: "permission",
      askId,
      toolCall: { toolCallId: `call-${lastId}` },
      options: [
        { optionId: "yes", name: "Yes", kind: "allow_once" },
        { optionId: "no", name: "No", kind: "reject_once" },
      ],
    });
    const answers = (askId: string, optionId: string): EventBody => ({
      kind: "ask-settled",
      askId,
      outcome: { outcome: "selected", optionId },
      by: { client: "me" },
    });
    const edit = () => call({ title: "Edit a.ts", kind: "edit", status: "pending", content });

    it("that was rejected: shows neither a failure nor a change nor text for the model", () => {
      const row = () => screen.getByRole("button", { name: /^Edit/u });
      const { add } = show(...turn, edit());
      add(change({ status: "in_progress" }));
      expect(row().getAttribute("aria-expanded")).toBe("true");
      add(asks("k"));
      expect(row().getAttribute("aria-expanded")).toBe("false");
      add(answers("k", "no"));
      expect(screen.getByText("Rejected")).not.toBeNull();
      add(change({ status: "failed" }));
      expect(row().textContent).toBe("Edita.tsRejected");
      expect(screen.queryByText(/Ask them why/u)).toBeNull();
      expect(row().getAttribute("aria-expanded")).toBe("false");
      fireEvent.click(row());
      expect(screen.getAllByText(/Ask them why/u)).toHaveLength(1);
    });

    it("that was allowed after a rejection: shows a failure", () => {
      show(...turn, edit(), asks("k"), answers("k", "no"), asks("l"), answers("l", "yes"));
      expect(screen.queryByText("Rejected")).toBeNull();
      cleanup();
      show(...turn, edit(), asks("k"), answers("k", "yes"), change({ status: "failed" }));
      expect(screen.getByText("Failed")).not.toBeNull();
      expect(screen.getByText(/Ask them why/u)).not.toBeNull();
    });

    it("that was stopped with its turn, whatever status its agent sends", () => {
      const stop: EventBody = {
        kind: "ask-settled",
        askId: "k",
        outcome: { outcome: "cancelled" },
        by: { gateway: "turn-cancelled" },
      };
      show(...turn, edit(), asks("k"), stop, change({ status: "failed" }));
      expect(screen.getByText("Stopped")).not.toBeNull();
    });
  });

  it("that was stopped while it ran, as its agent reports", () => {
    show(
      call({ title: "Run", status: "failed", rawOutput: { error: "x", reason: "cancelled" } }),
      call({ title: "Fetch", status: "failed", rawOutput: { error: "x", reason: "failed" } }),
    );
    expect(screen.getByText("Stopped")).not.toBeNull();
    expect(screen.getByText("Failed")).not.toBeNull();
  });

  it("shows a clock and an animated edge while it runs, and neither while offline", () => {
    const line = renderWithSession(<RunningRow />, {
      events: [...turn, call({ title: "Run", status: "in_progress" })],
    });
    const row = document.body;
    expect(row.querySelector(".running-edge")).not.toBeNull();
    expect(row.textContent).toMatch(/\d+ (?:s|h|d)/u);
    line.change({ state: "offline" });
    expect(row.querySelector(".running-edge")).toBeNull();
    expect(row.textContent).toBe("RunRunning");
    line.change({ state: "live" });
    expect(row.querySelector(".running-edge")).not.toBeNull();
  });

  it("opens an edit of the running turn, and not an old one", async () => {
    const content = [{ type: "diff", path: "/repo/a.ts", oldText: "a\n", newText: "b\n" }];
    const edit = call({ title: "Edit a.ts", kind: "edit", status: "completed", content });
    show(...turn, edit);
    expect(await screen.findByRole("table")).not.toBeNull();
    cleanup();
    show(call({ title: "Edit b.ts", kind: "edit", status: "completed", content }));
    expect(screen.getByRole("button").getAttribute("aria-expanded")).toBe("false");
  });

  it("shows that it waits for permission, without the diff that the request shows", () => {
    const content = [{ type: "diff", path: "/repo/a.ts", oldText: "a\n", newText: "b\n" }];
    const edit = call({ title: "Edit a.ts", kind: "edit", status: "pending", content });
    const { add } = show(...turn, edit, {
      kind: "ask-opened",
      ask: "permission",
      askId: "k",
      toolCall: { toolCallId: `call-${lastId}` },
      options: [],
    });
    expect(screen.getByText("Waiting for you")).not.toBeNull();
    expect(screen.getByRole("button").getAttribute("aria-expanded")).toBe("false");
    add({
      kind: "ask-settled",
      askId: "k",
      outcome: { outcome: "selected", optionId: "yes" },
      by: { client: "me" },
    });
    expect(screen.queryByText("Waiting for you")).toBeNull();
  });

  it("shows the output of a running command, and collapses when it succeeds", () => {
    const { add } = show(
      ...turn,
      { kind: "terminal-opened", terminalId: "x", command: "npm", args: ["test"], cwd: "/repo" },
      call({
        title: "npm test",
        kind: "execute",
        status: "in_progress",
        content: [{ type: "terminal", terminalId: "x" }],
      }),
      { kind: "terminal-output", terminalId: "x", text: "10%\r100%" },
    );
    expect(screen.getByRole("group", { name: "Output of npm test" }).textContent).toBe("100%");
    add({ kind: "terminal-output", terminalId: "x", text: "\nall passed" });
    expect(screen.getByRole("group", { name: "Output of npm test" }).textContent).toContain(
      "all passed",
    );
    add({ kind: "terminal-exited", terminalId: "x", exitCode: 0, signal: null });
    expect(screen.queryByRole("group", { name: /^Output/u })).toBeNull();
  });

  it.each([
    ["the built-in agent", { output: "", metadata: { exit: 3 } }],
    ["codex", { exit_code: 3 }],
  ])("of a command shows its exit code if %s reports it as completed", (_, rawOutput) => {
    show(call({ title: "npm test", kind: "execute", status: "completed", rawOutput }));
    expect(screen.getByRole("button", { name: /npm test.*Exit code 3/u })).not.toBeNull();
    expect(screen.queryByText("Done")).toBeNull();
  });

  it("of a command whose terminal failed shows its exit code, and nothing if it succeeded", () => {
    const terminal = (terminalId: string, exitCode: number): readonly EventBody[] => [
      { kind: "terminal-opened", terminalId, command: "npm", args: [terminalId], cwd: "/repo" },
      { kind: "terminal-exited", terminalId, exitCode, signal: null },
      call({
        title: terminalId,
        kind: "execute",
        status: "completed",
        content: [{ type: "terminal", terminalId }],
      }),
    ];
    show(...terminal("bad", 2), ...terminal("good", 0));
    expect(screen.getByRole("button", { name: /bad.*Exit code 2/u })).not.toBeNull();
    expect(screen.getByRole("button", { name: /good.*Done/u })).not.toBeNull();
  });

  it("adds no landmark for its outputs, and names each after its command", () => {
    const command = (title: string, kind: string) =>
      call({ title, kind, status: "completed", content: text("ok"), rawInput: { title } });
    show(command("npm test", "execute"), command("npm run build\n&& npm start", "execute"));
    for (const row of screen.getAllByRole("button")) fireEvent.click(row);
    const names = screen.getAllByRole("group").map((group) => group.getAttribute("aria-label"));
    expect(names).toEqual(["Output of npm test", "Output of npm run build"]);
    for (const tab of screen.getAllByRole("tab", { name: "Raw" })) fireEvent.mouseDown(tab);
    expect(screen.getAllByRole("heading", { name: "Input" })).toHaveLength(2);
    expect(screen.queryByRole("region")).toBeNull();
  });

  it("shows the raw input and output on a tab", () => {
    show(call({ title: "Look", status: "completed", rawInput: { secretWord: "plover" } }));
    fireEvent.click(screen.getByRole("button", { name: /Look/u }));
    expect(screen.queryByText(/plover/u)).toBeNull();
    fireEvent.mouseDown(screen.getByRole("tab", { name: "Raw" }));
    expect(screen.getByText(/plover/u)).not.toBeNull();
  });
});

it("shows that a line was truncated", () => {
  const words = `${"x".repeat(30_000)} the end`;
  show(call({ title: "Search", kind: "search", status: "completed", content: text(words) }));
  fireEvent.click(screen.getByRole("button", { name: /Search/u }));
  expect(screen.queryByText(/the end/u)).toBeNull();
  fireEvent.click(screen.getByRole("button", { name: "Show all 30,008 characters" }));
  expect(screen.getByText(/the end/u)).not.toBeNull();
});

describe("a group", () => {
  it("is one row that opens to its calls", () => {
    const read = (path: string) =>
      call({
        title: path,
        kind: "read",
        status: "completed",
        locations: [{ path: `/repo/${path}` }],
      });
    const staged = new StagedSession([opened, read("a.ts"), read("b.ts")]);
    render(<ToolGroup items={itemsOf(staged)} view={staged.view} />, { wrapper: staged.Stage });
    const group = screen.getByRole("button", { name: "Read 2 files" });
    expect(screen.queryByText("b.ts")).toBeNull();
    fireEvent.click(group);
    expect(screen.getByText("b.ts")).not.toBeNull();
  });
});
