import * as path from "node:path";
import { describe, expect, test } from "vitest";
import { useStage } from "./browser-setup.ts";
import { scenario } from "./gateway.ts";
import { answers, dock, field, finds, loses, presses, sees, startWith } from "./page-actions.ts";

const stage = useStage();
const work = { agents: { scripted: scenario("work") } };

test("the first visit explains the product, lists the agents, and starts a session with one click", async () => {
  const gateway = await stage().gateway({});
  const page = await stage().page(gateway);
  await finds(page.getByText(/Landline runs coding agents/));
  // The token is neither in the history nor readable by scripts.
  expect(page.url()).toBe(`${gateway.origin}/`);
  expect(await page.evaluate("document.cookie")).toBe("");
  const agents = page.getByRole("region", { name: "Agents" });
  await finds(agents.getByText("Landline", { exact: true }));
  await presses(page.getByRole("button", { name: "Start a conversation" }));
  await page.waitForURL(/#\/s\//);
  // The built-in agent answers without a key, with its demo model.
  await field(page).fill("plan: look; leap");
  await field(page).press("Enter");
  await sees(page, /demo model/i);
  await finds(page.getByRole("complementary", { name: "Details" }).getByText("leap"));
});

test("text typed on the first page becomes the first prompt", async () => {
  const gateway = await stage().gateway(work);
  const page = await stage().page(gateway, { hash: "#/" });
  await startWith(page, "Scripted", "hello from the start");
  await sees(page, "You said: hello from the start");
});

test("without any agent the page says what to install", async () => {
  const program = path.join(import.meta.dirname, "bare-gateway.mjs");
  const gateway = await stage().gateway({ program: ["--conditions=@landline/source", program] });
  const page = await stage().page(gateway, { hash: "#/" });
  await finds(page.getByText("No agent was found"));
  await finds(page.getByText("Claude Code"));
  await finds(page.getByRole("button", { name: /copy/i }));
});

describe("an agent that requires sign-in", () => {
  async function atMethods() {
    const gateway = await stage().gateway({ agents: { scripted: scenario("sign-in") } });
    const page = await stage().page(gateway, { hash: "#/" });
    await startWith(page, "Scripted", "let me in");
    const dialog = page.getByRole("dialog", { name: "Sign in to Scripted" });
    const choose = (name: RegExp) => dialog.getByRole("button", { name }).click();
    return { page, dialog, choose };
  }

  test("signs in by itself if it can, and continues", async () => {
    const { page, dialog, choose } = await atMethods();
    await choose(/your account/);
    await loses(dialog);
    await presses(page.getByRole("button", { name: /^Start/ }));
    await sees(page, "Welcome in.");
  });

  test("asks for a key in a form", async () => {
    const { page, dialog, choose } = await atMethods();
    await choose(/Enter a key/);
    await finds(dialog.getByText("Which key should be used?"));
    await dialog.getByLabel(/^Key/).fill("1234");
    await answers(dialog.getByRole("button", { name: "Continue" }));
    await loses(dialog);
    await presses(page.getByRole("button", { name: /^Start/ }));
    await sees(page, "Welcome in.");
  });

  test("runs its own program in a terminal, which can fail and succeed", async () => {
    const { page, dialog, choose } = await atMethods();
    const type = async (code: string) => {
      await choose(/in a terminal/);
      await finds(dialog.getByText(/Code:/));
      // The terminal has the focus without a click.
      await finds(dialog.locator("textarea:focus"));
      await page.keyboard.type(`${code}\n`);
    };
    await type("9999");
    // Its output stays when the terminal is closed.
    await finds(dialog.getByRole("alert").getByText(/That code is wrong/));
    await type("1234");
    await loses(dialog);
  });

  test("can be cancelled", async () => {
    const { dialog, choose } = await atMethods();
    await choose(/in a terminal/);
    await finds(dialog.getByText(/Code:/));
    await choose(/cancel/i);
    await finds(dialog.getByRole("button", { name: /your account/ }));
  });
});

test("an agent that starts slowly shows its progress", async () => {
  const gateway = await stage().gateway({ agents: { scripted: scenario("slow-start") } });
  const page = await stage().page(gateway, { hash: "#/" });
  await startWith(page, "Scripted");
  await finds(page.getByRole("button", { name: /Starting Scripted/ }));
});

test("a client with the role watch sees everything and can change nothing", async () => {
  const gateway = await stage().gateway(work);
  const { token } = await gateway.device("Screen", "watch");
  const sessionId = await gateway.open();
  await gateway.promptUntil(sessionId, "Run the command", ({ openAsks }) => openAsks.length > 0);
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}`, token });
  await sees(page, "I want to see whether the tests pass.");
  await finds(dock(page).getByText(/You have read-only access/));
  expect(
    await dock(page)
      .getByRole("button", { name: /allow|reject/i })
      .count(),
  ).toBe(0);
  await page.keyboard.press("1");
  expect(await field(page).and(page.locator(":enabled")).count()).toBe(0);
  expect((await gateway.view(sessionId)).openAsks).toHaveLength(1);
});

test("an invalid token is rejected with a message", async () => {
  const gateway = await stage().gateway(work);
  const page = await stage().page(gateway, { hash: "#/", token: "wrong", isCutOff: true });
  await finds(page.getByText(/token/i));
});

test("a revoked token closes the connection, and the page says what to do", async () => {
  const gateway = await stage().gateway(work);
  const device = await gateway.device("Lost phone", "control");
  const page = await stage().page(gateway, { hash: "#/", token: device.token, isCutOff: true });
  await finds(page.getByRole("heading", { level: 1 }));
  await gateway.call("DELETE", `/api/devices/${device.id}`);
  await finds(page.getByText("This browser has no access."));
});

test("an open page keeps its content when the gateway stops, and reconnects", async () => {
  const gateway = await stage().gateway(work);
  const page = await stage().page(gateway, { hash: "#/", isCutOff: true });
  await finds(page.getByRole("button", { name: "Start a conversation" }));
  gateway.cutLine();
  await finds(page.getByText(/^Offline/));
  await finds(page.getByRole("heading", { level: 1 }));
  gateway.mendLine();
  await loses(page.getByText(/^Offline/));
});
