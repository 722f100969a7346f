// @vitest-environment happy-dom
import type { Landline } from "@landline/client";
import { LandlineError, type SessionSummary } from "@landline/protocol";
import { act, cleanup, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { Toaster } from "sonner";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { leaveOverlays, openAgentSessions, openOverlay } from "../app/overlay.ts";
import { Overlays } from "../app/overlays.tsx";
import { anAgent, show, type Scene } from "../../test/fake-landline.tsx";
import { sessionSummary } from "../../test/session-summary.ts";
import { NewSession } from "./new-session.tsx";
import type { AgentSession } from "./use-agent-sessions.ts";

type List = Landline["api"]["listAgentSessions"];

const claude = anAgent("claude", { name: "Claude" });
const own: AgentSession = {
  agentSessionId: "0123456789",
  sessionId: null,
  cwd: "/home/me/app",
  title: "Fix the login",
  updatedAt: new Date(Date.now() - 3 * 86_400_000).toISOString(),
};
const untitled: AgentSession = {
  ...own,
  agentSessionId: "abcdefghij",
  title: null,
  updatedAt: null,
};
const here: AgentSession = { ...own, agentSessionId: "2", sessionId: "here", title: "Add a test" };

beforeEach(() => {
  location.hash = "#/";
});

afterEach(() => {
  leaveOverlays();
  cleanup();
});

function pageOf(sessions: readonly AgentSession[], nextCursor: string | null = null) {
  return { sessions: [...sessions], nextCursor };
}

function showSessions(listAgentSessions: List, scene: Scene = {}) {
  show(<Overlays />, { agents: [claude], api: { listAgentSessions }, ...scene });
  act(() => openAgentSessions("claude"));
}

test("lists the title, folder and age of each session, and links to those that are already in Landline", async () => {
  showSessions(async () => pageOf([own, untitled, here]));
  await screen.findByRole("dialog", { name: "Conversations of Claude" });
  const [first, second] = await screen.findAllByRole("button", { name: /~\/app/ });
  expect(first?.textContent).toBe("Fix the login~/app3d ago");
  expect(second?.textContent).toBe("Untitled (abcdefgh)~/app");
  const link = screen.getByRole("link", { name: /Add a test.*In Landline · 3d ago/ });
  expect(link.getAttribute("href")).toBe("#/s/here");
  await userEvent.click(link);
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});

test("the chosen session is opened once, in its folder and with its title", async () => {
  const { promise, resolve } = Promise.withResolvers<SessionSummary>();
  const open = vi.fn(() => promise);
  showSessions(async () => pageOf([own, untitled]), { open });
  const row = await screen.findByRole("button", { name: /Fix the login/ });
  await userEvent.click(row);
  expect(row.textContent).toContain("Opening…");
  expect(screen.getByText("Opening Fix the login").tagName).toBe("OUTPUT");
  await userEvent.click(row);
  await userEvent.click(screen.getByRole("button", { name: /Untitled/ }));
  expect(open).toHaveBeenCalledExactlyOnceWith({
    agent: "claude",
    cwd: "/home/me/app",
    agentSessionId: "0123456789",
    title: "Fix the login",
  });
  await act(async () => resolve(sessionSummary("new")));
  expect(location.hash).toBe("#/s/new");
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("a session that opens after the dialog was closed is offered", async () => {
  const { promise, resolve } = Promise.withResolvers<SessionSummary>();
  show(
    <>
      <Overlays />
      <Toaster />
    </>,
    {
      agents: [claude],
      open: () => promise,
      api: { listAgentSessions: async () => pageOf([own]) },
    },
  );
  act(() => openAgentSessions("claude"));
  await userEvent.click(await screen.findByRole("button", { name: /Fix the login/ }));
  await userEvent.keyboard("{Escape}");
  await act(async () => resolve(sessionSummary("new")));
  expect(location.hash).toBe("#/");
  await userEvent.click(await screen.findByRole("button", { name: "Open" }));
  expect(location.hash).toBe("#/s/new");
});

test("it says that it loads, that there is nothing, and that the agent lists none", async () => {
  const { promise, resolve } = Promise.withResolvers<ReturnType<typeof pageOf>>();
  showSessions(() => promise);
  await screen.findByText("Starting Claude to list its conversations…");
  await act(async () => resolve(pageOf([])));
  expect(screen.getByText("Claude has no conversations.").tagName).toBe("OUTPUT");
  cleanup();
  showSessions(() => Promise.reject(new LandlineError("tool-disabled")));
  await screen.findByText("Claude does not list its conversations.");
  expect(screen.queryByRole("alert")).toBeNull();
  expect(screen.queryByRole("button", { name: "Try again" })).toBeNull();
});

test("a failure says why, and loading can be tried again", async () => {
  const listAgentSessions = vi
    .fn<List>()
    .mockRejectedValueOnce(new LandlineError("agent-start-failed"))
    .mockResolvedValueOnce(pageOf([own]));
  showSessions(listAgentSessions);
  expect((await screen.findByRole("alert")).textContent).toContain(
    new LandlineError("agent-start-failed").message,
  );
  await userEvent.click(screen.getByRole("button", { name: "Try again" }));
  await screen.findByRole("button", { name: /Fix the login/ });
  expect(screen.queryByRole("alert")).toBeNull();
});

test("a session that cannot be opened leaves the list, and says why", async () => {
  const open = () => Promise.reject(new LandlineError("session-not-found"));
  showSessions(async () => pageOf([own]), { open });
  await userEvent.click(await screen.findByRole("button", { name: /Fix the login/ }));
  await screen.findByRole("alert");
  expect(screen.getByRole("button", { name: /Fix the login/ })).toBeDefined();
});

test("where a sign-in is required, it is offered, and the list is loaded again afterwards", async () => {
  const listAgentSessions = vi
    .fn<List>()
    .mockRejectedValueOnce(new LandlineError("auth-required"))
    .mockResolvedValueOnce(pageOf([own]));
  showSessions(listAgentSessions);
  await userEvent.click(await screen.findByRole("button", { name: "Sign in to Claude" }));
  await screen.findByRole("dialog", { name: "Sign in to Claude" });
  await userEvent.keyboard("{Escape}");
  expect(await screen.findByRole("button", { name: /Fix the login/ })).toBeDefined();
  expect(listAgentSessions).toHaveBeenCalledTimes(2);
});

test("more pages are added at the end, and the focus goes to the first new row", async () => {
  const listAgentSessions = vi
    .fn<List>()
    .mockResolvedValueOnce(pageOf([own], "next"))
    .mockRejectedValueOnce(new LandlineError("agent-start-failed"))
    .mockResolvedValueOnce(pageOf([own, untitled]));
  showSessions(listAgentSessions);
  const first = await screen.findByRole("button", { name: /Fix the login/ });
  expect(document.activeElement).toBe(first);
  await userEvent.click(screen.getByRole("button", { name: "Show more" }));
  await screen.findByRole("alert");
  expect(screen.getByRole("button", { name: /Fix the login/ })).toBe(first);
  await userEvent.click(screen.getByRole("button", { name: "Try again" }));
  const second = await screen.findByRole("button", { name: /Untitled/ });
  expect(document.activeElement).toBe(second);
  expect(screen.queryByRole("button", { name: "Show more" })).toBeNull();
  expect(screen.getAllByRole("button", { name: /~\/app/ })).toEqual([first, second]);
  expect(listAgentSessions.mock.calls.map(([input]) => input.cursor)).toEqual([
    undefined,
    "next",
    "next",
  ]);
  await userEvent.keyboard("{ArrowUp}");
  expect(document.activeElement).toBe(first);
});

test("a closed dialog cancels its request", async () => {
  const listAgentSessions = vi.fn<List>(() => new Promise(() => undefined));
  showSessions(listAgentSessions);
  await screen.findByText(/^Starting Claude/);
  await userEvent.keyboard("{Escape}");
  expect(listAgentSessions.mock.calls[0]?.[1]?.signal?.aborted).toBe(true);
});

test("the form for a new session offers it, and comes back when it is closed", async () => {
  const name = "Continue a conversation of Claude…";
  show(<Overlays />, { agents: [claude], api: { listAgentSessions: async () => pageOf([own]) } });
  act(() => openOverlay({ name: "new-session" }));
  await userEvent.click(screen.getByRole("button", { name }));
  await screen.findByRole("dialog", { name: "Conversations of Claude" });
  await userEvent.keyboard("{Escape}");
  await screen.findByRole("dialog", { name: "New conversation" });
  cleanup();
  show(<NewSession isOpen onClose={() => undefined} />, { agents: [claude], role: "watch" });
  expect(screen.queryByRole("button", { name })).toBeNull();
});
