// @vitest-environment happy-dom
import { LandlineError } from "@landline/protocol";
import { act, cleanup, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { AgentList } from "./agent-list.tsx";
import { anAgent, online, show, still } from "../../test/fake-landline.tsx";

afterEach(cleanup);

const claude = anAgent("claude", { canSignOut: true, signedIn: true });

test("sign-out asks for confirmation and can be retried after a failure", async () => {
  const signOut = vi.fn(async () => {
    throw new LandlineError("agent-busy");
  });
  show(<AgentList isWhole />, { agents: [claude], signOut });
  await userEvent.click(screen.getByRole("button", { name: "Sign out of claude" }));
  expect(signOut).not.toHaveBeenCalled();
  const confirm = screen.getByRole("button", { name: "Sign out" });
  await userEvent.click(confirm);
  expect(signOut).toHaveBeenCalledExactlyOnceWith("claude");
  expect(confirm.hasAttribute("aria-disabled")).toBe(false);
  await userEvent.click(screen.getByRole("button", { name: "Stay signed in" }));
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("a running sign-out can be neither closed nor started again, and keeps the focus", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const signOut = vi.fn(() => promise);
  show(<AgentList isWhole />, { agents: [claude], signOut });
  await userEvent.click(screen.getByRole("button", { name: "Sign out of claude" }));
  const confirm = screen.getByRole("button", { name: "Sign out" });
  await userEvent.click(confirm);
  expect(confirm.textContent).toBe("Signing out…");
  await userEvent.click(confirm);
  await userEvent.keyboard("{Escape}");
  expect(document.activeElement).toBe(confirm);
  expect(screen.getAllByRole("button")).toEqual([confirm]);
  expect(signOut).toHaveBeenCalledOnce();
  await act(async () => resolve());
  expect(screen.queryByRole("dialog")).toBeNull();
  expect(document.activeElement).toBe(screen.getByRole("button", { name: "Sign in to claude" }));
});

test("sign-out waits for the connection, and says so", async () => {
  const signOut = vi.fn(() => Promise.resolve());
  const connection = still({ ...online, state: "offline" as const });
  show(<AgentList isWhole />, { agents: [claude], signOut, connection });
  await userEvent.click(screen.getByRole("button", { name: "Sign out of claude" }));
  const confirm = screen.getByRole("button", {
    name: "Sign out",
    description: "Offline. You can sign out when the connection is back.",
  });
  await userEvent.click(confirm);
  expect(signOut).not.toHaveBeenCalled();
});

test("sign-out is offered in the agent settings, to admins", () => {
  const name = "Sign out of claude";
  show(<AgentList />, { agents: [claude] });
  expect(screen.queryByRole("button", { name })).toBeNull();
  cleanup();
  show(<AgentList isWhole />, { agents: [claude], role: "watch" });
  expect(screen.queryByRole("button")).toBeNull();
  cleanup();
  show(<AgentList isWhole />, { agents: [claude] });
  expect(screen.getByRole("button", { name })).toBeDefined();
});

test("only the built-in agent is asked for its credentials, and only by clients that may start it", () => {
  const listSignInMethods = vi.fn(async () => ({ agent: "landline", methods: [] }));
  const agents = [anAgent("landline"), anAgent("claude")];
  show(<AgentList isWhole />, { agents, api: { listSignInMethods }, role: "watch" });
  expect(listSignInMethods).not.toHaveBeenCalled();
  cleanup();
  show(<AgentList isWhole />, { agents, api: { listSignInMethods } });
  expect(listSignInMethods).toHaveBeenCalledExactlyOnceWith({ agent: "landline" });
});
