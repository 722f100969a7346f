// @vitest-environment happy-dom
import type { EventBody } from "@landline/protocol";
import { act, cleanup, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { me, opened, renderWithSession, started } from "../../test/fake-session.tsx";
import { RequestDock } from "./request-dock.tsx";

beforeEach(() => localStorage.clear());
afterEach(cleanup);

const dock = () => within(screen.getByRole("region", { name: "Needs your answer" }));
const show = (...asks: readonly EventBody[]) =>
  renderWithSession(<RequestDock />, { events: [opened, started, ...asks] });

/** As the built-in agent asks. */
const reasoned = (text: string, more: object = {}): EventBody => ({
  kind: "ask-opened",
  askId: "a",
  ask: "permission",
  toolCall: {
    toolCallId: "a",
    title: "cat .env",
    kind: "execute",
    rawInput: { command: "cat .env" },
    content: [{ type: "content", content: { type: "text", text } }],
    ...more,
  },
  options: [
    { optionId: "once", name: "Allow once", kind: "allow_once" },
    { optionId: "no", name: "Reject", kind: "reject_once" },
  ],
});

test.each([
  ["who may answer", me],
  ["who only watches", { ...me, role: "watch" as const }],
])("a request shows %s why the agent asks", (_, who) => {
  const text = "Asked because .env may hold *secrets*; this runs\u202e.";
  renderWithSession(<RequestDock />, { events: [opened, started, reasoned(text)], who });
  const said = dock().getByRole("group", { name: "What the agent says about it" });
  expect(said.textContent).toContain("Asked because .env may hold *secrets*; this runs");
  expect(said.textContent).toContain("U+202E");
});

test("a command that the sandbox stopped says once what was denied, and offers no rule", () => {
  const denied = "the sandbox kept it from changing /srv/x";
  const request = reasoned(`T${denied.slice(1)}. If you allow it, the command runs again.`, {
    title: "npm test (stopped by the sandbox)",
    rawInput: { command: "npm test" },
    _meta: { "landline/sandbox": {} },
  });
  const explained: EventBody = {
    kind: "ask-explained",
    askId: "a",
    reasons: [denied, "only a person can let a command out of the sandbox"],
  };
  const ours = { ...started, isBuiltIn: true } as EventBody;
  renderWithSession(<RequestDock />, { events: [opened, ours, request, explained] });
  expect(dock().getByText("Stopped by the sandbox. Run it again?")).toBeTruthy();
  expect(dock().getAllByText(/the sandbox kept it from changing/i)).toHaveLength(1);
  expect(dock().queryByText(/No rule allows this/)).toBeNull();
  expect(dock().queryByText(/\(stopped by the sandbox\)/)).toBeNull();
  expect(dock().queryByRole("button", { name: /make a rule/ })).toBeNull();
  // Other agents can claim it too and are not believed.
  cleanup();
  show(request, explained);
  expect(dock().getByText("Run this command?")).toBeTruthy();
  expect(dock().getByText(/No rule allows this/)).toBeTruthy();
});

test("a command that made protected files is not said to run again", () => {
  const request = {
    ...reasoned("The command made .vscode.", { _meta: { "landline/sandbox": {} } }),
    options: [
      { optionId: "keep", name: "Allow", kind: "allow_once" },
      { optionId: "reject", name: "Reject", kind: "reject_once" },
    ],
  } as EventBody;
  const ours = { ...started, isBuiltIn: true } as EventBody;
  renderWithSession(<RequestDock />, { events: [opened, ours, request] });
  expect(dock().getByText("Keep the protected files that it made?")).toBeTruthy();
  expect(dock().queryByText(/Run it again/)).toBeNull();
});

test("a plan is rendered as Markdown", () => {
  show(reasoned("1. **First** this", { kind: "switch_mode", title: "Plan", rawInput: {} }));
  expect(dock().getByText("First").tagName).toBe("STRONG");
});

test("the text of a request is not repeated", () => {
  show(reasoned("Asked because .env is hidden; it may be new."), {
    kind: "ask-explained",
    askId: "a",
    reasons: [".env is hidden"],
  });
  expect(dock().getAllByText(/\.env is hidden/)).toHaveLength(1);
  expect(dock().getByText("Asked because it may be new.")).toBeTruthy();
});

test.each([
  ["the command again", "```sh\ncat .env\n```", []],
  ["only the reasons of the gateway", "Asked because .env is hidden.", [".env is hidden"]],
])("a request that says %s has no text of its own", (_, text, reasons) => {
  show(reasoned(text), { kind: "ask-explained", askId: "a", reasons });
  expect(dock().queryByRole("group", { name: "What the agent says about it" })).toBeNull();
});

test("no rule is offered if the gateway says that none would apply", () => {
  const line = show(reasoned(""));
  expect(dock().getByRole("button", { name: /^Always…/ })).toBeTruthy();
  act(() => line.tell({ kind: "ask-explained", askId: "a", reasons: [".env is hidden"] }));
  expect(dock().queryByRole("button", { name: /^Always…/ })).toBeNull();
});
