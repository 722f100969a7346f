import { blocksText, type SessionView } from "@landline/protocol";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { useStage } from "./chat.ts";
import { isIdle, scenario, type TestGateway } from "./gateway.ts";
import { field, finds, loses, say, sees, thread, written } from "./person.ts";

const stage = useStage();
const work = { agents: { scripted: scenario("work") } };

/** What the log on the disk says that the agent said, in words. */
function said({ items }: SessionView): string {
  const messages = items.filter((item) => item.type === "message");
  const text = messages.map(({ content }) => blocksText(content)).join(" ");
  return text.replaceAll(/\s+/g, " ").trim();
}

async function expectWhole(page: Page, gateway: TestGateway, sessionId: string): Promise<void> {
  const view = await gateway.view(sessionId);
  const text = said(view);
  const shown = await written(page);
  expect(shown.split(text)).toHaveLength(2);
}

/** Numbers of the chunks that are on the screen, as they stand there. */
async function numbers(page: Page): Promise<number[]> {
  const found = (await written(page)).matchAll(/(\d+) x+/g);
  return [...found].map(([, number]) => Number(number));
}

const all = Array.from({ length: 300 }, (_, index) => index);

test("a reload in the middle of a turn loses nothing and doubles nothing", async () => {
  const gateway = await stage().gateway(work);
  const sessionId = await gateway.open();
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}` });
  await say(page, "slowly");
  await sees(page, /50 x/);
  await page.reload();
  await sees(page, /50 x/);
  await sees(page, "The end.");
  expect(await numbers(page)).toEqual(all);
  await expectWhole(page, gateway, sessionId);
});

test("a line that breaks twice in the middle of a turn loses nothing and doubles nothing", async () => {
  const gateway = await stage().gateway(work);
  const sessionId = await gateway.open();
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}`, isCutOff: true });
  await say(page, "slowly");
  await sees(page, /30 x/);
  gateway.cutLine();
  await finds(page.getByText(/^Offline/));
  // What was heard stays on the screen.
  await sees(page, /30 x/);
  gateway.mendLine();
  await loses(page.getByText(/^Offline/));
  gateway.network.cut();
  await sees(page, "The end.");
  expect(await numbers(page)).toEqual(all);
  await expectWhole(page, gateway, sessionId);
});

test("what is sent while the line is broken waits, and goes out once", async () => {
  const gateway = await stage().gateway(work);
  const sessionId = await gateway.open();
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}`, isCutOff: true });
  await say(page, "hello first");
  await sees(page, "You said: hello first");
  gateway.cutLine();
  await finds(page.getByText(/^Offline/));
  await field(page).fill("written while offline");
  await field(page).press("Enter");
  await finds(page.getByText("written while offline"));
  gateway.mendLine();
  await sees(page, "You said: written while offline");
  const { items } = await gateway.until(sessionId, isIdle);
  const prompts = items.filter((item) => item.type === "prompt");
  expect(prompts.map(({ content }) => blocksText(content))).toEqual([
    "hello first",
    "written while offline",
  ]);
});

test("a gateway that is killed in the middle of a turn is gone on with by itself when it is back", async () => {
  const gateway = await stage().gateway(work);
  const sessionId = await gateway.open();
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}`, isCutOff: true });
  await say(page, "slowly");
  await sees(page, /40 x/);
  await gateway.end("SIGKILL");
  await finds(page.getByText(/^Offline/));
  await gateway.start();
  await loses(page.getByText(/^Offline/));
  await finds(page.getByText(/interrupted|cut off|was cut/i));

  // What was seen before is there once, and as much as the log has.
  const kept = await gateway.view(sessionId);
  const shown = await numbers(page);
  expect(shown).toEqual(all.slice(0, shown.length));
  expect(said(kept)).toContain(`${shown.length - 1} x`);
  await say(page, "Go on");
  await sees(page, /You said: .*Go on/);
});

test("two pages of one session show the same, whoever writes", async () => {
  const gateway = await stage().gateway(work);
  const sessionId = await gateway.open();
  const hash = `#/s/${sessionId}`;
  const [one, other] = await Promise.all([
    stage().page(gateway, { hash }),
    stage().page(gateway, { hash, size: "phone" }),
  ]);
  await say(one, "from the first");
  await sees(other, "You said: from the first");
  await say(other, "from the second");
  await sees(one, "You said: from the second");
  await sees(other, "You said: from the second");
  expect(await thread(one).getByText("You said: from the first").count()).toBe(1);
});

test("a page that is loaded while the gateway is away says so, and goes on when it is back", async () => {
  const gateway = await stage().gateway(work);
  const sessionId = await gateway.open();
  await gateway.promptUntil(sessionId, "Why can the login be guessed?");
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}`, isCutOff: true });
  await sees(page, "Three things are wrong there:");
  await page.evaluate(() => navigator.serviceWorker.ready);
  // The worker has a page from the second visit on.
  await page.reload();
  await sees(page, "Three things are wrong there:");
  gateway.cutLine();
  await page.reload();
  await finds(page.getByText(/^Offline/));
  gateway.mendLine();
  await sees(page, "Three things are wrong there:");
  await loses(page.getByText(/^Offline/));
});

test("a session is given a name, and deleted", async () => {
  const gateway = await stage().gateway(work);
  const sessionId = await gateway.open();
  await gateway.promptUntil(sessionId, "Why can the login be guessed?");
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}` });
  await page.getByRole("heading", { level: 1 }).getByRole("button").click();
  await page.getByRole("textbox", { name: "Title" }).fill("A name of mine");
  await page.keyboard.press("Enter");
  await finds(page.getByRole("heading", { name: "A name of mine" }));
  await page.getByRole("button", { name: "Conversation menu" }).click();
  await page.getByRole("menuitem", { name: /delete/i }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /delete/i })
    .click();
  const listed = () => gateway.call("GET", "/api/sessions");
  await expect.poll(listed).toMatchObject({ sessions: [] });
  await loses(page.getByText("A name of mine"));
});
