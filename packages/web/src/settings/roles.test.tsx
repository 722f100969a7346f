// @vitest-environment happy-dom
import { cleanup, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { show } from "../../test/fake-landline.tsx";
import { SignIn } from "../sessions/sign-in.tsx";
import { Devices } from "./devices.tsx";
import { Rules } from "./rules.tsx";

afterEach(cleanup);

const rule = (id: string, where: object) => ({
  id,
  at: 1,
  by: "me",
  decision: "deny",
  what: { commandPrefix: "rm" },
  where,
  text: `rule ${id}`,
  notes: [],
});
const api = {
  listRules: async () => ({
    rules: [rule("one", { in: "everywhere" }), rule("two", { in: "project", folder: "/" })],
  }),
} as never;

test("a client without the role admin sees a notice instead of the devices", async () => {
  show(<Devices />, { role: "control" });
  expect((await screen.findByText(/Only an admin can see the devices/)).textContent).toContain(
    "may work with agents",
  );
  expect(screen.queryByRole("button")).toBeNull();
});

test("a client without the role admin can't change global rules", async () => {
  show(<Rules />, { role: "control", api });
  const remove = await screen.findAllByRole("button", { name: /^Remove/ });
  expect(remove.map((button) => button.getAttribute("aria-label"))).toEqual(["Remove: rule two"]);
  (await screen.findByRole("button", { name: "Add a rule" })).click();
  await screen.findByRole("form", { name: "Add a rule" });
  expect(screen.queryByText("Everywhere")).toBeNull();
});

test("a client without the role admin sees who can sign in to an agent", async () => {
  show(<SignIn agentId="claude" onClose={() => {}} />, { role: "control" });
  expect(await screen.findByText(/Only an admin can sign in/)).toBeTruthy();
});
