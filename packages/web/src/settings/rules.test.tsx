// @vitest-environment happy-dom
import type { NewRule, Rule } from "@landline/client";
import { cleanup, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { show } from "../../test/fake-landline.tsx";
import { Rules } from "./rules.tsx";

afterEach(cleanup);

const rule: Rule = {
  id: "r1",
  at: 1,
  by: "client-1",
  decision: "allow",
  what: { commandPrefix: "npm test" },
  where: { in: "everywhere" },
  text: "Allow commands that start with “npm test”, everywhere.",
  notes: [
    "It is never used, because this rule decides before it: Deny anything.",
    "Not covered: x.",
  ],
};

test("each rule says what a person must know about it", async () => {
  show(<Rules />, { api: { listRules: () => Promise.resolve({ rules: [rule], damage: null }) } });
  const row = within(await screen.findByRole("listitem"));
  for (const words of [rule.text, ...rule.notes]) expect(row.getByText(words)).toBeTruthy();
  expect(screen.getByText(/deny wins over ask/)).toBeTruthy();
});

test("a rule for commands that only read needs no text, and can only allow", async () => {
  const addRule = vi.fn((_rule: NewRule) => Promise.resolve(rule));
  const previewRule = () =>
    Promise.resolve({
      ...rule,
      text: "Allow commands that only read.",
      notes: ["Not covered: x."],
    });
  const listRules = () => Promise.resolve({ rules: [], damage: null });
  show(<Rules />, { api: { listRules, addRule, previewRule } });
  await userEvent.click(await screen.findByRole("button", { name: "Add a rule" }));
  const what = screen.getByLabelText<HTMLSelectElement>("What");
  await userEvent.selectOptions(what, "onlyReads");
  expect(screen.queryByLabelText("Text")).toBeNull();
  await userEvent.click(screen.getByRole("radio", { name: "Deny" }));
  expect(what.value).toBe("commandPrefix");
  expect(within(what).queryByText(/only read/)).toBeNull();
  await userEvent.click(screen.getByRole("radio", { name: "Allow" }));
  await userEvent.selectOptions(what, "onlyReads");
  const preview = within(screen.getByRole("status"));
  expect(await preview.findByText("Allow commands that only read.")).toBeTruthy();
  expect(preview.getByText("Not covered: x.")).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Add the rule" }));
  expect(addRule.mock.calls[0]?.[0]).toMatchObject({
    decision: "allow",
    what: { onlyReads: true },
  });
});
