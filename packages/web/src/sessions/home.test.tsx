// @vitest-environment happy-dom
import { LandlineError } from "@landline/protocol";
import { cleanup, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { closeOverlay, useOverlay } from "../shell/overlay.ts";
import { setPreferences } from "../state/preferences.ts";
import { aSession } from "./a-session.ts";
import { changeDraft } from "./draft.ts";
import { anAgent, show } from "./fake-landline.tsx";
import { Home } from "./home.tsx";

beforeEach(() => {
  location.hash = "#/";
  setPreferences({ lastAgent: null, lastFolder: null });
  changeDraft({ text: "", agent: null, folder: null });
});

afterEach(() => {
  closeOverlay();
  cleanup();
});

test("one click starts a conversation with the built-in agent where the gateway was started", async () => {
  const open = vi.fn(() => Promise.resolve(aSession("new")));
  show(<Home />, { open, agents: [anAgent("landline"), anAgent("claude")] });
  await userEvent.click(screen.getByRole("button", { name: "Start a conversation" }));
  expect(open).toHaveBeenCalledExactlyOnceWith({ agent: "landline", cwd: "/home/me/app" });
  await waitFor(() => expect(location.hash).toBe("#/s/new"));
});

test("what was typed becomes the first prompt", async () => {
  const prompt = vi.fn(() => Promise.resolve());
  const open = () => Promise.resolve(aSession("new"));
  show(<Home />, { open, session: { prompt } });
  await userEvent.type(screen.getByLabelText("What should it do?"), "Fix it{Enter}");
  await waitFor(() => expect(prompt).toHaveBeenCalledExactlyOnceWith("Fix it"));
});

test("an agent that wants a sign-in gets one, and what was typed stays", async () => {
  const open = () => Promise.reject(new LandlineError("auth-required"));
  show(<Opened />, { open });
  const field = screen.getByLabelText<HTMLTextAreaElement>("What should it do?");
  await userEvent.type(field, "Fix it{Enter}");
  expect(await screen.findByText("Open: sign-in landline")).toBeDefined();
  expect(field.value).toBe("Fix it");
  expect(screen.getByRole("alert").textContent).toContain("Sign in to landline");
});

test("agents that are not there say how they are installed", async () => {
  const missing = { found: false, install: "npm install --global opencode-ai" };
  show(<Home />, { agents: [anAgent("landline"), anAgent("opencode", missing)] });
  expect(screen.queryByText(missing.install)).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "1 more can be installed" }));
  expect(screen.getByText(missing.install)).toBeDefined();
});

test("without any agent there is nothing to start", () => {
  show(<Home />, { agents: [anAgent("opencode", { found: false, install: "npm install x" })] });
  expect(screen.queryByRole("button", { name: "Start a conversation" })).toBeNull();
  expect(screen.getByRole("heading", { name: "No agent was found" })).toBeDefined();
  expect(screen.getByText("npm install x")).toBeDefined();
});

test("with sessions, those that need you are here", () => {
  show(<Home />, { sessions: [aSession("asks", { state: "needs-answer" }), aSession("calm")] });
  expect(screen.getByRole("link", { name: /asks/ }).getAttribute("href")).toBe("#/s/asks");
  expect(screen.queryByRole("link", { name: /calm/ })).toBeNull();
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
