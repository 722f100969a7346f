import { setTimeout as pause } from "node:timers/promises";
import type { Locator, Page } from "playwright-core";

/** What a person does and sees in the page. */

const LOOK_MS = 25;
const PATIENCE_MS = 60_000;

export function thread(page: Page): Locator {
  return page.getByRole("log", { name: "Conversation" });
}

export function field(page: Page): Locator {
  return page.getByRole("textbox", { name: "Message" });
}

/** The open requests above the composer. */
export function dock(page: Page): Locator {
  return page.getByRole("region", { name: "Needs your answer" });
}

export async function say(page: Page, text: string): Promise<void> {
  await finds(field(page));
  await field(page).fill(text);
  await page.getByRole("button", { name: /^(send|queue)$/i }).click();
}

/** Resolves when the text is visible in the conversation. */
export async function sees(page: Page, text: string | RegExp): Promise<void> {
  await waits(thread(page).getByText(text).last(), "visible");
}

/** The text of the conversation with normalised whitespace. */
export async function written(page: Page): Promise<string> {
  return (await thread(page).innerText()).replaceAll(/\s+/g, " ");
}

/** Resolves when it is visible. */
export async function finds(what: Locator): Promise<void> {
  await waits(what.filter({ visible: true }).first(), "visible");
}

/** Resolves when it is not in the page. */
export async function loses(what: Locator): Promise<void> {
  await waits(what.first(), "detached");
}

/** Clicks it as soon as it is visible. */
export async function presses(what: Locator): Promise<void> {
  await finds(what);
  await what.click();
}

/** Clicks an answer button as soon as it accepts an answer. */
export async function answers(what: Locator): Promise<void> {
  await isReady(what);
  await what.click();
}

/** Resolves when an answer button accepts an answer; it is faint before. */
export async function isReady(what: Locator): Promise<void> {
  await finds(what);
  // Scrolling moves it, which restarts the guard.
  await what.scrollIntoViewIfNeeded();
  await finds(what.and(what.page().locator("[data-answer=ready]:enabled, a[data-answer=ready]")));
}

/** Resolves when no answer button is faint, and none is about to become so or not to be so any more. */
export async function isAtRest(page: Page): Promise<void> {
  await page.evaluate(threeFrames);
  await loses(page.locator("[data-answer=wait]"));
  await page.evaluate(transitionsEnd);
}

// Scripts are text, because `scripts/screenshots.ts`, which uses this file too, is checked without the types of the DOM.
/** The guard looks at positions in a frame, and the page draws what it found in the next. */
const threeFrames = `(async () => {
  for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
})()`;
const transitionsEnd = `(async () => {
  const transitions = document.getAnimations().filter((one) => one instanceof CSSTransition);
  await Promise.allSettled(transitions.map(({ finished }) => finished));
})()`;

/** Polls more often than the driver, whose twice a second would dominate the duration of a test. */
async function waits(what: Locator, state: "visible" | "detached"): Promise<void> {
  const endAt = performance.now() + PATIENCE_MS;
  while (performance.now() < endAt && !what.page().isClosed()) {
    if (await isSo(what, state)) return;
    await pause(LOOK_MS);
  }
  // Throws the driver's error with the expected and actual state.
  await what.waitFor({ state, timeout: 1 });
}

/** A page that is navigating has no content. */
async function isSo(what: Locator, state: "visible" | "detached"): Promise<boolean> {
  try {
    return state === "visible" ? await what.isVisible() : (await what.count()) === 0;
  } catch {
    return false;
  }
}

/** On the first page: chooses the agent. */
export async function choosesAgent(page: Page, agent: string): Promise<void> {
  await presses(page.getByRole("button", { name: /^Agent:/ }));
  await presses(page.getByRole("menuitemradio", { name: agent }));
}

/** On the first page: chooses the agent, enters the prompt and starts. */
export async function startWith(page: Page, agent: string, text = ""): Promise<void> {
  await choosesAgent(page, agent);
  await page.getByRole("textbox", { name: "What should it do?" }).fill(text);
  await page.getByRole("button", { name: /^Start/ }).click();
}
