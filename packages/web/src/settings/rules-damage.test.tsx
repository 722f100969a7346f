// @vitest-environment happy-dom
import { cleanup, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { show } from "../../test/fake-landline.tsx";
import { RulesDamageBar, RulesDamageDetails } from "./rules-damage.tsx";

afterEach(cleanup);

const rulesDamage = { movedTo: "/data/rules.json.damaged-1", reason: "it is not JSON", at: 1 };

test("the bar says that approvals are off, and links to the rules", () => {
  show(<RulesDamageBar isOnRulesPage={false} />, { rulesDamage });
  expect(screen.getByRole("alert").textContent).toContain("Automatic approvals are off");
  expect(screen.getByRole("link", { name: "Open rules" }).getAttribute("href")).toBe(
    "#/settings/rules",
  );
  // Only the rules page has the button.
  expect(screen.queryByRole("button")).toBeNull();
});

test("the rules page is where the damage is acknowledged", async () => {
  const acknowledgeRulesDamage = vi.fn(() => Promise.resolve());
  show(<RulesDamageDetails />, { rulesDamage, api: { acknowledgeRulesDamage } });
  await userEvent.click(screen.getByRole("button", { name: "Turn automatic approvals back on" }));
  expect(acknowledgeRulesDamage).toHaveBeenCalledTimes(1);
});

test("the rules page says why, and where the damaged file is", () => {
  show(<RulesDamageDetails />, { rulesDamage });
  const { textContent } = screen.getByRole("alert");
  expect(textContent).toContain("it is not JSON");
  expect(textContent).toContain("/data/rules.json.damaged-1");
  expect(textContent).toContain("To restore it");
});

test("a device that may only watch sees it and can't acknowledge it", () => {
  show(<RulesDamageDetails />, { rulesDamage, role: "watch" });
  expect(screen.getByRole("alert").textContent).not.toContain("turn automatic approvals back on");
  expect(screen.queryByRole("button")).toBeNull();
});

test("there is nothing without damage, and no bar on the rules page", () => {
  show(
    <>
      <RulesDamageBar isOnRulesPage={false} />
      <RulesDamageDetails />
    </>,
  );
  show(<RulesDamageBar isOnRulesPage />, { rulesDamage });
  expect(screen.queryByRole("alert")).toBeNull();
});
