import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { useStage } from "./browser-setup.ts";
import { scenario } from "./gateway.ts";
import { finds, presses, sees } from "./page-actions.ts";

const stage = useStage();
const work = { agents: { scripted: scenario("work") } };

/** A session with everything that can be exported, and a page that shows it. */
async function pageOfWork() {
  const gateway = await stage().gateway(work);
  const sessionId = await gateway.open();
  await gateway.promptUntil(sessionId, "Why can the login be guessed?");
  await gateway.promptUntil(sessionId, "Repair it");
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}` });
  await sees(page, /All 14 tests pass\.$/);
  return { gateway, sessionId, page };
}

/** Exports through the session menu. Returns the name and content of the file. */
async function exported(page: Page, format: string) {
  const arriving = page.waitForEvent("download");
  await presses(page.getByRole("button", { name: "Conversation menu" }));
  await presses(page.getByRole("menuitem", { name: format, exact: true }));
  const download = await arriving;
  return {
    name: download.suggestedFilename(),
    text: await readFile(await download.path(), "utf8"),
  };
}

test("a session is exported as JSON with the content of its log", async () => {
  const { gateway, sessionId, page } = await pageOfWork();
  const { name, text } = await exported(page, "JSON");
  expect(name).toBe(`secrets-are-compared-too-fast-${sessionId.slice(-8)}.json`);
  const { session, events } = JSON.parse(text) as { session: object; events: object[] };
  expect(session).toMatchObject({ sessionId, title: "Secrets are compared too fast" });
  const lines = await gateway.logLines(sessionId);
  expect(events).toEqual(lines.map((line) => JSON.parse(line) as object));
  // The page did not navigate and opened no tab.
  expect(page.context().pages()).toHaveLength(1);
  expect(page.url()).toContain(`#/s/${sessionId}`);
});

const seen = [
  "Why can the login be guessed?",
  "Three things are wrong there:",
  "Repair it",
  "Read src/hash.ts",
  "const kept = Buffer.from(account.secret);",
  "All 14 tests pass.",
];

test("a session is exported as Markdown and as HTML with the displayed content", async () => {
  const { sessionId, page } = await pageOfWork();
  const markdown = await exported(page, "Markdown");
  expect(markdown.name).toBe(`secrets-are-compared-too-fast-${sessionId.slice(-8)}.md`);
  expect(markdown.text).toMatch(/^# Secrets are compared too fast\n/);
  for (const words of seen) expect(markdown.text).toContain(words);

  const html = await exported(page, "HTML");
  expect(html.name).toBe(`secrets-are-compared-too-fast-${sessionId.slice(-8)}.html`);
  const alone = await page.context().newPage();
  await alone.setContent(html.text);
  await finds(alone.getByRole("heading", { name: "Secrets are compared too fast", level: 1 }));
  const shown = await alone.locator("body").innerText();
  for (const words of seen) expect(shown).toContain(words);
  expect(await alone.locator("script").count()).toBe(0);
});
