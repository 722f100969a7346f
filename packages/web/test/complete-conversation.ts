import { blocksText, type SessionView } from "@landline/protocol";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import type { TestGateway } from "./gateway.ts";
import { written } from "./page-actions.ts";

/** Whether a conversation is on the screen as it is in the log: nothing lost, and nothing twice. */

/** What the log on the disk says that the agent said, in words. */
export function said({ items }: SessionView): string {
  const messages = items.filter((item) => item.type === "message");
  const text = messages.map(({ content }) => blocksText(content)).join(" ");
  return text.replaceAll(/\s+/g, " ").trim();
}

/** For an agent that said one thing only. */
export async function expectComplete(
  page: Page,
  gateway: TestGateway,
  sessionId: string,
): Promise<void> {
  const text = said(await gateway.view(sessionId));
  expect((await written(page)).split(text)).toHaveLength(2);
}

/** Numbers of the chunks that are on the screen, as they stand there. */
export async function numbers(page: Page): Promise<number[]> {
  const found = (await written(page)).matchAll(/(\d+) x+/g);
  return [...found].map(([, number]) => Number(number));
}

/** Those that the agent counts to, when it is told to go slowly. */
export const allNumbers = Array.from({ length: 300 }, (_, index) => index);
