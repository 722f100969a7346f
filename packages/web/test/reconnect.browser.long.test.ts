import { blocksText } from "@landline/protocol";
import { expect, test } from "vitest";
import { useStage } from "./browser-setup.ts";
import { isIdle, scenario } from "./gateway.ts";
import { field, finds, loses, presses, say, sees, thread } from "./page-actions.ts";
import { allNumbers, expectComplete, numbers, said } from "./complete-conversation.ts";

const stage = useStage();
const work = { agents: { scripted: scenario("work") } };

test("a reload during a turn loses and duplicates nothing", async () => {
  const gateway = await stage().gateway(work);
  const sessionId = await gateway.open();
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}` });
  await say(page, "slowly");
  await sees(page, /50 x/);
  await page.reload();
  await sees(page, /50 x/);
  await sees(page, "The end.");
  expect(await numbers(page)).toEqual(allNumbers);
  await expectComplete(page, gateway, sessionId);
});

test("a connection that is lost twice during a turn loses and duplicates nothing", async () => {
  const gateway = await stage().gateway(work);
  const sessionId = await gateway.open();
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}`, isCutOff: true });
  await say(page, "slowly");
  await sees(page, /30 x/);
  gateway.cutLine();
  await finds(page.getByText(/^Offline/));
  // Received messages stay visible.
  await sees(page, /30 x/);
  gateway.mendLine();
  await loses(page.getByText(/^Offline/));
  gateway.network.cut();
  await sees(page, "The end.");
  expect(await numbers(page)).toEqual(allNumbers);
  await expectComplete(page, gateway, sessionId);
});

test("a prompt that is sent while offline waits, and is sent once", async () => {
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

test("the page continues by itself after the gateway was killed during a turn", async () => {
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

  // Each message is there once, as in the log.
  const kept = await gateway.view(sessionId);
  const shown = await numbers(page);
  expect(shown).toEqual(allNumbers.slice(0, shown.length));
  expect(said(kept)).toContain(`${shown.length - 1} x`);
  await say(page, "Go on");
  await sees(page, /You said: .*Go on/);
});

test("two pages of one session show the same, whoever sends", async () => {
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

test("a page that is loaded while the gateway is down says so, and continues when it is back", async () => {
  const gateway = await stage().gateway(work);
  const sessionId = await gateway.open();
  await gateway.promptUntil(sessionId, "Why can the login be guessed?");
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}`, isCutOff: true });
  await sees(page, "Three things are wrong there:");
  await page.evaluate(() => navigator.serviceWorker.ready);
  // The service worker has the page from the second visit on.
  await page.reload();
  await sees(page, "Three things are wrong there:");
  gateway.cutLine();
  await page.reload();
  await finds(page.getByText(/^Offline/));
  gateway.mendLine();
  await sees(page, "Three things are wrong there:");
  await loses(page.getByText(/^Offline/));
});

test("a session is renamed and deleted", async () => {
  const gateway = await stage().gateway(work);
  const sessionId = await gateway.open();
  await gateway.promptUntil(sessionId, "Why can the login be guessed?");
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}` });
  await presses(page.getByRole("heading", { level: 1 }).getByRole("button"));
  await page.getByRole("textbox", { name: "Title" }).fill("A name of mine");
  await page.keyboard.press("Enter");
  await finds(page.getByRole("heading", { name: "A name of mine" }));
  await presses(page.getByRole("button", { name: "Conversation menu" }));
  await presses(page.getByRole("menuitem", { name: /delete/i }));
  await presses(page.getByRole("dialog").getByRole("button", { name: /delete/i }));
  const listed = () => gateway.call("GET", "/api/sessions");
  await expect.poll(listed).toMatchObject({ sessions: [] });
  await loses(page.getByText("A name of mine"));
});
