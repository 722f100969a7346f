// @vitest-environment happy-dom
import type { EventBody } from "@landline/protocol";
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { opened, renderWithSession } from "../../test/fake-session.tsx";
import { StagedSession } from "../../test/staged-session.tsx";
import { Thread } from "./thread.tsx";

afterEach(cleanup);

const update = (sessionUpdate: string, fields: Readonly<Record<string, unknown>>): EventBody => ({
  kind: "update",
  update: { sessionUpdate, ...fields },
});
const says = (text: string, messageId = "1") =>
  update("agent_message_chunk", { content: { type: "text", text }, messageId });
const reads = (toolCallId: string) =>
  update("tool_call", { toolCallId, title: toolCallId, kind: "read", status: "completed" });
const readsText = (toolCallId: string, text: string) =>
  update("tool_call", {
    toolCallId,
    title: toolCallId,
    kind: "read",
    status: "completed",
    content: [{ type: "content", content: { type: "text", text } }],
  });
const turn = (name: string): EventBody[] => [
  { kind: "prompt-queued", promptId: name, content: [{ type: "text", text: name }], by: "me" },
  { kind: "turn-started", turnId: name, promptId: name },
];
const ends = (name: string): EventBody => ({
  kind: "turn-ended",
  turnId: name,
  stopReason: "end_turn",
  usage: { totalTokens: 1_200 },
});

function show(...bodies: readonly EventBody[]): StagedSession {
  const staged = new StagedSession(bodies);
  render(<Thread />, { wrapper: staged.Stage });
  return staged;
}

describe("the thread", () => {
  it("shows messages, tool calls and the end of a turn", () => {
    show(...turn("Fix it"), reads("a"), reads("b"), says("It is **fixed**."), ends("Fix it"));
    expect(screen.getByText("Fix it")).not.toBeNull();
    expect(screen.getByText("fixed").tagName).toBe("STRONG");
    expect(screen.getByText(/^Read 2 files/u)).not.toBeNull();
    expect(screen.getByText("4.0 s · 1,200 tokens")).not.toBeNull();
    expect(screen.getByText("Beginning of the conversation")).not.toBeNull();
  });

  it("has the role log and is not announced chunk by chunk", () => {
    show(...turn("go"));
    const log = screen.getByRole("log", { name: "Conversation" });
    expect(log.getAttribute("aria-live")).toBe("off");
    expect(log.tabIndex).toBe(0);
  });

  it("renders the end of a long thread, and more on demand", () => {
    const messages = Array.from({ length: 300 }, (_, index) =>
      says(`Message ${index}.`, `${index}`),
    );
    show(...messages);
    expect(screen.queryByText("Message 0.")).toBeNull();
    expect(screen.getByText("Message 299.")).not.toBeNull();
    const drawn = screen.getAllByText(/^Message \d+\.$/u).length;
    expect(drawn).toBeLessThan(150);
    fireEvent.click(screen.getByRole("button", { name: "Show earlier messages" }));
    expect(screen.getAllByText(/^Message \d+\.$/u)).toHaveLength(drawn + 60);
  });

  it("re-renders only the last row for a chunk", async () => {
    const staged = show(...turn("go"), says("First.", "1"), says("Sec", "2"));
    const first = screen.getByText("First.");
    act(() => staged.add(says("ond.", "2")));
    expect(await screen.findByText("Second.")).not.toBeNull();
    expect(screen.getByText("First.")).toBe(first);
  });

  it("keeps an opened row open when it becomes part of a group", () => {
    const staged = show(...turn("go"), readsText("a", "what a says"));
    fireEvent.click(screen.getByRole("button", { name: /^a/u }));
    expect(screen.getByText("what a says")).not.toBeNull();
    act(() => staged.add(readsText("b", "what b says")));
    expect(screen.getByText(/^Read 2 files/u)).not.toBeNull();
    expect(screen.getByText("what a says")).not.toBeNull();
    expect(screen.queryByText("what b says")).toBeNull();
  });

  it("shows an unknown item as one line that opens", () => {
    show(update("weather_report", { sunny: true }));
    fireEvent.click(screen.getByRole("button", { name: "Unknown update: weather_report" }));
    expect(screen.getByText("sunny:")).not.toBeNull();
  });

  describe("when the person has scrolled up", () => {
    const leave = () => {
      const log = screen.getByRole("log", { name: "Conversation" });
      Object.defineProperty(log, "scrollHeight", { value: 2_000 });
      Object.defineProperty(log, "clientHeight", { value: 500 });
      for (const top of [1_500, 700]) {
        log.scrollTop = top;
        fireEvent.scroll(log);
      }
      return log;
    };
    const events = [opened, ...turn("one"), says("a"), ends("one")];

    it("counts only rows that were added since", () => {
      const line = renderWithSession(<Thread />, { events });
      leave();
      expect(screen.getByRole("button", { name: "Go to the end" })).not.toBeNull();
      line.tell(...turn("two"), says("b", "2"), ends("two"));
      expect(screen.getByRole("button", { name: "Go to the end, 2 new" })).not.toBeNull();
    });

    it("scrolls to the end for the person's own prompt, and not for others", () => {
      const line = renderWithSession(<Thread />, { events });
      const log = leave();
      line.tell({ ...turn("theirs")[0], by: "anna" } as EventBody);
      expect(log.scrollTop).toBe(700);
      const mine = { promptId: "mine", content: [], at: 1, state: "sending", error: null } as const;
      line.change({ outgoing: [mine] });
      expect(log.scrollTop).toBe(2_000);
      expect(screen.queryByRole("button", { name: /Go to the end/u })).toBeNull();
    });

    it("stays in place when a sent prompt arrives or is rejected", () => {
      const line = renderWithSession(<Thread />, { events });
      const mine = { promptId: "mine", content: [], at: 1, state: "sending", error: null } as const;
      line.change({ outgoing: [mine] });
      const log = leave();
      line.change({ outgoing: [{ ...mine, state: "refused" }] });
      line.change({ outgoing: [] });
      expect(log.scrollTop).toBe(700);
    });
  });

  it("shows the start of a long prompt, and all of it on demand", () => {
    const long = Array.from({ length: 60 }, (_, index) => `Line ${index} of it.`).join("\n\n");
    show(...turn(long), says("Read."));
    expect(screen.getByText("Line 3 of it.")).not.toBeNull();
    expect(screen.queryByText("Line 59 of it.")).toBeNull();
    fireEvent.click(screen.getByRole("button", { name: "Show all" }));
    expect(screen.getByText("Line 59 of it.")).not.toBeNull();
    fireEvent.click(screen.getByRole("button", { name: "Show less" }));
    expect(screen.queryByText("Line 59 of it.")).toBeNull();
  });

  it("shows a line, not an error, when a choice is not available", () => {
    show(
      { kind: "error", code: "option-not-offered", message: "Began without model." },
      says("Hi"),
    );
    expect(screen.getByText("Began without model.").closest("[class*=text-bad]")).toBeNull();
  });

  it("shows code in a notice", () => {
    const notice = { severity: "warning", title: "Back to Ask", description: "Set `level` there." };
    show({ kind: "update", update: { sessionUpdate: "notice", ...notice } }, says("Hi"));
    expect(screen.getByText("level").tagName).toBe("CODE");
  });

  it("shows which options were reset when the agent restarted, and what to do about it", () => {
    const message = "Mode is back to Ask: the agent was started again.";
    const help = "Choose Never ask again if you still want it.";
    show({ kind: "error", code: "choice-ended", message, help }, says("Hi"));
    expect(screen.getByText(message).closest("[class*=text-ask]")).not.toBeNull();
    screen.getByText(help);
  });

  it("shows once why a turn failed, and offers to send the prompt again", () => {
    const error = { code: "agent-exited", message: "The agent ended with code 3." };
    show(
      ...turn("go"),
      { kind: "agent-exited", code: 3, signal: null, stderr: "a\n\u001b[31mpanic\u001b[0m\n" },
      { kind: "error", ...error },
      { kind: "turn-ended", turnId: "go", stopReason: "failed", error },
    );
    expect(screen.getAllByText(/ended with code 3/u)).toHaveLength(1);
    expect(screen.getByText("panic")).not.toBeNull();
    expect(screen.getByRole("button", { name: "Send again" })).not.toBeNull();
  });
});
