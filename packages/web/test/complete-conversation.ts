import { blocksText, type SessionView } from "@landline/protocol";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import type { TestGateway } from "./gateway.ts";
import { written } from "./page-actions.ts";

/** Whether the page shows the conversation of the log: nothing lost, nothing duplicated. */

/** The agent's messages in the log on disk. */
export function said({ items }: SessionView): string {
  const messages = items.filter((item) => item.type === "message");
  const text = messages.map(({ content }) => blocksText(content)).join(" ");
  return text.replaceAll(/\s+/g, " ").trim();
}

/** For an agent with a single message. */
export async function expectComplete(
  page: Page,
  gateway: TestGateway,
  sessionId: string,
): Promise<void> {
  const text = said(await gateway.view(sessionId));
  expect((await written(page)).split(text)).toHaveLength(2);
}

/** The numbers of the chunks in the page, in order. */
export async function numbers(page: Page): Promise<number[]> {
  const found = (await written(page)).matchAll(/(\d+) x+/g);
  return [...found].map(([, number]) => Number(number));
}

/** The numbers that the slow scenario counts to. */
export const allNumbers = Array.from({ length: 300 }, (_, index) => index);
