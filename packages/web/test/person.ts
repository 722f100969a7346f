import type { Locator, Page } from "playwright-core";

/** What a person looks for in the page, and does there. */

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
  await field(page).fill(text);
  await page.getByRole("button", { name: /^(send|queue)$/i }).click();
}

/** Resolves when it is to be seen in the conversation. */
export async function sees(page: Page, text: string | RegExp): Promise<void> {
  await thread(page).getByText(text).last().waitFor();
}

/** All that is written in the conversation, with one space wherever there is any. */
export async function written(page: Page): Promise<string> {
  return (await thread(page).innerText()).replaceAll(/\s+/g, " ");
}

/** Resolves when it is there to be seen. */
export async function finds(what: Locator): Promise<void> {
  await what.filter({ visible: true }).first().waitFor();
}

/** Resolves when it is not there, or no longer. */
export async function loses(what: Locator): Promise<void> {
  await what.first().waitFor({ state: "detached" });
}

/** On the first page: chooses the agent, and starts with what is to be done. */
export async function startWith(page: Page, agent: string, text = ""): Promise<void> {
  await page.getByRole("button", { name: /^Agent:/ }).click();
  await page.getByRole("menuitemradio", { name: agent }).click();
  await page.getByRole("textbox", { name: "What should it do?" }).fill(text);
  await page.getByRole("button", { name: /^Start/ }).click();
}
