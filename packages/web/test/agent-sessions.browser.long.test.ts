import { expect, test } from "vitest";
import { talk } from "./agent-sessions-scene.ts";
import { useStage } from "./browser-setup.ts";
import { scenario } from "./gateway.ts";
import { choosesAgent, field, finds, loses, presses, say, sees, thread } from "./page-actions.ts";

const stage = useStage();
const openList = /^Continue a conversation of Scripted/;

/** One agent under two names: sessions of `terminal` are unknown to the gateway as sessions of `scripted`. */
async function gatewayWithSessions(...prompts: readonly string[]) {
  const file = scenario("own-sessions");
  const agents = { terminal: file, scripted: file };
  const gateway = await stage().gateway({ agents, storesAgentSessions: true });
  for (const prompt of prompts) await talk(gateway, "terminal", prompt);
  return gateway;
}

test("a session of an agent is found by keyboard, continued with its history, and then linked", async () => {
  const gateway = await gatewayWithSessions("apples", "pears", "plums");
  const page = await stage().page(gateway, { hash: "#/" });
  await choosesAgent(page, "Scripted");
  await page.getByRole("button", { name: openList }).focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Conversations of Scripted" });
  const rows = dialog.locator("[data-row]");
  await finds(rows);
  await page.keyboard.press("Escape");
  await loses(dialog);
  expect(await page.getByRole("button", { name: openList }).evaluate(isFocused)).toBe(true);

  await page.keyboard.press("Enter");
  await finds(rows);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Tab");
  await finds(dialog.getByRole("button", { name: "Show more" }));
  await page.keyboard.press("Enter");
  await loses(dialog.getByRole("button", { name: /^(Show more|Loading…)$/ }));
  expect(await rows.count()).toBe(3);
  expect(await rows.nth(2).evaluate(isFocused)).toBe(true);
  const plums = dialog.getByRole("button", { name: /^plums/ });
  await plums.focus();
  await page.keyboard.press("Enter");

  await sees(page, "You said: plums");
  await loses(dialog);
  await finds(page.getByRole("heading", { name: "plums" }));
  await say(page, "and cherries");
  await sees(page, "You said: and cherries");
  expect(await thread(page).getByText("You said: plums").count()).toBe(1);

  // From the dialog over a session; the list names the session here.
  await presses(page.getByRole("button", { name: "New conversation" }).first());
  await choosesAgent(page, "Scripted");
  await presses(page.getByRole("button", { name: openList }));
  await finds(rows);
  const more = dialog.getByRole("button", { name: "Show more" });
  await presses(more);
  await presses(dialog.getByRole("link", { name: /In Landline/ }));
  await loses(page.getByRole("dialog"));
  await sees(page, "You said: and cherries");
});

test("on a phone, nothing is wider than the screen, and rows are large enough to touch", async () => {
  const gateway = await gatewayWithSessions(`A title without an end ${"and more ".repeat(40)}`);
  const page = await stage().page(gateway, { hash: "#/", size: "phone", theme: "dark" });
  await page.setViewportSize({ width: 360, height: 640 });
  await choosesAgent(page, "Scripted");
  await page.getByRole("button", { name: openList }).tap();
  const row = page.getByRole("dialog").getByRole("button", { name: /^A title without/ });
  await finds(row);
  expect((await row.boundingBox())?.height).toBeGreaterThanOrEqual(44);
  expect((await row.boundingBox())?.width).toBeLessThanOrEqual(360);
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(360);
  await row.tap();
  await sees(page, /^You said: A title/);
  await finds(field(page));
});

const isFocused = (element: Element) => element === document.activeElement;
