// @vitest-environment happy-dom
import { LandlineError, type EventBody } from "@landline/protocol";
import { act, cleanup, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { me, opened, renderWithSession, started } from "../../test/fake-session.tsx";
import { passAnswerGuard, guardClock } from "../../test/answer-guard-clock.ts";
import { setPreferences } from "../state/preferences.ts";
import { RequestDock } from "./request-dock.tsx";

const permission = (askId: string, title: string): EventBody => ({
  kind: "ask-opened",
  askId,
  ask: "permission",
  toolCall: { toolCallId: askId, title, kind: "execute", rawInput: { command: title } },
  options: [
    { optionId: "once", name: "Allow once", kind: "allow_once" },
    { optionId: "no", name: "Reject", kind: "reject_once" },
  ],
});
const question = {
  kind: "ask-opened",
  askId: "q",
  ask: "question",
  request: {
    mode: "form",
    sessionId: "a",
    message: "Who are you?",
    requestedSchema: {
      type: "object",
      properties: { name: { type: "string", title: "Name" } },
      required: ["name"],
    },
  },
} satisfies EventBody;
const settled = (askId: string, client: string): EventBody => ({
  kind: "ask-settled",
  askId,
  outcome: { outcome: "selected", optionId: "once" },
  by: { client },
});

const dock = () => within(screen.getByRole("region", { name: "Needs your answer" }));
let user = userEvent.setup();

beforeEach(() => {
  localStorage.clear();
  vi.useFakeTimers({ toFake: guardClock });
  user = userEvent.setup();
});
afterEach(() => {
  cleanup();
  setPreferences({ hasSingleKeys: true });
  vi.useRealTimers();
});

function show(...asks: readonly EventBody[]) {
  const line = justShow(...asks);
  passAnswerGuard();
  return line;
}

function justShow(...asks: readonly EventBody[]) {
  return renderWithSession(
    <>
      <RequestDock />
      <textarea aria-label="Elsewhere" />
    </>,
    { events: [opened, started, ...asks] },
  );
}

const suggested = { text: "As suggested", notes: ["Not covered: y."] };

describe("a permission request", () => {
  test("shows the command and is answered by the agent's own option", async () => {
    const line = show(permission("p1", "npm test"));
    expect(dock().getByText(/npm test/)).toBeTruthy();
    await user.click(dock().getByRole("button", { name: /Allow once/ }));
    expect(line.asked).toHaveBeenCalledWith(
      "answer",
      "p1",
      { outcome: "selected", optionId: "once" },
      undefined,
    );
  });

  test("ignores keys just after it appears, always ignores Enter, and then accepts `r`", async () => {
    const line = justShow(permission("p1", "npm test"));
    await user.keyboard("r");
    expect(line.asked).not.toHaveBeenCalled();
    passAnswerGuard();
    await user.keyboard("{Enter}");
    expect(line.asked).not.toHaveBeenCalled();
    await user.keyboard("r");
    expect(line.asked.mock.calls[0]?.[2]).toEqual({ outcome: "selected", optionId: "no" });
  });

  test("shows and accepts no keys when single-key shortcuts are off", async () => {
    setPreferences({ hasSingleKeys: false });
    const line = show(permission("p1", "npm test"), permission("p2", "make"));
    const allow = dock().getByRole("button", { name: /Allow once/ });
    await user.keyboard("1arn");
    expect(line.asked).not.toHaveBeenCalled();
    expect(allow.isConnected).toBe(true);
    expect(allow.querySelector("kbd")).toBeNull();
    expect(allow.hasAttribute("aria-keyshortcuts")).toBe(false);

    act(() => setPreferences({ hasSingleKeys: true }));
    expect(allow.querySelectorAll("kbd")).toHaveLength(2);
    expect(allow.getAttribute("aria-keyshortcuts")).toBe("1 a");
    await user.keyboard("a");
    expect(line.asked).toHaveBeenCalledOnce();
  });

  test("is answered once by two keys that arrive before the next render", () => {
    const line = show(permission("p1", "npm test"));
    act(() => {
      for (const key of ["a", "r"])
        document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    });
    expect(line.asked).toHaveBeenCalledOnce();
  });

  test("is followed by the next one, which the same keys answer", async () => {
    const line = show(permission("p1", "npm test"), permission("p2", "make"));
    await user.click(dock().getByRole("button", { name: /Allow once/ }));
    line.tell(settled("p1", "me"));
    passAnswerGuard();
    await user.keyboard("a");
    expect(line.asked.mock.calls.map(([, askId]) => askId)).toEqual(["p1", "p2"]);
    line.tell(settled("p2", "me"));
    expect(screen.queryByRole("region", { name: "Needs your answer" })).toBeNull();
  });

  test("is not answered by keys typed elsewhere", async () => {
    const line = show(permission("p1", "npm test"));
    await user.type(screen.getByLabelText("Elsewhere"), "arn1");
    expect(line.asked).not.toHaveBeenCalled();
  });

  test("is rejected with a note", async () => {
    const line = show(permission("p1", "npm test"));
    await user.click(dock().getByRole("button", { name: /note/ }));
    await user.type(dock().getByLabelText(/instead/), "Use make");
    passAnswerGuard();
    await user.click(dock().getByRole("button", { name: /send note/ }));
    expect(line.asked).toHaveBeenCalledWith(
      "answer",
      "p1",
      { outcome: "selected", optionId: "no" },
      "Use make",
    );
  });

  test("Enter sends the note, Shift+Enter inserts a line break, and the note says when it is sent", async () => {
    const line = show(permission("p1", "npm test"));
    await user.click(dock().getByRole("button", { name: /note/ }));
    expect(dock().getByText(/when this turn ends/)).toBeTruthy();
    await user.keyboard("{Enter}");
    expect(line.asked).not.toHaveBeenCalled();
    await user.keyboard("Use make{Shift>}{Enter}{/Shift}not npm");
    expect(line.asked).not.toHaveBeenCalled();
    await user.keyboard("{Enter}");
    expect(line.asked.mock.calls[0]?.[3]).toBe("Use make\nnot npm");
  });

  test("a note that could not be sent stays and can be sent again", async () => {
    const line = show(permission("p9", "npm test"));
    line.asked.mockRejectedValueOnce(new LandlineError("rate-limited"));
    await user.click(dock().getByRole("button", { name: /note/ }));
    await user.keyboard("Use make{Enter}");
    const send = dock().getByRole<HTMLButtonElement>("button", { name: /send note/ });
    await waitFor(() => expect(send.disabled).toBe(false));
    passAnswerGuard();
    await user.click(send);
    expect(line.asked.mock.calls.map(([, , , note]) => note)).toEqual(["Use make", "Use make"]);
  });

  test("becomes a rule, which is described and saved before the answer", async () => {
    const line = show(permission("p1", "npm test"));
    const rule = {
      decision: "allow",
      what: { commandPrefix: "npm test" },
      where: { in: "session", sessionId: "s" },
    };
    line.asked.mockImplementation(async (what, given) => {
      if (what === "suggestRules") return { rules: [{ rule, ...suggested }], reason: null };
      if (what !== "previewRule") return undefined;
      return { text: `Allow in ${(given as typeof rule).where.in}`, notes: ["Not covered: x."] };
    });
    await user.click(dock().getByRole("button", { name: /^Always…/ }));
    await screen.findByText("Allow in session");
    await user.click(await screen.findByRole("radio", { name: "Everywhere" }));
    expect(screen.queryByText("As suggested")).toBeNull();
    await screen.findByText("Allow in everywhere");
    expect(screen.getByText("Not covered: x.")).toBeTruthy();
    // Enter does not answer here either.
    await user.keyboard("{Enter}");
    expect(line.asked.mock.calls.some(([what]) => what === "addRule")).toBe(false);
    expect(screen.queryByLabelText("Careful")).toBeNull();
    passAnswerGuard();
    await user.click(screen.getByRole("button", { name: /Save rule/ }));
    const calls = line.asked.mock.calls.filter(([what]) => /addRule|answer/.test(what));
    expect(calls.map(([what, given]) => [what, given])).toEqual([
      ["addRule", { ...rule, where: { in: "everywhere" } }],
      ["answer", "p1"],
    ]);
  });
});

test("a broad rule is marked as risky, and the narrowest one is selected", async () => {
  const line = show(permission("p1", "rm *"));
  const where = { in: "session", sessionId: "s" };
  const rule = (commandPrefix: string) => ({ decision: "allow", what: { commandPrefix }, where });
  line.asked.mockImplementation(async (what) => {
    if (what === "previewRule")
      return { text: "It can delete any file of the project given after these words.", notes: [] };
    const rules = [
      { rule: rule("rm *"), text: "rm *", notes: [], isRisky: true },
      { rule: rule("rm"), text: "rm", notes: [], isRisky: true },
    ];
    return { rules, reason: null };
  });
  await user.click(dock().getByRole("button", { name: /^Always…/ }));
  await screen.findByText(/It can delete/);
  expect(screen.getByLabelText("Careful")).toBeTruthy();
  const narrowest = screen.getByRole<HTMLInputElement>("radio", { name: /“rm \*”/ });
  expect(narrowest.checked).toBe(true);
});

test("a rule without a description is not saved; a suggested one has its own", async () => {
  const line = show(permission("p1", "npm test"));
  const where = { in: "session", sessionId: "s" };
  const rule = { decision: "allow", what: { commandPrefix: "npm test" }, where };
  line.asked.mockImplementation(async (what) => {
    if (what === "suggestRules") return { rules: [{ rule, ...suggested }], reason: null };
    throw new Error("The gateway cannot be reached.");
  });
  await user.click(dock().getByRole("button", { name: /^Always…/ }));
  await screen.findByText("As suggested");
  const save = screen.getByRole<HTMLButtonElement>("button", { name: /Save rule/ });
  expect(save.disabled).toBe(false);
  expect(screen.queryByRole("alert")).toBeNull();
  await user.click(screen.getByRole("radio", { name: "Everywhere" }));
  expect((await screen.findByRole("alert")).textContent).toMatch(/gateway/i);
  expect(save.disabled).toBe(true);
});

describe("several requests", () => {
  test("the first is expanded and the others are one line each; `n` and a click expand another", async () => {
    show(permission("p1", "first"), permission("p2", "second"));
    expect(dock().getAllByRole("button", { name: /Allow once/ })).toHaveLength(1);
    await user.keyboard("n");
    expect(dock().getByRole("button", { name: /first/ })).toBeTruthy();
    await user.click(dock().getByRole("button", { name: /first/ }));
    expect(dock().getByRole("button", { name: /second/ })).toBeTruthy();
  });

  test("of many requests a few are shown and the others are counted", () => {
    show(...Array.from({ length: 10 }, (_, index) => permission(`p${index}`, `run ${index}`)));
    expect(dock().getAllByRole("article")).toHaveLength(4);
    expect(dock().getByText(/^6 more wait/)).toBeTruthy();
  });

  test("a half-filled form keeps its values while another request is shown", async () => {
    show(question, permission("p2", "second"));
    await user.type(dock().getByLabelText("Name"), "Ada");
    await user.click(dock().getByRole("button", { name: /second/ }));
    await user.click(dock().getByRole("button", { name: /Who are you/ }));
    expect(dock().getByLabelText<HTMLInputElement>("Name").value).toBe("Ada");
  });
});

describe("an unsent answer", () => {
  const away = <p>Another conversation</p>;
  const note = () => dock().getByLabelText<HTMLTextAreaElement>(/instead/).value;

  test("a note survives Esc and a visit to another session", async () => {
    const line = show(permission("p1", "npm test"));
    await user.click(dock().getByRole("button", { name: /with a note/ }));
    await user.keyboard("Use make{Escape}");
    expect(dock().queryByLabelText(/instead/)).toBeNull();
    await user.click(dock().getByRole("button", { name: /with your note/ }));
    expect(note()).toBe("Use make");
    await user.keyboard(", please");
    line.show(away);
    line.show(<RequestDock />);
    await user.click(dock().getByRole("button", { name: /with your note/ }));
    expect(note()).toBe("Use make, please");
  });

  test("a form keeps its values; a secret is kept in memory only", async () => {
    const properties = { name: { type: "string" }, password: { type: "string" } };
    const request = { ...question.request, requestedSchema: { type: "object", properties } };
    const line = show({ ...question, request });
    await user.type(dock().getByLabelText(/name/), "Ada");
    await user.type(dock().getByLabelText(/password/), "hunter2");
    line.show(away);
    expect(Object.values(localStorage).join("")).toContain("Ada");
    expect(Object.values(localStorage).join("")).not.toContain("hunter2");
    line.show(<RequestDock />);
    expect(dock().getByLabelText<HTMLInputElement>(/name/).value).toBe("Ada");
    expect(dock().getByLabelText<HTMLInputElement>(/password/).value).toBe("hunter2");
    line.tell(settled("q", "anna"));
    expect(Object.values(localStorage).join("")).not.toContain("Ada");
  });

  test("is deleted when anyone settles the request, but not before the session is live", async () => {
    const line = show(permission("p1", "npm test"));
    await user.click(dock().getByRole("button", { name: /with a note/ }));
    await user.keyboard("Use make");
    line.change({ state: "catching-up" });
    line.show(away);
    line.tell(settled("p1", "anna"));
    line.show(<RequestDock />);
    expect(Object.values(localStorage).join("")).toContain("Use make");
    line.change({ state: "live" });
    expect(Object.values(localStorage).join("")).not.toContain("Use make");
  });
});

test("a form shows missing values at their fields, and is answered", async () => {
  const line = show(question);
  await user.click(dock().getByRole("button", { name: "Send answer" }));
  expect(dock().getByText("This field is required.")).toBeTruthy();
  expect(document.activeElement).toBe(dock().getByLabelText("Name"));
  await user.keyboard("Ada{Enter}");
  expect(line.asked).toHaveBeenCalledWith(
    "answer",
    "q",
    { action: "accept", content: { name: "Ada" } },
    undefined,
  );
});

describe("answered by another client", () => {
  test("shows the subject, so that it does not look like an answer to the next request", () => {
    const line = show(permission("p1", "npm test"), permission("p2", "rm -r build"));
    line.tell(settled("p1", "anna"));
    expect(screen.getByRole("status").textContent).toBe("npm test: Anna allowed it.");
    expect(dock().getByText(/rm -r build/)).toBeTruthy();
  });

  test("shows who answered, for a while, and takes no focus", async () => {
    vi.useFakeTimers({ toFake: [...guardClock, "setTimeout", "clearTimeout"] });
    const line = show(permission("p1", "npm test"));
    const elsewhere = screen.getByLabelText("Elsewhere");
    elsewhere.focus();
    line.tell(settled("p1", "anna"));
    expect(screen.getByText(/Anna allowed it\./)).toBeTruthy();
    expect(document.activeElement).toBe(elsewhere);
    await act(() => vi.advanceTimersByTimeAsync(6_000));
    expect(screen.queryByText(/Anna allowed/)).toBeNull();
  });

  test("the client's own answer is not announced", async () => {
    const line = show(permission("p1", "npm test"));
    await user.click(dock().getByRole("button", { name: /Allow once/ }));
    line.tell(settled("p1", "me"));
    expect(screen.queryByText(/allowed/)).toBeNull();
  });
});

describe("while the connection is lost", () => {
  const words = "Offline. You can answer when the connection is back.";
  const said = (text: string) => dock().findByText(text);

  test("the buttons say so, keep the focus, do nothing, and recover by themselves", async () => {
    const line = show(permission("p1", "npm test"));
    const allow = dock().getByRole("button", { name: /Allow once/ });
    allow.focus();
    line.change({ state: "offline" });
    expect(dock().queryByText(words)).toBeNull();
    await said(words);
    const described = allow.getAttribute("aria-describedby");
    expect(document.getElementById(described ?? "")?.textContent).toBe(words);
    expect(allow.getAttribute("aria-disabled")).toBe("true");
    await user.click(allow);
    await user.keyboard("a1{Enter}");
    expect(document.activeElement).toBe(allow);
    expect(line.asked).not.toHaveBeenCalled();

    line.change({ state: "live" });
    expect(dock().queryByText(words)).toBeNull();
    expect(allow.hasAttribute("aria-disabled")).toBe(false);
    await user.click(allow);
    expect(line.asked).toHaveBeenCalledOnce();
  });

  test("a form and a note can be edited but not sent", async () => {
    const line = show(question, permission("p2", "npm test"));
    line.change({ state: "offline" });
    await said(words);
    await user.type(dock().getByLabelText("Name"), "Ada{Enter}");
    await user.click(dock().getByRole("button", { name: "Decline" }));
    await user.click(dock().getByRole("button", { name: /npm test/ }));
    await user.click(dock().getByRole("button", { name: /note/ }));
    await user.keyboard("Use make{Enter}");
    expect(line.asked).not.toHaveBeenCalled();
    line.change({ state: "live" });
    passAnswerGuard();
    await user.click(dock().getByRole("button", { name: /send note/ }));
    expect(line.asked.mock.calls[0]?.[3]).toBe("Use make");
  });

  test("an answer that was given waits, and the card says so", async () => {
    const line = show(permission("p1", "npm test"));
    line.asked.mockReturnValueOnce(new Promise(() => undefined));
    line.change({ state: "offline" });
    act(() =>
      dock()
        .getByRole("button", { name: /Allow once/ })
        .click(),
    );
    expect(line.asked).toHaveBeenCalledOnce();
    expect(
      await said("You are offline. Your answer is sent when the connection is back."),
    ).toBeTruthy();
  });
});

test("a client with the role watch sees the request without buttons", () => {
  renderWithSession(<RequestDock />, {
    events: [opened, started, permission("p1", "npm test")],
    who: { ...me, role: "watch" },
  });
  expect(dock().getByText(/npm test/)).toBeTruthy();
  expect(dock().queryByRole("button", { name: /Allow/ })).toBeNull();
});

test("a request shows why no rule allows it", () => {
  const reasons = [".env may hold passwords or keys"];
  show(permission("a", "cat .env"), { kind: "ask-explained", askId: "a", reasons });
  expect(dock().getByText("No rule allows this, because:")).toBeTruthy();
  expect(dock().getByText(".env may hold passwords or keys")).toBeTruthy();
});
