// @vitest-environment happy-dom
import {
  emptyView,
  fold,
  type AskSettled,
  type EventBody,
  type SessionView,
} from "@landline/protocol";
import { cleanup, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test } from "vitest";
import { opened, renderWithSession } from "../../test/fake-session.tsx";
import { RequestRow } from "./request-row.tsx";
import { dockId } from "./dock-focus.ts";

afterEach(cleanup);

const asked: EventBody = {
  kind: "ask-opened",
  askId: "p1",
  ask: "permission",
  toolCall: { toolCallId: "t", title: "Test", kind: "execute", rawInput: { command: "npm test" } },
  options: [{ optionId: "once", name: "Allow once", kind: "allow_once" }],
};

function rowOf(...bodies: readonly EventBody[]) {
  const view = bodies.reduce<SessionView>(
    (before, body) => fold(before, [{ seq: before.head + 1, at: 0, ...body }]),
    emptyView(),
  );
  const item = view.items.find((one) => one.type === "ask");
  return item ? <RequestRow item={item} view={view} /> : null;
}

test("an open request says what it waits for and links to the dock", async () => {
  renderWithSession(
    <>
      {rowOf(opened, asked)}
      <section id={dockId} tabIndex={-1} aria-label="Dock" />
    </>,
  );
  const row = screen.getByRole("button", { name: /npm test.*Waiting for you/ });
  await userEvent.click(row);
  expect(document.activeElement).toBe(screen.getByLabelText("Dock"));
});

test("a request that a rule settled says so, and shows the rule when it is loaded", async () => {
  const settled: EventBody = {
    kind: "ask-settled",
    askId: "p1",
    outcome: { outcome: "selected", optionId: "once" },
    by: { rule: "r1" },
  };
  const line = renderWithSession(null);
  line.asked.mockResolvedValue({
    rules: [{ id: "r1", text: "Allow npm test in this project." }],
  });
  line.show(rowOf(opened, asked, settled));
  expect(screen.getByText("A rule allowed")).toBeTruthy();
  await screen.findByText(/Allow npm test in this project\./);
});

test("an answered question shows the answer", () => {
  const question: EventBody = {
    kind: "ask-opened",
    askId: "q",
    ask: "question",
    request: {
      mode: "form",
      sessionId: "a",
      message: "Who are you?",
      requestedSchema: { type: "object", properties: { name: { type: "string", title: "Name" } } },
    },
  };
  const answered: EventBody = {
    kind: "ask-settled",
    askId: "q",
    outcome: { action: "accept", content: { name: "Ada" } },
    by: { client: "me" },
  };
  renderWithSession(rowOf(opened, question, answered));
  expect(screen.getByText("You answered")).toBeTruthy();
  expect(screen.getByText("Ada")).toBeTruthy();
});

test("a rejection shows its note", () => {
  const refusable: EventBody = {
    kind: "ask-opened",
    askId: "p7",
    ask: "permission",
    toolCall: { toolCallId: "t", title: "Test", kind: "execute" },
    options: [{ optionId: "no", name: "Reject", kind: "reject_once" }],
  };
  const rejected: AskSettled = {
    kind: "ask-settled",
    askId: "p7",
    outcome: { outcome: "selected", optionId: "no" },
    by: { client: "me" },
    note: "Use make",
  };
  const line = renderWithSession(rowOf(opened, refusable, rejected));
  expect(screen.getByText("You rejected")).toBeTruthy();
  expect(screen.getByText("Use make")).toBeTruthy();
  const { note: _note, ...silent } = rejected;
  line.show(rowOf(opened, refusable, silent));
  expect(screen.getByText("You rejected")).toBeTruthy();
  expect(screen.queryByText("Use make")).toBeNull();
});
