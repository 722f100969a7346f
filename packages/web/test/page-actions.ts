import { setTimeout as pause } from "node:timers/promises";
import type { Locator, Page } from "playwright-core";

/** What a person looks for in the page, and does there. */

const LOOK_MS = 25;
const PATIENCE_MS = 15_000;

export function thread(page: Page): Locator {
  return page.getByRole("log", { name: "Conversation" });
}

export function field(page: Page): Locator {
  return page.getByRole("textbox", { name: "Message" });
}

/** What waits for an answer, above the composer. */
export function dock(page: Page): Locator {
  return page.getByRole("region", { name: "Needs your answer" });
}

export async function say(page: Page, text: string): Promise<void> {
  await finds(field(page));
  await field(page).fill(text);
  await page.getByRole("button", { name: /^(send|queue)$/i }).click();
}

/** Resolves when it is to be seen in the conversation. */
export async function sees(page: Page, text: string | RegExp): Promise<void> {
  await waits(thread(page).getByText(text).last(), "visible");
}

/** All that is written in the conversation, with one space wherever there is any. */
export async function written(page: Page): Promise<string> {
  return (await thread(page).innerText()).replaceAll(/\s+/g, " ");
}

/** Resolves when it is there to be seen. */
export async function finds(what: Locator): Promise<void> {
  await waits(what.filter({ visible: true }).first(), "visible");
}

/** Resolves when it is not there, or no longer. */
export async function loses(what: Locator): Promise<void> {
  await waits(what.first(), "detached");
}

/** A click, as soon as it is there to be clicked. */
export async function presses(what: Locator): Promise<void> {
  await finds(what);
  await what.click();
}

/** A click on what answers a request, as soon as it takes an answer. */
export async function answers(what: Locator): Promise<void> {
  await isReady(what);
  await what.click();
}

/** Resolves when what answers a request takes an answer: not in the first moment, when it looks faint. */
export async function isReady(what: Locator): Promise<void> {
  await finds(what);
  // What is scrolled has moved.
  await what.scrollIntoViewIfNeeded();
  await finds(what.and(what.page().locator("[data-answer=ready]:enabled, a[data-answer=ready]")));
}

/** Resolves when nothing that answers a request looks faint. */
export async function isAtRest(page: Page): Promise<void> {
  await loses(page.locator("[data-answer=wait]"));
}

/** Looks often: the browser's driver by itself looks twice a second, which is most of what a test would take. */
async function waits(what: Locator, state: "visible" | "detached"): Promise<void> {
  const endAt = performance.now() + PATIENCE_MS;
  while (performance.now() < endAt && !what.page().isClosed()) {
    if (await isSo(what, state)) return;
    await pause(LOOK_MS);
  }
  // It says what was looked for, and what was there instead.
  await what.waitFor({ state, timeout: 1 });
}

/** A page that is on its way to another has nothing to look at. */
async function isSo(what: Locator, state: "visible" | "detached"): Promise<boolean> {
  try {
    return state === "visible" ? await what.isVisible() : (await what.count()) === 0;
  } catch {
    return false;
  }
}

/** On the first page: who is to do it. */
export async function choosesAgent(page: Page, agent: string): Promise<void> {
  await presses(page.getByRole("button", { name: /^Agent:/ }));
  await presses(page.getByRole("menuitemradio", { name: agent }));
}

/** On the first page: chooses the agent, and starts with what is to be done. */
export async function startWith(page: Page, agent: string, text = ""): Promise<void> {
  await choosesAgent(page, agent);
  await page.getByRole("textbox", { name: "What should it do?" }).fill(text);
  await page.getByRole("button", { name: /^Start/ }).click();
}
