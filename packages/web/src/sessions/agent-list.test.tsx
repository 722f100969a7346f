// @vitest-environment happy-dom
import { LandlineError } from "@landline/protocol";
import { cleanup, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { AgentList } from "./agent-list.tsx";
import { anAgent, show } from "./fake-landline.tsx";

afterEach(cleanup);

const claude = anAgent("claude", { canSignOut: true, signedIn: true });

test("signing out is asked for once more, and one that fails can be tried again", async () => {
  const signOut = vi.fn(async () => {
    throw new LandlineError("agent-busy");
  });
  show(<AgentList isWhole />, { agents: [claude], signOut });
  await userEvent.click(screen.getByRole("button", { name: "Sign out of claude" }));
  expect(signOut).not.toHaveBeenCalled();
  const confirm = screen.getByRole("button", { name: "Sign out" });
  await userEvent.click(confirm);
  expect(signOut).toHaveBeenCalledExactlyOnceWith("claude");
  expect(confirm.hasAttribute("disabled")).toBe(false);
  await userEvent.click(screen.getByRole("button", { name: "Stay signed in" }));
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("it is offered where agents are set up, to those who may act", () => {
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

test("the built-in agent alone is asked which keys it has, and only by those who may start it", () => {
  const signInMethods = vi.fn(async () => []);
  const agents = [anAgent("landline"), anAgent("claude")];
  show(<AgentList isWhole />, { agents, api: { signInMethods }, role: "watch" });
  expect(signInMethods).not.toHaveBeenCalled();
  cleanup();
  show(<AgentList isWhole />, { agents, api: { signInMethods } });
  expect(signInMethods).toHaveBeenCalledExactlyOnceWith("landline");
});
