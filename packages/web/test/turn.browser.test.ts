import { expect, test } from "vitest";
import { useGateway, useStage } from "./browser-setup.ts";
import { isIdle, scenario } from "./gateway.ts";
import { field, finds, loses, presses, say, sees, thread } from "./page-actions.ts";

const stage = useStage();
const work = { agents: { scripted: scenario("work") } };
const shared = useGateway(work);

test("a turn shows thoughts, tools, the answer, its duration and tokens", async () => {
  const gateway = shared();
  const sessionId = await gateway.open();
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}` });
  await say(page, "Why can the login be guessed?");

  await sees(page, "Three things are wrong there:");
  await finds(page.getByRole("heading", { name: "Secrets are compared too fast" }));
  const conversation = thread(page);
  await finds(conversation.getByRole("list").getByText("leaks its progress"));
  await finds(conversation.getByRole("table").getByText("src/hash.ts"));
  await finds(conversation.getByText("timingSafeEqual(given, kept)"));
  const link = conversation.getByRole("link", { name: "documentation" });
  expect(await link.getAttribute("rel")).toBe("noopener noreferrer nofollow");
  expect(await link.getAttribute("target")).toBe("_blank");

  // Consecutive reads and searches are one row, which opens.
  await presses(conversation.getByRole("button", { name: /3 files/i }));
  await finds(conversation.getByText("src/account.test.ts"));
  await presses(conversation.getByRole("button", { name: /thought/i }));
  await sees(page, /before I say anything/);
});

test("a change shows its diff, a command its output, the plan its progress", async () => {
  const gateway = await stage().gateway(work);
  const sessionId = await gateway.open();
  await gateway.promptUntil(sessionId, "Repair it");
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}` });
  await sees(page, /All 14 tests pass\.$/);

  const conversation = thread(page);
  await presses(conversation.getByRole("button", { name: /^Edit/ }));
  await finds(conversation.getByText("const kept = Buffer.from(account.secret);"));
  await presses(conversation.getByRole("button", { name: /^npm test/ }));
  await finds(conversation.getByText("14 tests passed", { exact: true }));
  const details = page.getByRole("complementary", { name: "Details" });
  await finds(details.getByText("Compare in constant time"));
  await finds(details.getByText(/3 of 5/));
  await finds(details.getByText("account.ts"));
  await finds(details.getByText("printf"));
});

test("a running turn is stopped by the button and by its shortcut", async () => {
  const gateway = shared();
  const sessionId = await gateway.open();
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}` });
  await say(page, "Please wait");
  await sees(page, "I wait for you.");
  await presses(page.getByRole("button", { name: "Stop" }));
  await sees(page, "I wait for you. Stopped.");
  await loses(page.getByRole("button", { name: "Stop" }));

  await say(page, "Please wait again");
  await finds(page.getByRole("button", { name: "Stop" }));
  await gateway.until(sessionId, ({ items }) => items.filter(isWaiting).length === 2);
  await field(page).press("Control+.");
  const { lastTurn } = await gateway.until(sessionId, isIdle);
  expect(lastTurn?.stopReason).toBe("cancelled");
});

const isWaiting = (item: object) => JSON.stringify(item).includes("I wait for you.");

test("a prompt that is sent during a turn is queued, and can be edited, moved and withdrawn", async () => {
  const gateway = shared();
  const sessionId = await gateway.open();
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}` });
  await say(page, "Please wait");
  await sees(page, "I wait for you.");
  for (const text of ["apples first", "pears second", "plums third"]) await say(page, text);
  const queue = page.getByRole("region", { name: "Queue" });
  await finds(queue.getByText("plums third"));

  const row = (text: string) => queue.getByRole("listitem").filter({ hasText: text });
  await row("apples first").getByRole("button", { name: "Withdraw" }).click();
  await loses(row("apples first"));
  await row("plums third").getByRole("button", { name: "Move up" }).click();
  await expect.poll(() => queue.innerText()).toMatch(/plums third[\s\S]*pears second/);

  await field(page).focus();
  await field(page).press("ArrowUp");
  await page.getByRole("textbox", { name: "Queued message" }).fill("reworded since");
  await page.keyboard.press("Enter");
  await finds(queue.getByText("reworded since"));

  await presses(page.getByRole("button", { name: "Stop" }));
  await sees(page, "You said: reworded since");
  const view = await gateway.until(sessionId, isIdle);
  const prompts = view.items.filter((item) => item.type === "prompt");
  expect(prompts.map(({ content }) => content)).toMatchObject([
    [{ text: "Please wait" }],
    [{ text: "plums third" }],
    [{ text: "reworded since" }],
  ]);
});

test("subagents are a tree, each with its activity", async () => {
  const gateway = shared();
  const sessionId = await gateway.open();
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}` });
  await say(page, "subagents");
  const details = page.getByRole("complementary", { name: "Details" });
  await finds(details.getByText("Find every comparison of secrets"));
  await finds(details.getByText("Review the tests of the login"));
  await presses(
    thread(page)
      .getByRole("button", { name: /Find every comparison/ })
      .first(),
  );
  await sees(page, "There is one, in src/account.ts.");
});

test("two sessions run at once, independently", async () => {
  const gateway = await stage().gateway(work);
  const [one, other] = [await gateway.open(), await gateway.open()];
  const page = await stage().page(gateway, { hash: `#/s/${one}` });
  await say(page, "Please wait here");
  await sees(page, "I wait for you.");
  await page.goto(`${gateway.origin}/#/s/${other}`);
  await say(page, "This is the other one");
  await sees(page, "You said: This is the other one");
  expect(await thread(page).innerText()).not.toContain("I wait for you.");

  const sessions = page.getByRole("navigation", { name: "Conversations" });
  await presses(sessions.getByRole("link", { name: /Please wait here/ }));
  await sees(page, "I wait for you.");
  expect(await thread(page).innerText()).not.toContain("the other one");
  await presses(page.getByRole("button", { name: "Stop" }));
  await sees(page, "I wait for you. Stopped.");
});

test("images, audio and files are shown, and content for the assistant only is collapsed", async () => {
  const gateway = shared();
  const sessionId = await gateway.open();
  await gateway.promptUntil(sessionId, "media");
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}` });
  await sees(page, "That was all.");
  const conversation = thread(page);
  await finds(conversation.getByRole("img"));
  expect(await conversation.locator("audio").count()).toBe(1);
  await sees(page, "notes.md");
  await sees(page, "account.ts");
  expect(
    await conversation.getByText("For the assistant alone.").filter({ visible: true }).count(),
  ).toBe(0);
});

test("an agent that crashed shows the reason, and the next prompt starts it again", async () => {
  const gateway = shared();
  const sessionId = await gateway.open();
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}` });
  await say(page, "crash");
  await sees(page, /heap/);
  await finds(page.getByText("Failed"));
  await say(page, "Are you back?");
  await sees(page, /You said: .*Are you back\?/);
});
