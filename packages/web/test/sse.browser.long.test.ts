import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { NoSockets } from "../../client/test/no-sockets.ts";
import { useStage } from "./browser-setup.ts";
import { isIdle, scenario, type TestGateway } from "./gateway.ts";
import { answers, dock, finds, loses, presses, say, sees, thread } from "./page-actions.ts";
import { allNumbers, expectComplete, numbers } from "./complete-conversation.ts";

const stage = useStage();
const work = { agents: { scripted: scenario("work") } };

/** A page of a new session behind a proxy that rejects every WebSocket. */
async function behindProxy() {
  const gateway = await stage().gateway(work);
  const sessionId = await gateway.open();
  const proxy = await NoSockets.before(`http://127.0.0.1:${gateway.network.target}`);
  const { port } = new URL(proxy.url);
  gateway.network.target = Number(port);
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}`, isCutOff: true });
  return {
    gateway,
    sessionId,
    page,
    proxy,
    cut: () => {
      gateway.cutLine();
      return () => (gateway.network.target = Number(port));
    },
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  };
}

async function allow(page: Page): Promise<void> {
  await answers(dock(page).getByRole("button", { name: /^allow once/i }));
}

/** One prompt, one answer, one end: in the page and in the log. */
async function expectAllowedOnce(
  page: Page,
  gateway: TestGateway,
  sessionId: string,
): Promise<void> {
  const { items } = await gateway.until(sessionId, isIdle);
  const ofType = (type: string) => items.filter((item) => item.type === type);
  expect(ofType("prompt")).toHaveLength(1);
  expect(ofType("ask")).toMatchObject([{ settled: { by: { client: expect.any(String) } } }]);
  await sees(page, /You allowed/);
  await loses(dock(page));
  const once = ["Run the command", "I want to see whether the tests pass.", "All 14 tests pass."];
  for (const text of once) {
    await sees(page, text);
    expect(await thread(page).getByText(text, { exact: true }).count()).toBe(1);
  }
}

test("without WebSocket, the page falls back by itself: a turn with a permission request works once", async () => {
  await using line = await behindProxy();
  const { page, gateway, sessionId } = line;
  await say(page, "Run the command");
  await allow(page);
  await expectAllowedOnce(page, gateway, sessionId);
  expect(line.proxy.refused).toBeGreaterThan(0);
  // Only the session menu shows the transport.
  await presses(page.getByRole("button", { name: "Conversation menu" }));
  await finds(page.getByText(/^Connected by server-sent events/));
});

test("without WebSocket, a connection that is lost twice during a turn loses and duplicates nothing", async () => {
  await using line = await behindProxy();
  const { page, gateway, sessionId } = line;
  await say(page, "slowly");
  await sees(page, /30 x/);
  const mend = line.cut();
  await finds(page.getByText(/^Offline/));
  await sees(page, /30 x/);
  mend();
  await loses(page.getByText(/^Offline/));
  gateway.network.cut();
  await sees(page, "The end.");
  expect(await numbers(page)).toEqual(allNumbers);
  await expectComplete(page, gateway, sessionId);
});

test("without WebSocket, a request that arrives while offline is answered when the connection is back", async () => {
  await using line = await behindProxy();
  const { page, gateway, sessionId } = line;
  await presses(page.getByRole("button", { name: "Conversation menu" }));
  await finds(page.getByText(/^Connected by server-sent events/));
  await page.keyboard.press("Escape");
  const mend = line.cut();
  await finds(page.getByText(/^Offline/));
  await gateway.promptUntil(sessionId, "Run the command", ({ openAsks }) => openAsks.length > 0);
  mend();
  await allow(page);
  await expectAllowedOnce(page, gateway, sessionId);
});

test("without WebSocket, a sign-in terminal shows its output and receives input in order", async () => {
  const gateway = await stage().gateway({ agents: { scripted: scenario("sign-in") } });
  await using proxy = await NoSockets.before(`http://127.0.0.1:${gateway.network.target}`);
  gateway.network.target = Number(new URL(proxy.url).port);
  const page = await stage().page(gateway, { hash: "#/settings/agents", isCutOff: true });
  await presses(page.getByRole("button", { name: "Sign in to Scripted" }));
  const dialog = page.getByRole("dialog", { name: "Sign in to Scripted" });
  await presses(dialog.getByRole("button", { name: /in a terminal/ }));
  await finds(dialog.getByText(/Code:/));
  await finds(dialog.locator("textarea:focus"));
  await page.keyboard.type("1234\n");
  await finds(page.getByText("You are signed in to Scripted."));
  await loses(dialog);
});
