// @vitest-environment happy-dom
import { LandlineError, type SessionSummary } from "@landline/protocol";
import { act, cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { Toaster } from "sonner";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { closeOverlay, useOverlay } from "../app/overlay.ts";
import { emptyDraft } from "../message/draft-storage.ts";
import { newConversation, writeDraft } from "../message/drafts.ts";
import { messageContentAt } from "../message/send-message.ts";
import { setPreferences } from "../state/preferences.ts";
import { sessionSummary } from "../../test/session-summary.ts";
import { changeNewSessionDraft } from "./new-session-draft.ts";
import { anAgent, show } from "../../test/fake-landline.tsx";
import { Home } from "./home.tsx";
import { NewSession } from "./new-session.tsx";

const fixIt = [[{ type: "text", text: "Fix it" }], expect.any(String)] as const;
const picture = new File([Uint8Array.of(1)], "dot.png", { type: "image/png" });

beforeEach(() => {
  location.hash = "#/";
  setPreferences({ lastAgent: null, lastFolder: null });
  writeDraft(newConversation, emptyDraft);
  changeNewSessionDraft({ agent: null, folder: null });
});

afterEach(() => {
  closeOverlay();
  cleanup();
});

test("one click starts a session with the built-in agent in the gateway's folder", async () => {
  const open = vi.fn(() => Promise.resolve(sessionSummary("new")));
  show(<Home />, { open, agents: [anAgent("landline"), anAgent("claude")] });
  await userEvent.click(screen.getByRole("button", { name: "Start a conversation" }));
  expect(open).toHaveBeenCalledExactlyOnceWith({ agent: "landline", cwd: "/home/me/app" });
  await waitFor(() => expect(location.hash).toBe("#/s/new"));
});

test("the typed text becomes the first prompt", async () => {
  const prompt = vi.fn(() => Promise.resolve());
  const open = () => Promise.resolve(sessionSummary("new"));
  show(<Home />, { open, session: { prompt } });
  await userEvent.type(screen.getByLabelText("What should it do?"), "Fix it{Enter}");
  await waitFor(() => expect(prompt).toHaveBeenCalledExactlyOnceWith(...fixIt));
});

test("the dialog shows the same draft, and a failed start keeps it", async () => {
  const open = () => Promise.reject(new LandlineError("agent-not-found"));
  show(<Home />, { open });
  await userEvent.type(screen.getByLabelText("What should it do?"), "Fix it");
  await userEvent.upload(document.querySelector<HTMLInputElement>("input[type=file]")!, picture);
  await screen.findByText("dot.png");
  expect(screen.getByText("dot.png attached").tagName).toBe("OUTPUT");
  cleanup();
  show(<NewSession isOpen onClose={() => undefined} />, { open });
  await userEvent.type(screen.getByLabelText("What should it do?"), "{Enter}");
  await screen.findByRole("alert");
  expect(screen.getByLabelText<HTMLTextAreaElement>("What should it do?").value).toBe("Fix it");
  expect(messageContentAt(newConversation).attachments).toHaveLength(1);
  await userEvent.click(screen.getByRole("button", { name: "Remove dot.png" }));
  expect(messageContentAt(newConversation).attachments).toEqual([]);
  expect(document.activeElement).toBe(screen.getByLabelText("What should it do?"));
});

test("a file of the folder can be mentioned; Escape closes the list and not the dialog", async () => {
  const prompt = vi.fn(() => Promise.resolve());
  const onClose = vi.fn();
  const path = "/home/me/app/src/a.ts";
  const file = { path, name: "src/a.ts", root: "/home/me/app", kind: "file" } as const;
  const findFiles = vi.fn(async () => ({ files: [file], isCut: false }));
  const open = () => Promise.resolve(sessionSummary("new"));
  show(<NewSession isOpen onClose={onClose} />, { open, session: { prompt }, api: { findFiles } });
  const field = screen.getByLabelText("What should it do?");
  await userEvent.type(field, "See @a");
  await screen.findByRole("option", { name: /a\.ts/ });
  await waitFor(() =>
    expect(findFiles).toHaveBeenLastCalledWith({
      folder: "/home/me/app",
      q: "a",
      limit: expect.any(Number) as number,
    }),
  );
  await userEvent.keyboard("{Escape}");
  expect(screen.queryByRole("option")).toBeNull();
  expect(onClose).not.toHaveBeenCalled();
  await userEvent.type(field, " @a");
  await screen.findByRole("option", { name: /a\.ts/ });
  await userEvent.keyboard("{Enter}{Enter}");
  await waitFor(() => expect(prompt).toHaveBeenCalledOnce());
  expect(prompt).toHaveBeenCalledWith(
    [
      { type: "text", text: "See @a @src/a.ts" },
      { type: "resource_link", name: "src/a.ts", uri: `file://${path}` },
    ],
    expect.any(String),
  );
});

test("an empty file search is announced", async () => {
  const findFiles = async () => ({ files: [], isCut: false });
  show(<Home />, { api: { findFiles } });
  await userEvent.type(screen.getByLabelText("What should it do?"), "@zzz");
  const words = await screen.findByText("No matching files.");
  expect(words.tagName).toBe("OUTPUT");
});

test("a mention of a file in another folder becomes plain text", async () => {
  const prompt = vi.fn(() => Promise.resolve());
  const open = () => Promise.resolve(sessionSummary("new"));
  const mentions = [
    { name: "a.ts", path: "/home/me/app/a.ts" },
    { name: "/real/b.ts", path: "/real/b.ts" },
  ];
  writeDraft(newConversation, { text: "See @a.ts and @/real/b.ts", mentions });
  show(<Home />, { open, session: { prompt } });
  act(() => changeNewSessionDraft({ folder: "/home/me/app-2" }));
  await userEvent.click(screen.getByRole("button", { name: "Start a conversation" }));
  await waitFor(() => expect(prompt).toHaveBeenCalledOnce());
  expect(prompt).toHaveBeenCalledWith(
    [
      { type: "text", text: "See @a.ts and @/real/b.ts" },
      { type: "resource_link", name: "/real/b.ts", uri: "file:///real/b.ts" },
    ],
    expect.any(String),
  );
});

test("a session starts with the last chosen model, shows it, and can return to the agent's default", async () => {
  const open = vi.fn(() => Promise.reject(new LandlineError("agent-not-found")));
  const forgetChoices = vi.fn(() => Promise.resolve());
  const lastChoices = [
    { configId: "model", value: "large", category: "model", name: "Large 4" },
    { configId: "effort", value: "high", category: "thought_level", name: "High" },
  ] as const;
  const agents = [anAgent("landline", { lastChoices })];
  show(<Home />, { open, agents, api: { forgetChoices } });
  expect(screen.getByText("Large 4, High")).toBeDefined();
  await userEvent.click(screen.getByRole("button", { name: "Start a conversation" }));
  expect(open).toHaveBeenCalledExactlyOnceWith({
    agent: "landline",
    cwd: "/home/me/app",
    config: [
      { configId: "model", value: "large" },
      { configId: "effort", value: "high" },
    ],
  });
  await userEvent.click(screen.getByRole("button", { name: /^Use the default/ }));
  expect(forgetChoices).toHaveBeenCalledExactlyOnceWith({ agent: "landline" });
  expect(document.activeElement).toBe(screen.getByLabelText("What should it do?"));
});

test("a person who has left the page during the start is not taken to the new session", async () => {
  const prompt = vi.fn(() => Promise.resolve());
  let begin: () => void = () => undefined;
  const open = () =>
    new Promise<SessionSummary>((resolve) => {
      begin = () => resolve(sessionSummary("new"));
    });
  const { unmount } = show(
    <>
      <Home />
      <Toaster />
    </>,
    { open, session: { prompt } },
  );
  const field = screen.getByLabelText<HTMLTextAreaElement>("What should it do?");
  await userEvent.type(field, "Fix it{Enter}");
  expect(field.readOnly).toBe(true);
  fireEvent.paste(field, { clipboardData: { files: [picture], items: [], types: ["Files"] } });
  await screen.findByText("Nothing was attached: the conversation is starting.");
  unmount();
  location.hash = "#/s/other";
  begin();
  await waitFor(() => expect(prompt).toHaveBeenCalledExactlyOnceWith(...fixIt));
  expect(location.hash).toBe("#/s/other");
});

test("a start in progress can't be repeated in another form, and keeps later choices", async () => {
  const prompt = vi.fn(() => Promise.resolve());
  const { promise, resolve } = Promise.withResolvers<SessionSummary>();
  const open = vi.fn(() => promise);
  const scene = { open, session: { prompt }, agents: [anAgent("landline"), anAgent("claude")] };
  const { unmount } = show(<Home />, scene);
  await userEvent.type(screen.getByLabelText("What should it do?"), "Fix it{Enter}");
  unmount();
  show(<NewSession isOpen onClose={() => undefined} />, scene);
  const field = screen.getByLabelText<HTMLTextAreaElement>("What should it do?");
  expect(field.readOnly).toBe(true);
  await userEvent.type(field, "{Enter}");
  expect(open).toHaveBeenCalledOnce();
  act(() => changeNewSessionDraft({ agent: "claude", folder: "/srv" }));
  // A disabled button would lose the focus.
  const button = screen.getByRole<HTMLButtonElement>("button", { name: "Starting landline…" });
  expect([button.disabled, button.getAttribute("aria-disabled")]).toEqual([false, "true"]);
  await act(async () => resolve(sessionSummary("new")));
  expect(prompt).toHaveBeenCalledExactlyOnceWith(...fixIt);
  expect(field.value).toBe("");
  expect(screen.getByRole("button", { name: "Agent: claude" })).toBeDefined();
  expect(screen.getByRole<HTMLInputElement>("combobox", { name: "Folder" }).value).toBe("/srv");
});

test("an agent that requires sign-in opens it, and the text stays", async () => {
  const open = () => Promise.reject(new LandlineError("auth-required"));
  show(<Opened />, { open });
  const field = screen.getByLabelText<HTMLTextAreaElement>("What should it do?");
  await userEvent.type(field, "Fix it{Enter}");
  expect(await screen.findByText("Open: sign-in landline")).toBeDefined();
  expect(field.value).toBe("Fix it");
  expect(screen.getByRole("alert").textContent).toContain("Sign in to landline");
});

test("agents that are not installed show how to install them", async () => {
  const missing = { found: false, install: "npm install --global opencode-ai" };
  show(<Home />, { agents: [anAgent("landline"), anAgent("opencode", missing)] });
  expect(screen.queryByText(missing.install)).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "1 more can be installed" }));
  expect(screen.getByText(missing.install)).toBeDefined();
});

test("without any agent nothing can be started", () => {
  show(<Home />, { agents: [anAgent("opencode", { found: false, install: "npm install x" })] });
  expect(screen.queryByRole("button", { name: "Start a conversation" })).toBeNull();
  expect(screen.getByRole("heading", { name: "No agent was found" })).toBeDefined();
  expect(screen.getByText("npm install x")).toBeDefined();
});

test("with sessions, the page shows those that need an answer", () => {
  show(<Home />, {
    sessions: [sessionSummary("asks", { state: "needs-answer" }), sessionSummary("calm")],
  });
  expect(screen.getByRole("link", { name: /asks/ }).getAttribute("href")).toBe("#/s/asks");
  expect(screen.queryByRole("link", { name: /calm/ })).toBeNull();
});

test("the first page explains the demo and fills in a prompt that it understands", async () => {
  show(<Home />, { agents: [anAgent("claude"), anAgent("landline")] });
  expect(screen.getByText(/not an AI/)).toBeDefined();
  await userEvent.click(screen.getByRole("button", { name: "tour" }));
  expect(screen.getByLabelText<HTMLTextAreaElement>("What should it do?").value).toBe("tour");
  expect(screen.getByRole("button", { name: "Agent: landline" })).toBeDefined();
});

test("a filled-in prompt can be undone", async () => {
  show(
    <>
      <Home />
      <Toaster />
    </>,
    { agents: [anAgent("claude"), anAgent("landline")] },
  );
  const field = screen.getByLabelText<HTMLTextAreaElement>("What should it do?");
  await userEvent.type(field, "Fix it");
  await userEvent.click(screen.getByRole("button", { name: "tour" }));
  expect(field.value).toBe("tour");
  await screen.findByText("Your text was replaced.");
  await userEvent.click(screen.getByRole("button", { name: "Undo" }));
  expect(field.value).toBe("Fix it");
  expect(screen.getByRole("button", { name: "Agent: claude" })).toBeDefined();
});

test("the first page does not change while the first session appears in the list", () => {
  let snapshot = { sessions: [] as SessionSummary[], isLoaded: true, hasMore: false };
  const listeners = new Set<() => void>();
  const sessions = {
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    getSnapshot: () => snapshot,
    loadMore: () => Promise.resolve(),
  };
  show(<Home />, { list: sessions });
  act(() => {
    snapshot = { ...snapshot, sessions: [sessionSummary("first")] };
    for (const listener of listeners) listener();
  });
  expect(screen.getByText(/Landline runs coding agents/)).toBeDefined();
  expect(screen.getByRole("region", { name: "Agents" })).toBeDefined();
});

test("a client with the role watch can't start a session", () => {
  show(<Home />, { role: "watch" });
  expect(screen.queryByRole("form", { name: "New conversation" })).toBeNull();
  expect(screen.getByText(/has read-only access/)).toBeDefined();
});

test("Escape in the folder field closes its list, keeps the text, and then closes the dialog; Enter accepts it and moves on", async () => {
  const onClose = vi.fn();
  const listFolders = () =>
    Promise.resolve({ path: "/srv", parent: "/", folders: [], isCut: false });
  show(<NewSession isOpen onClose={onClose} />, { api: { listFolders } });
  const field = screen.getByRole<HTMLInputElement>("combobox", { name: "Folder" });
  await userEvent.clear(field);
  await userEvent.type(field, "/srv");
  await userEvent.keyboard("{Escape}");
  expect(onClose).not.toHaveBeenCalled();
  expect(field.getAttribute("aria-expanded")).toBe("false");
  expect(field.value).toBe("/srv");
  await userEvent.keyboard("{Escape}");
  expect(onClose).toHaveBeenCalledOnce();
  await userEvent.clear(field);
  await userEvent.type(field, "/opt{Enter}");
  expect(field.value).toBe("/opt");
  expect(document.activeElement).toBe(screen.getByLabelText("What should it do?"));
});

test("Tab goes from the text to folder, files, agent and start", async () => {
  show(<Home />);
  screen.getByLabelText("What should it do?").focus();
  const met = [];
  for (let step = 0; step < 4; step += 1) {
    await userEvent.tab();
    met.push(document.activeElement);
  }
  expect(met).toEqual([
    screen.getByRole("combobox", { name: "Folder" }),
    screen.getByRole("button", { name: "Attach files" }),
    screen.getByRole("button", { name: "Agent: landline" }),
    screen.getByRole("button", { name: "Start a conversation" }),
  ]);
});

function Opened() {
  const overlay = useOverlay();
  return (
    <>
      <Home />
      {overlay?.name === "sign-in" ? <p>Open: sign-in {overlay.agent}</p> : null}
    </>
  );
}
