import { readFile } from "node:fs/promises";
import * as path from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { useGateway, useStage } from "./browser-setup.ts";
import { isIdle, scenario } from "./gateway.ts";
import {
  answers,
  dock,
  field,
  finds,
  isReady,
  loses,
  presses,
  say,
  sees,
  thread,
} from "./page-actions.ts";

const stage = useStage();
const work = { agents: { scripted: scenario("work") } };
const shared = useGateway(work);

test("a change is shown before it is allowed by mouse, and then made", async () => {
  const gateway = await stage().gateway(work);
  const sessionId = await gateway.open();
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}` });
  await say(page, "change it");
  await dock(page).getByText("const kept = Buffer.from(account.secret);").first().waitFor();
  expect(await page.title()).toMatch(/^\(1\)/);
  await answers(
    dock(page)
      .getByRole("button", { name: /^allow/i })
      .first(),
  );
  await sees(page, "The comparison takes the same time now.");
  await loses(dock(page));
  await sees(page, /You allowed/);
  const file = await readFile(path.join(gateway.project, "src/account.ts"), "utf8");
  expect(file).toContain("timingSafeEqual");
});

test("a command is allowed and rejected by keyboard, and Enter does neither", async () => {
  const gateway = shared();
  const sessionId = await gateway.open();
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}` });
  const allow = dock(page).getByRole("button", { name: /allow once/i });
  await say(page, "Run the command");
  await finds(dock(page).getByText("npm test -- src/account.test.ts"));
  // In the composer, letters are text, not answers.
  await field(page).focus();
  await field(page).press("a");
  expect(await field(page).inputValue()).toBe("a");
  await field(page).fill("");
  await field(page).blur();
  await page.keyboard.press("Enter");
  expect((await gateway.view(sessionId)).openAsks).toHaveLength(1);
  await isReady(allow);
  await page.keyboard.press("a");
  await sees(page, "All 14 tests pass.");

  await say(page, "Run the command again");
  await isReady(allow);
  await field(page).blur();
  await page.keyboard.press("3");
  await sees(page, "Then I do not run it.");
});

test("two browsers answer at once: one answer counts, and both show whose it was", async () => {
  const gateway = shared();
  const device = await gateway.device("Anna", "control");
  const sessionId = await gateway.open();
  const hash = `#/s/${sessionId}`;
  const [mine, hers] = await Promise.all([
    stage().page(gateway, { hash }),
    stage().page(gateway, { hash, token: device.token }),
  ]);
  await say(mine, "Run the command");
  const pages = [mine, hers];
  const allow = (page: Page) => dock(page).getByRole("button", { name: /allow once/i });
  await Promise.all(pages.map((page) => isReady(allow(page))));
  const buttons = await Promise.all(pages.map((page) => allow(page).elementHandle()));
  // In parallel: a second lookup would find the button gone.
  await Promise.all(
    buttons.map((button) => button?.evaluate((shown: HTMLElement) => shown.click())),
  );
  const view = await gateway.until(sessionId, isIdle);
  const ask = view.items.find((item) => item.type === "ask");
  const by = ask?.settled?.by;
  if (!by || !("client" in by)) throw new Error("A person should have answered.");
  const me = (await gateway.call("GET", "/api/me")) as { clientId: string };
  const [winner, other] = by.client === me.clientId ? [mine, hers] : [hers, mine];
  await sees(winner, /You allowed/);
  await sees(other, by.client === me.clientId ? /(?!You)\w+.* allowed/ : /Anna allowed/);
  for (const page of pages) await sees(page, "All 14 tests pass.");
});

test("a request that another client answers disappears, and the page shows who answered", async () => {
  const gateway = shared();
  const device = await gateway.device("Anna", "control");
  const sessionId = await gateway.open();
  const hash = `#/s/${sessionId}`;
  const [mine, hers] = await Promise.all([
    stage().page(gateway, { hash }),
    stage().page(gateway, { hash, token: device.token }),
  ]);
  await say(mine, "Run the command");
  await finds(dock(mine));
  await field(mine).focus();
  await answers(dock(hers).getByRole("button", { name: /allow once/i }));
  await finds(mine.getByText("Anna allowed it."));
  await loses(dock(mine));
  // The focus stayed where it was.
  expect(await field(mine).evaluate((element) => element === document.activeElement)).toBe(true);
});

test("two open requests are answered in any order", async () => {
  const gateway = shared();
  const sessionId = await gateway.open();
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}` });
  await say(page, "two");
  await finds(dock(page).getByText("2 of 2"));
  await presses(dock(page).getByRole("button", { name: /2 of 2/ }));
  const card = dock(page).getByRole("article").filter({ hasText: "2 of 2" });
  await answers(card.getByRole("button", { name: /^(allow|reject)/i }).first());
  await gateway.until(sessionId, ({ openAsks }) => openAsks.length === 1);
  await loses(dock(page).getByText("2 of 2"));
  await answers(
    dock(page)
      .getByRole("button", { name: /^allow/i })
      .first(),
  );
  await gateway.until(sessionId, isIdle);
});

test("a rule is described before it is saved, and answers the next request", async () => {
  const gateway = await stage().gateway(work);
  const sessionId = await gateway.open();
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}` });
  await say(page, "Run the command");
  await presses(dock(page).getByRole("button", { name: /^always…/i }));
  const dialog = page.getByRole("dialog", { name: "Always allow" });
  await finds(dialog.getByText(/npm test/));
  await answers(dialog.getByRole("button", { name: /save/i }));
  await sees(page, "All 14 tests pass.");
  await say(page, "Run the command once more");
  await sees(page, /A rule allowed/);
  // A long rule leaves room for the command that it allowed.
  const about = thread(page)
    .getByText(/A rule allowed/)
    .locator("xpath=..")
    .locator("code")
    .first();
  expect(await about.evaluate((shown) => shown.scrollWidth - shown.clientWidth)).toBe(0);
  const rules = (await gateway.call("GET", "/api/rules")) as { rules: object[] };
  expect(rules.rules).toHaveLength(1);
});

test("a rejection accepts a note, which becomes the next prompt", async () => {
  const gateway = shared();
  const sessionId = await gateway.open();
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}` });
  await say(page, "Run the command");
  await presses(dock(page).getByRole("button", { name: /note/i }));
  await dock(page).getByRole("textbox").fill("Use the other script.");
  await answers(
    dock(page)
      .getByRole("button", { name: /reject/i })
      .last(),
  );
  await sees(page, "Then I do not run it.");
  await sees(page, "You said: Use the other script.");
  // The note is shown with the rejection and as a prompt, even after a reload.
  await page.reload();
  await sees(page, "You said: Use the other script.");
  const note = page.getByText("Use the other script.", { exact: true });
  await expect.poll(() => note.count()).toBe(2);
});

test("a question is a form, which is validated and answered", async () => {
  const gateway = shared();
  const sessionId = await gateway.open();
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}` });
  await say(page, "form");
  const form = dock(page);
  await finds(form.getByText("how strict it should be"));
  const submit = form.getByRole("button", { name: /^(send|submit|answer)/i });
  await answers(submit);
  // Nothing was sent: the first invalid field has the focus and shows the error.
  const name = form.getByRole("textbox", { name: /name of the limit/i });
  expect(await name.evaluate((element) => element === document.activeElement)).toBe(true);
  expect(await name.getAttribute("aria-invalid")).toBe("true");
  await name.fill("login");
  await form.getByLabel(/tries in a minute/i).fill("9");
  await form.getByRole("radio", { name: "Lock the account" }).check();
  await answers(submit);
  await sees(page, "The limit login is set to 9 tries, then lock.");
});

test("a half-filled form survives a reload and is deleted when another client answers", async () => {
  const gateway = shared();
  const sessionId = await gateway.open();
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}` });
  const name = () => dock(page).getByRole("textbox", { name: /name of the limit/i });
  await say(page, "form");
  await finds(name());
  await name().fill("login");
  await dock(page).getByRole("radio", { name: "Lock the account" }).check();
  await page.reload();
  await finds(name());
  expect(await name().inputValue()).toBe("login");
  expect(await dock(page).getByRole("radio", { name: "Lock the account" }).isChecked()).toBe(true);

  const kept = () => page.evaluate(() => localStorage.getItem("landline.ask-drafts"));
  expect(await kept()).toContain("login");
  const [ask] = (await gateway.view(sessionId)).openAsks;
  const address = `/api/sessions/${sessionId}/asks/${ask?.askId ?? ""}`;
  await gateway.call("POST", address, { outcome: { action: "decline" } });
  await sees(page, "Then I set no limit.");
  await expect.poll(kept).toBe("[]");
});

test("an unsent note survives Esc and a reload", async () => {
  const gateway = shared();
  const sessionId = await gateway.open();
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}` });
  const note = dock(page).getByRole("textbox");
  const open = dock(page).getByRole("button", { name: /with your note/i });
  await say(page, "Run the command");
  await presses(dock(page).getByRole("button", { name: /with a note/i }));
  await note.fill("Use the other");
  await note.press("Escape");
  await loses(note);
  await presses(open);
  expect(await note.inputValue()).toBe("Use the other");
  await page.reload();
  await presses(open);
  expect(await note.inputValue()).toBe("Use the other");
  await note.press("End");
  await page.keyboard.type(" script.");
  await isReady(dock(page).getByRole("button", { name: /send note/i }));
  await note.press("Enter");
  await sees(page, "You said: Use the other script.");
});

test("while offline a request says so, and can be answered when the connection is back", async () => {
  const gateway = await stage().gateway(work);
  const sessionId = await gateway.open();
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}`, isCutOff: true });
  await say(page, "Run the command");
  const allow = dock(page).getByRole("button", { name: /allow once/i });
  const words = dock(page).getByText("Offline. You can answer when the connection is back.");
  await isReady(allow);
  await allow.focus();
  gateway.cutLine();
  await finds(words);
  expect(await allow.getAttribute("aria-disabled")).toBe("true");
  expect(await allow.getAttribute("aria-describedby")).toBe(await words.getAttribute("id"));
  // A key does not answer either, and the focus stays.
  await page.keyboard.press("a");
  await page.keyboard.press("Enter");
  expect(await allow.evaluate((button) => button === document.activeElement)).toBe(true);
  gateway.mendLine();
  await loses(words);
  expect((await gateway.view(sessionId)).openAsks).toHaveLength(1);
  await answers(allow);
  await sees(page, "All 14 tests pass.");
});

test("a question can be declined", async () => {
  const gateway = shared();
  const sessionId = await gateway.open();
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}` });
  await say(page, "form");
  await answers(dock(page).getByRole("button", { name: /decline/i }));
  await sees(page, "Then I set no limit.");
});

test("a subagent's request is answered in the same dock", async () => {
  const gateway = shared();
  const sessionId = await gateway.open();
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}` });
  await say(page, "child asks");
  await finds(dock(page).getByText(/Write the missing test/));
  await answers(
    dock(page)
      .getByRole("button", { name: /^allow/i })
      .first(),
  );
  await sees(page, "The subagent is done.");
});

test("at 200 % zoom, with queued prompts, everything is reachable and the request is visible", async () => {
  const gateway = shared();
  const sessionId = await gateway.open();
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}` });
  await page.setViewportSize({ width: 700, height: 450 });
  await say(page, "change it");
  await finds(dock(page));
  for (const words of ["alpha", "beta", "gamma"]) await say(page, words);
  await gateway.until(sessionId, ({ queue }) => queue.length === 3);
  const reached = [
    page.getByRole("button", { name: "Stop", exact: true }),
    page.getByRole("button", { name: "Queue", exact: true }),
    dock(page).getByText("src/account.ts").first(),
  ];
  for (const part of reached) {
    const box = await part.boundingBox();
    expect(box && box.y + box.height).toBeLessThanOrEqual(450);
  }
  expect((await thread(page).boundingBox())?.height).toBeGreaterThan(40);
  await page.getByText("gamma", { exact: true }).scrollIntoViewIfNeeded();
  await answers(
    dock(page)
      .getByRole("button", { name: /^allow/i })
      .first(),
  );
  await gateway.until(sessionId, ({ openAsks }) => openAsks.length === 0);
});
