// @vitest-environment happy-dom
import type { EventBody } from "@landline/protocol";
import { cleanup, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { opened, renderWithSession, started, type FakeSession } from "../../test/fake-session.tsx";
import { passAnswerGuard, guardClock } from "../../test/answer-guard-clock.ts";
import { composerFieldId } from "../composer/composer-field.ts";
import { RequestDock } from "./request-dock.tsx";

const permission: EventBody = {
  kind: "ask-opened",
  askId: "p",
  ask: "permission",
  toolCall: { toolCallId: "t", title: "npm test", kind: "execute" },
  options: [
    { optionId: "once", name: "Allow once", kind: "allow_once" },
    { optionId: "no", name: "Reject", kind: "reject_once" },
  ],
};
const question = (request: object): EventBody => ({
  kind: "ask-opened",
  askId: "q",
  ask: "question",
  request: { sessionId: "a", message: "Who are you?", ...request } as never,
});
const form = question({
  mode: "form",
  requestedSchema: { type: "object", properties: { name: { type: "string", title: "Name" } } },
});
const link = question({ mode: "url", url: "https://example.com/", elicitationId: "e" });

let user = userEvent.setup();
/** Prevents navigation to an external page; React has handled the event by then. */
const openNothing = (event: Event) => {
  if (event.target instanceof Element && event.target.closest("a")) event.preventDefault();
};
beforeEach(() => {
  localStorage.clear();
  addEventListener("click", openNothing);
  vi.useFakeTimers({ toFake: guardClock });
  user = userEvent.setup();
});
afterEach(() => {
  removeEventListener("click", openNothing);
  cleanup();
  vi.useRealTimers();
});

const press = (name: RegExp) => user.click(screen.getByRole("button", { name }));
const answersOf = ({ asked }: FakeSession) =>
  asked.mock.calls.filter(([what]) => /^(answer|addRule)$/.test(what)).length;

const message = () => screen.getByLabelText("Message");
const note = async (words: string) => {
  const noteButton = screen.queryByRole("button", { name: /^Reject with/ });
  if (noteButton) await user.click(noteButton);
  const field = screen.getByLabelText(/instead/);
  await user.clear(field);
  await user.type(field, words);
};
const openRules = async () => {
  if (screen.queryByRole("dialog") === null) await press(/^Always…/);
  return screen.findByRole("button", { name: /^Save rule/ });
};

/** Every way to answer: a first try at once, and the same again later. */
const routes: readonly [string, EventBody, () => Promise<unknown>][] = [
  ["a button of the agent", permission, () => press(/^Allow once/)],
  ["a letter", permission, () => user.keyboard("a")],
  ["a digit", permission, () => user.keyboard("2")],
  [
    "a digit in the empty message field",
    permission,
    async () => {
      await user.clear(message());
      await user.type(message(), "1");
    },
  ],
  [
    "a key on a button",
    permission,
    async () => {
      screen.getByRole("button", { name: /^Reject r|^Reject$/ }).focus();
      await user.keyboard("{Enter}");
    },
  ],
  ["Enter in a note", permission, () => note("Use make{Enter}")],
  [
    "the button of a note",
    permission,
    async () => {
      await note("Use make");
      await press(/send note/);
    },
  ],
  ["the rule dialog", permission, async () => user.click(await openRules())],
  ["the button of a form", form, () => press(/^Send answer/)],
  ["Enter in a form", form, () => user.type(screen.getByLabelText(/^Name/), "{Enter}")],
  ["Decline", form, () => press(/^Decline/)],
  ["Dismiss", form, () => press(/^Dismiss/)],
  ["an address", link, () => user.click(screen.getByRole("link", { name: /^Open/ }))],
];

test.each(routes)(
  "%s answers nothing in the first moment, and then it does",
  async (_n, ask, go) => {
    const line = renderWithSession(
      <>
        <RequestDock />
        <textarea aria-label="Message" id={composerFieldId} />
      </>,
      { events: [opened, started, ask] },
    );
    const rule = { decision: "allow", what: { commandPrefix: "x" }, where: { in: "everywhere" } };
    line.asked.mockImplementation(async (what) => {
      const words = { text: "Allow x", notes: [] };
      if (what === "suggestRules") return { rules: [{ rule, ...words }], reason: null };
      return what === "previewRule" ? words : undefined;
    });
    await go();
    expect(answersOf(line)).toBe(0);
    passAnswerGuard();
    await go();
    expect(answersOf(line)).toBeGreaterThan(0);
  },
);

test.each([
  ["a permission", permission, "button", /^Allow once/],
  ["a form", form, "button", /^Send answer/],
  ["an address", link, "link", /^Open/],
] as const)("%s says that it is disabled at first, but can be focused", (...row) => {
  vi.useFakeTimers({ toFake: [...guardClock, "setTimeout", "clearTimeout"] });
  const [, ask, role, name] = row;
  renderWithSession(<RequestDock />, { events: [opened, started, ask] });
  const answer = screen.getByRole(role, { name });
  answer.focus();
  expect(document.activeElement).toBe(answer);
  expect(answer.getAttribute("aria-disabled")).toBe("true");
  passAnswerGuard();
  expect(answer.getAttribute("aria-disabled")).toBeNull();
  expect(document.activeElement).toBe(answer);
});
