import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { useStage } from "./browser-setup.ts";
import { scenario } from "./gateway.ts";
import { dock, field, finds, isReady, loses, presses, say, sees } from "./page-actions.ts";

const stage = useStage();
const work = { agents: { scripted: scenario("work") } };
const allow = (page: Page) => dock(page).getByRole("button", { name: /^allow once/i });

async function setSingleKeys(page: Page, name: "On" | "Off"): Promise<void> {
  await page.goto(page.url().replace(/#.*$/, "#/settings/preferences"));
  const choice = page.getByRole("group", { name: "Single-key shortcuts" });
  await presses(choice.getByText(name, { exact: true }));
  expect(await choice.getByRole("radio", { name }).isChecked()).toBe(true);
}

test("single-key shortcuts can be turned off: they do nothing and are not shown, and the others work", async () => {
  const gateway = await stage().gateway(work);
  const sessionId = await gateway.open();
  const page = await stage().page(gateway, { hash: "#/" });
  await setSingleKeys(page, "Off");
  await page.goto(`${gateway.origin}/#/s/${sessionId}`);
  // The choice is stored in the browser.
  await page.reload();
  await say(page, "Run the command");
  // Just after it appears no key would answer it anyway.
  await isReady(allow(page));
  expect(await allow(page).locator("kbd").count()).toBe(0);
  expect(await allow(page).getAttribute("aria-keyshortcuts")).toBeNull();

  await field(page).focus();
  await page.keyboard.press("1");
  expect(await field(page).inputValue()).toBe("1");
  await field(page).fill("");
  await field(page).blur();
  for (const key of ["1", "2", "3", "a", "r", "n", "c", "g", "i", "t", "/", "[", "]", "?"])
    await page.keyboard.press(key);
  expect(await page.getByRole("dialog").count()).toBe(0);
  expect(await page.locator("input:focus, textarea:focus").count()).toBe(0);
  expect(page.url()).toContain(sessionId);
  expect((await gateway.view(sessionId)).openAsks).toHaveLength(1);

  // Shortcuts with a modifier work; the list shows them and says that the others are off.
  await page.keyboard.press("Control+k");
  await finds(page.getByRole("option", { name: /^Settings/ }).getByText("Ctrl"));
  expect(await page.getByRole("option", { name: "New conversation" }).locator("kbd").count()).toBe(
    0,
  );
  await page.keyboard.type("Keyboard");
  await page.keyboard.press("Enter");
  const list = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await finds(list.getByText("Single-key shortcuts are off."));
  await finds(list.getByText("Find a conversation or an action"));
  expect(await list.getByText("Allow once").count()).toBe(0);
  expect(await list.getByText("Start a new conversation").count()).toBe(0);
  await page.keyboard.press("Escape");
  await loses(page.getByRole("dialog"));

  await field(page).focus();
  await field(page).press("Escape");
  await finds(page.locator("section:focus").and(dock(page)));

  await setSingleKeys(page, "On");
  await page.goto(`${gateway.origin}/#/s/${sessionId}`);
  await finds(allow(page).locator("kbd").first());
  await isReady(allow(page));
  await page.keyboard.press("a");
  await sees(page, "All 14 tests pass.");
});

test("Esc leaves the message field with its draft, and then letters answer", async () => {
  const gateway = await stage().gateway(work);
  const sessionId = await gateway.open();
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}` });
  await say(page, "Run the command");
  await isReady(allow(page));
  await field(page).focus();
  await page.keyboard.type("a1");
  expect(await field(page).inputValue()).toBe("a1");
  expect((await gateway.view(sessionId)).openAsks).toHaveLength(1);
  await page.keyboard.press("Escape");
  await finds(page.locator("section:focus").and(dock(page)));
  await page.keyboard.press("a");
  await gateway.until(sessionId, ({ openAsks }) => openAsks.length === 0);
  await sees(page, "All 14 tests pass.");
  // After the answer the field has the focus again.
  await finds(page.locator("textarea:focus").and(field(page)));
  expect(await field(page).inputValue()).toBe("a1");
});
