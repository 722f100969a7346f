import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { comes, useGateway, useStage } from "./browser-setup.ts";
import { isIdle, scenario } from "./gateway.ts";
import { dock, field, finds, isReady, presses, say, sees } from "./page-actions.ts";

const stage = useStage();
const shared = useGateway({ agents: { scripted: scenario("work") } });
const allow = (page: Page) => dock(page).getByRole("button", { name: /^allow/i });
const stop = (page: Page) => page.getByRole("button", { name: "Stop", exact: true });

/**
 * Two requests are open and the second is expanded: when it is answered, *Allow* of the first takes its position.
 * Then the page's clock is paused, so that a slow machine does not change the timing.
 */
async function twoRequests(size: "wide" | "phone" = "wide") {
  const gateway = shared();
  const sessionId = await gateway.open();
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}`, size });
  await page.clock.install();
  await gateway.promptUntil(sessionId, "two", ({ openAsks }) => openAsks.length === 2);
  await presses(dock(page).getByRole("button", { name: /2 of 2/ }));
  await isReady(allow(page).first());
  await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 60_000);
  const second = async () => {
    // One frame at a time, until the next request is shown.
    await comes(async () => {
      await page.clock.runFor(20);
      return dock(page).getByText("2 of 2").count();
    }).toBe(0);
    await finds(allow(page).first());
  };
  /** The number of open requests, without one whose answer is being sent: that one is disabled at once. */
  const openCount = async () => {
    await finds(allow(page).first());
    const isAnswering = (await allow(page).first().getAttribute("disabled")) !== null;
    const { openAsks } = await gateway.view(sessionId);
    return openAsks.length - (isAnswering ? 1 : 0);
  };
  return { gateway, sessionId, page, second, openCount };
}

async function middleOf(what: Locator) {
  const box = await what.boundingBox();
  if (box === null) throw new Error("It is not on the page.");
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** Checks that an Allow button is at that position. */
async function expectAllowAt(page: Page, { x, y }: { x: number; y: number }): Promise<void> {
  const words = await page.evaluate(
    ([left, top]) => document.elementFromPoint(left, top)?.closest("button")?.textContent,
    [x, y] as const,
  );
  expect(words).toMatch(/^allow/i);
}

test("a double click on Allow answers one request, however slow it is", async () => {
  const { page, second, openCount } = await twoRequests();
  const place = await middleOf(allow(page).first());
  await page.mouse.move(place.x, place.y);
  await page.mouse.down({ clickCount: 1 });
  await page.mouse.up({ clickCount: 1 });
  await second();
  await expectAllowAt(page, place);
  await page.mouse.down({ clickCount: 2 });
  await page.mouse.up({ clickCount: 2 });
  expect(await openCount()).toBe(1);
  // The operating system may report a double click for clicks that are further apart.
  await page.clock.runFor(1_000);
  await isReady(allow(page).first());
  await page.mouse.down({ clickCount: 3 });
  await page.mouse.up({ clickCount: 3 });
  expect(await openCount()).toBe(1);
});

test("a click on a request that has just appeared does not answer it, and a later one does", async () => {
  const { gateway, sessionId, page, second, openCount } = await twoRequests();
  const place = await middleOf(allow(page).first());
  await page.mouse.click(place.x, place.y);
  await second();
  await expectAllowAt(page, place);
  await page.mouse.click(place.x, place.y);
  expect(await openCount()).toBe(1);
  await page.clock.runFor(300);
  await page.mouse.click(place.x, place.y);
  expect(await openCount()).toBe(1);
  await page.clock.runFor(200);
  await isReady(allow(page).first());
  await page.mouse.click(place.x, place.y);
  await gateway.until(sessionId, isIdle);
});

test("a press that began on one request does not answer the one that replaced it", async () => {
  const { gateway, sessionId, page, second, openCount } = await twoRequests();
  const place = await middleOf(allow(page).first());
  await page.mouse.move(place.x, place.y);
  await page.mouse.down();
  const { openAsks } = await gateway.view(sessionId);
  const address = `/api/sessions/${sessionId}/asks/${openAsks[1]?.askId ?? ""}`;
  await gateway.call("POST", address, { optionId: "no" });
  await second();
  await page.clock.runFor(1_000);
  await expectAllowAt(page, place);
  await page.mouse.up();
  expect(await openCount()).toBe(1);
});

test("a double tap on Allow answers one request", async () => {
  const { page, second, openCount } = await twoRequests("phone");
  const place = await middleOf(allow(page).first());
  await page.touchscreen.tap(place.x, place.y);
  await second();
  await expectAllowAt(page, place);
  await page.touchscreen.tap(place.x, place.y);
  expect(await openCount()).toBe(1);
});

test("a request that moved under the pointer is not answered at once", async () => {
  const { gateway, sessionId, page, openCount } = await twoRequests();
  // Lines in the message field push everything above it up.
  await field(page).fill("one\ntwo\nthree\nfour");
  await page.clock.runFor(20);
  const place = await middleOf(allow(page).first());
  await page.mouse.click(place.x, place.y);
  expect(await openCount()).toBe(2);
  await page.clock.runFor(500);
  // The guard must notice the move without a click.
  await field(page).fill("");
  await page.clock.runFor(20);
  await finds(allow(page).first().and(page.locator("[data-answer=wait]")));
  const { x, y } = await middleOf(allow(page).first());
  expect(y).toBeGreaterThan(place.y);
  await page.clock.runFor(500);
  await isReady(allow(page).first());
  await page.mouse.click(x, y);
  await gateway.until(sessionId, ({ openAsks }) => openAsks.length === 1);
});

test("a key that is pressed twice or held answers one request", async () => {
  const { page, second, openCount } = await twoRequests();
  await dock(page).focus();
  await page.keyboard.down("a");
  await second();
  // A second keydown without keyup is a key repeat.
  await page.keyboard.down("a");
  await page.clock.runFor(1_000);
  await page.keyboard.down("a");
  await page.keyboard.up("a");
  expect(await openCount()).toBe(1);
});

test("a key just after a request appears does not answer it", async () => {
  const { gateway, sessionId, page, second, openCount } = await twoRequests();
  await dock(page).focus();
  await page.keyboard.press("a");
  await second();
  await page.keyboard.press("a");
  await page.keyboard.press("1");
  expect(await openCount()).toBe(1);
  await page.clock.runFor(1_000);
  await page.keyboard.press("a");
  await gateway.until(sessionId, isIdle);
});

test("digits answer from the empty message field, and are text in a field with text", async () => {
  const { gateway, sessionId, page, second, openCount } = await twoRequests();
  await field(page).focus();
  await finds(page.getByText(/Press 1 or \d to answer, or Esc to go to the request/));
  await page.keyboard.type("no 3");
  expect(await field(page).inputValue()).toBe("no 3");
  expect(await openCount()).toBe(2);
  await field(page).fill("");
  await page.keyboard.press("1");
  await second();
  // Too soon to be an answer, and not a message either.
  await page.keyboard.press("1");
  expect(await openCount()).toBe(1);
  expect(await field(page).inputValue()).toBe("");
  await page.clock.runFor(1_000);
  await page.keyboard.press("1");
  await gateway.until(sessionId, isIdle);
  expect(await field(page).inputValue()).toBe("");
});

test("Esc never stops the turn; the stop shortcut does", async () => {
  const gateway = shared();
  const sessionId = await gateway.open();
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}` });
  await say(page, "Please wait");
  await sees(page, "I wait for you.");
  await field(page).focus();
  for (let count = 0; count < 3; count += 1) await page.keyboard.press("Escape");
  expect(await page.locator("#composer-field:focus").count()).toBe(0);
  for (let count = 0; count < 3; count += 1) await page.keyboard.press("Escape");
  expect((await gateway.view(sessionId)).turn.state).toBe("running");
  expect(await stop(page).getAttribute("title")).toBe("Stop the turn (Ctrl+.)");
  await field(page).focus();
  await page.keyboard.press("Control+.");
  const { lastTurn } = await gateway.until(sessionId, isIdle);
  expect(lastTurn?.stopReason).toBe("cancelled");
});

test("Esc in a request leaves it open and the turn running", async () => {
  const gateway = shared();
  const sessionId = await gateway.open();
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}` });
  await say(page, "Run the command");
  await isReady(allow(page).first());
  await field(page).focus();
  const card = dock(page).getByRole("article").first();
  const outline = () => card.evaluate((shown) => getComputedStyle(shown).outlineStyle);
  expect(await outline()).toBe("none");
  await page.keyboard.press("Escape");
  // The focus is visible.
  expect(await outline()).toBe("solid");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  const { openAsks, turn } = await gateway.view(sessionId);
  expect(openAsks).toHaveLength(1);
  expect(turn.state).toBe("running");
});

test("a double tap on an element over a request does not answer the request", async () => {
  const { gateway, sessionId, page, openCount } = await twoRequests("phone");
  const place = await middleOf(allow(page).first());
  // A button that disappears when it is tapped, like a menu item.
  await page.evaluate(
    ([x, y]) => {
      const over = document.createElement("button");
      over.style.cssText = `position: fixed; z-index: 999; left: ${x - 20}px; top: ${y - 20}px; width: 40px; height: 40px`;
      over.addEventListener("click", () => over.remove());
      document.body.append(over);
    },
    [place.x, place.y] as const,
  );
  await page.touchscreen.tap(place.x, place.y);
  await expectAllowAt(page, place);
  await page.clock.runFor(100);
  await page.touchscreen.tap(place.x, place.y);
  expect(await openCount()).toBe(2);
  // The browser counts taps by its own clock and restarts with a tap elsewhere.
  await page.touchscreen.tap(20, 200);
  await page.clock.runFor(1_000);
  await page.touchscreen.tap(place.x, place.y);
  await gateway.until(sessionId, ({ openAsks }) => openAsks.length === 1);
});
