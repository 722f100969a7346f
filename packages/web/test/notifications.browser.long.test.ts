import type { BrowserContext, Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import {
  allow,
  askedFor,
  clickNotification,
  haveItAsk,
  isAlone,
  lookAway,
  lookBack,
  shown,
  writeDown,
} from "./background-tab.ts";
import { comes, useStage } from "./browser-setup.ts";
import { isIdle, scenario, type TestGateway } from "./gateway.ts";
import { finds, loses, presses, sees } from "./page-actions.ts";

const stage = useStage();
const work = { agents: { scripted: scenario("work") } };
const title = "Secrets are compared too fast";
const offer = "A conversation needed you while you were away.";

/** A session with a title from the agent, and with files, commands and code in its messages. */
async function workedOn(gateway: TestGateway): Promise<string> {
  const sessionId = await gateway.open();
  await gateway.promptUntil(sessionId, "Why can the login be guessed?");
  return sessionId;
}

/** A page with notifications turned on and allowed. */
async function notified(gateway: TestGateway, isCutOff = false): Promise<Page> {
  const page = await stage().page(gateway, { hash: "#/settings/preferences", isCutOff });
  await page.context().grantPermissions(["clipboard-write", "notifications"]);
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => null));
  await choose(page, "On");
  await page.goto(`${gateway.origin}/#/`);
  await finds(page.getByRole("link", { name: new RegExp(title) }));
  await writeDown(page);
  return page;
}

async function choose(page: Page, name: "On" | "Off"): Promise<void> {
  await choice(page).getByText(name, { exact: true }).click();
  await choice(page).getByRole("radio", { name, checked: true }).waitFor();
}

function choice(page: Page): Locator {
  return page.getByRole("group", { name: "Notifications" });
}

async function notifications(page: Page): Promise<string[]> {
  return (await askedFor(page)).filter((text) => !text.includes("badge"));
}

async function favicon(page: Page): Promise<string> {
  return page.evaluate(() => document.querySelector<HTMLLinkElement>("link[rel=icon]")?.href ?? "");
}

/** Resets the permission, because those of tests count as an answer. */
async function unasked(context: BrowserContext): Promise<void> {
  await context.clearPermissions();
}

test("a request and the end of a turn notify a person in another tab, with the title only", async () => {
  const gateway = await stage().gateway(work);
  const sessionId = await workedOn(gateway);
  const page = await notified(gateway);
  await lookAway(page);
  await haveItAsk(gateway, sessionId);
  await comes(() => shown(page)).toHaveLength(1);
  expect(await shown(page)).toEqual([
    { title, body: "Needs your answer.", tag: sessionId, data: { hash: `#/s/${sessionId}` } },
  ]);
  await comes(() => page.title()).toBe("(1) Landline");
  await comes(() => favicon(page)).toMatch(/^data:image\/png/);

  await allow(gateway, sessionId);
  await comes(() => notifications(page)).toEqual(["Needs your answer.", "Done."]);
  // It replaces the previous one.
  await comes(() => shown(page)).toMatchObject([{ title, body: "Done." }]);
  expect(await page.title()).toBe("Landline");
  expect(await favicon(page)).toBe(`${gateway.origin}/icon.svg`);
  expect((await askedFor(page)).filter((text) => text.includes("badge"))).toEqual([
    "badge 1",
    "no badge",
  ]);
});

test("no notification for a visible page, no duplicates, and one at the end of a queue", async () => {
  const gateway = await stage().gateway(work);
  const sessionId = await workedOn(gateway);
  const page = await notified(gateway, true);
  await haveItAsk(gateway, sessionId);
  await comes(() => page.title()).toBe("(1) Landline");
  await gateway.prompt(sessionId, "hello from the queue");
  await gateway.prompt(sessionId, "hello again");
  await lookAway(page);
  await allow(gateway, sessionId);
  await gateway.until(sessionId, isIdle);
  await comes(() => notifications(page)).toEqual(["Done."]);

  await haveItAsk(gateway, sessionId);
  await comes(() => notifications(page)).toEqual(["Done.", "Needs your answer."]);
  // The list is loaded again after a reconnect.
  gateway.cutLine();
  await finds(page.getByText(/^Offline/));
  const read = page.waitForResponse(/\/api\/sessions\b/);
  gateway.mendLine();
  await read;
  await loses(page.getByText(/^Offline/));
  await allow(gateway, sessionId);
  await comes(() => notifications(page)).toEqual(["Done.", "Needs your answer.", "Done."]);
});

test("several hidden tabs show one notification, and none while another tab is visible", async () => {
  const gateway = await stage().gateway(work);
  const sessionId = await workedOn(gateway);
  const page = await notified(gateway);
  const other = await page.context().newPage();
  await other.goto(`${gateway.origin}/#/s/${sessionId}`);
  await sees(other, "Three things are wrong there:");
  await writeDown(other);
  await lookAway(page);
  await haveItAsk(gateway, sessionId);
  await comes(() => page.title()).toBe("(1) Landline");
  await comes(() => other.title()).toMatch(/^\(1\)/);
  // Requests are ordered: earlier ones are done when this one is answered.
  await page.evaluate(() => navigator.locks.query().then(() => null));

  await lookAway(other);
  await allow(gateway, sessionId);
  await comes(() => notifications(page)).toEqual(["Done."]);
  await comes(() => notifications(other)).toEqual(["Done."]);
  await comes(() => shown(page)).toMatchObject([{ title, body: "Done." }]);
});

test("a click on a notification opens the session in the existing page, or in a new one", async () => {
  const gateway = await stage().gateway(work);
  const sessionId = await workedOn(gateway);
  const page = await notified(gateway);
  const context = page.context();
  const [worker] = context.serviceWorkers();
  if (!worker) throw new Error("There is no service worker.");
  const address = `${gateway.origin}/#/s/${sessionId}`;
  await lookAway(page);
  await haveItAsk(gateway, sessionId);
  await comes(() => shown(page)).toHaveLength(1);
  expect(await clickNotification(worker)).toEqual([expect.stringMatching(/^focus /)]);
  await page.waitForURL(address);
  await sees(page, "Three things are wrong there:");
  expect(await shown(page)).toEqual([]);

  await allow(gateway, sessionId);
  await comes(() => shown(page)).toHaveLength(1);
  await context.newPage();
  await page.close();
  await comes(() => isAlone(worker)).toBe(true);
  expect(await clickNotification(worker)).toEqual([`open ${address}`]);
});

test("notifications are offered once, when a request arrived while the page was hidden", async () => {
  const gateway = await stage().gateway(work);
  const sessionId = await workedOn(gateway);
  const page = await stage().page(gateway);
  const context = page.context();
  await unasked(context);
  await page.reload();
  await finds(page.getByRole("link", { name: new RegExp(title) }));
  await writeDown(page);
  await lookAway(page);
  await haveItAsk(gateway, sessionId);
  await finds(page.getByText(offer));
  expect(await notifications(page)).toEqual([]);
  await lookBack(page);
  // The person's answer to the browser's prompt.
  await context.grantPermissions(["notifications"]);
  await presses(page.getByRole("button", { name: "Notify me" }));
  await loses(page.getByText(offer));
  await lookAway(page);
  await allow(gateway, sessionId);
  await comes(() => notifications(page)).toEqual(["Done."]);
});

test("a person who declines notifications is not asked again and gets none", async () => {
  const gateway = await stage().gateway(work);
  const sessionId = await workedOn(gateway);
  const page = await stage().page(gateway);
  await unasked(page.context());
  await page.reload();
  await finds(page.getByRole("link", { name: new RegExp(title) }));
  await lookAway(page);
  await haveItAsk(gateway, sessionId);
  await presses(page.getByRole("button", { name: "No", exact: true }));
  await loses(page.getByText(offer));
  await allow(gateway, sessionId);
  await comes(() => page.title()).toBe("Landline");
  await haveItAsk(gateway, sessionId);
  await comes(() => page.title()).toBe("(1) Landline");
  expect(await page.getByText(offer).count()).toBe(0);
  expect(await shown(page)).toEqual([]);
});

test("the settings show that the browser blocks notifications, and turn them off", async () => {
  const gateway = await stage().gateway(work);
  const sessionId = await workedOn(gateway);
  const refused = await stage().page(gateway, { hash: "#/settings/preferences" });
  await finds(refused.getByText(/This browser does not allow them here/));
  const page = await notified(gateway);
  await page.goto(`${gateway.origin}/#/settings/preferences`);
  // The choice was stored.
  await page.reload();
  await choice(page).getByRole("radio", { name: "On", checked: true }).waitFor();
  await writeDown(page);
  await choose(page, "Off");
  await lookAway(page);
  await haveItAsk(gateway, sessionId);
  await comes(() => page.title()).toMatch(/^\(1\)/);
  expect(await notifications(page)).toEqual([]);
});
