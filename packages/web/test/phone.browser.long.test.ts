import { expect, test } from "vitest";
import { accessibilityViolations } from "./accessibility.ts";
import { useStage } from "./browser-setup.ts";
import { scenario } from "./gateway.ts";
import { dock, field, finds, isReady, loses, sees, thread } from "./page-actions.ts";

const stage = useStage();
const work = { agents: { scripted: scenario("work") } };

test("on a phone, the list and the panel are sheets at the edges", async () => {
  const gateway = await stage().gateway(work);
  const [one, other] = [await gateway.open(), await gateway.open()];
  await gateway.promptUntil(one, "Why can the login be guessed?");
  await gateway.promptUntil(other, "plan", ({ plan }) => plan.length > 0);
  const page = await stage().page(gateway, { hash: `#/s/${other}`, size: "phone" });
  await sees(page, "I work through this list:");
  await page.getByRole("button", { name: "Show details" }).tap();
  const details = page.getByRole("dialog", { name: "Details" });
  await finds(details.getByText("Add a test for the timing"));
  await page.keyboard.press("Escape");
  await loses(details);

  await page.getByRole("button", { name: "Show conversations" }).tap();
  const sessions = page.getByRole("dialog", { name: "Conversations" });
  await sessions.getByRole("link", { name: /Secrets are compared/ }).tap();
  await loses(sessions);
  await sees(page, "Three things are wrong there:");
});

test("on a phone, a request has the full width and is answered by touch", async () => {
  const gateway = await stage().gateway(work);
  const sessionId = await gateway.open();
  await gateway.promptUntil(sessionId, "Run the command", ({ openAsks }) => openAsks.length > 0);
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}`, size: "phone" });
  const allow = dock(page).getByRole("button", { name: /allow once/i });
  await finds(allow);
  for (const button of await dock(page).getByRole("button").filter({ visible: true }).all()) {
    const box = await button.boundingBox();
    expect(box?.height).toBeGreaterThanOrEqual(44);
  }
  await isReady(allow);
  await allow.tap();
  await sees(page, "All 14 tests pass.");
});

test("on a small phone, a request that does not fit can be scrolled by keys", async () => {
  const gateway = await stage().gateway(work);
  const sessionId = await gateway.open();
  await gateway.promptUntil(sessionId, "Run the command", ({ openAsks }) => openAsks.length > 0);
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}`, size: "phone" });
  await page.setViewportSize({ width: 360, height: 620 });
  await isReady(dock(page).getByRole("button", { name: /allow once/i }));
  const command = dock(page).getByRole("group", { name: "Command or change" });
  const isCut = await command.evaluate((shown) => shown.scrollHeight > shown.clientHeight);
  expect(isCut).toBe(true);
  expect(await accessibilityViolations(page)).toEqual([]);
});

test("on a phone, Enter inserts a line break and the button sends", async () => {
  const gateway = await stage().gateway(work);
  const sessionId = await gateway.open();
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}`, size: "phone" });
  await field(page).tap();
  await field(page).pressSequentially("one");
  await field(page).press("Enter");
  await field(page).pressSequentially("more");
  expect(await field(page).inputValue()).toBe("one\nmore");
  await page.getByRole("button", { name: "Send" }).tap();
  await sees(page, /You said: one/);
});

test("nothing is wider than a phone of 360 pixels", async () => {
  const gateway = await stage().gateway(work);
  const sessionId = await gateway.open();
  await gateway.promptUntil(sessionId, "Why can the login be guessed?");
  await gateway.promptUntil(sessionId, "Repair it");
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}`, size: "phone" });
  await page.setViewportSize({ width: 360, height: 640 });
  await sees(page, /All 14 tests pass\.$/);
  for (const hash of [`#/s/${sessionId}`, "#/", "#/settings/rules", "#/settings/devices"]) {
    await page.goto(`${gateway.origin}/${hash}`);
    await finds(page.getByRole("heading", { level: 1 }));
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(360);
  }
  await page.goto(`${gateway.origin}/#/s/${sessionId}`);
  await finds(thread(page));
});
