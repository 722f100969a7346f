import * as fs from "node:fs/promises";
import * as path from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { comes, useStage } from "./browser-setup.ts";
import { scenario } from "./gateway.ts";
import { answers, finds, loses, presses, say, sees, startWith, thread } from "./page-actions.ts";

const stage = useStage();

const KEY = "sk-key-of-the-test-0123456789";

/** Signs in to the built-in agent with a key. */
async function enterKey(page: Page): Promise<void> {
  const dialog = page.getByRole("dialog", { name: "Sign in to Landline" });
  await dialog.getByRole("button", { name: /^API key/ }).click();
  await dialog.getByLabel("Provider").selectOption("Anthropic");
  const key = dialog.getByLabel("API key");
  expect(await key.getAttribute("type")).toBe("password");
  await key.fill(KEY);
  await answers(dialog.getByRole("button", { name: "Continue" }));
  await loses(dialog);
  await finds(page.getByText("You are signed in to Landline."));
}

test("the built-in agent gets a model on the first run, before it was ever started", async () => {
  const gateway = await stage().gateway({});
  const page = await stage().page(gateway, { hash: "#/" });
  await page.getByRole("button", { name: "give it a model…" }).click();
  await enterKey(page);
  const stored = path.join(gateway.folder, ".config/landline/agent-credentials.json");
  expect(await fs.readFile(stored, "utf8")).toContain(KEY);
  // The explanation of the demo is gone.
  await loses(page.getByRole("region", { name: "The built-in agent" }));
  await startWith(page, "Landline");
  await finds(page.getByRole("button", { name: /^Model: Claude/ }));
});

test("a session with the demo continues with a model after sign-in from the model menu", async () => {
  const gateway = await stage().gateway({});
  const page = await stage().page(gateway, { hash: "#/" });
  await startWith(page, "Landline", "help");
  await sees(page, /A real model is one of these away/);
  await page.getByRole("button", { name: "Model: Demo (no AI)" }).click();
  await page.getByRole("menuitem", { name: "Sign in for more models…" }).click();
  await enterKey(page);
  await finds(page.getByRole("button", { name: /^Model: Claude/ }));
});

test("every agent can be signed in to from the settings and from its session", async () => {
  const gateway = await stage().gateway({ agents: { scripted: scenario("sign-in") } });
  const page = await stage().page(gateway, { hash: "#/settings/agents" });
  await page.getByRole("button", { name: "Sign in to Scripted" }).click();
  const dialog = page.getByRole("dialog", { name: "Sign in to Scripted" });
  await dialog.getByRole("button", { name: /your account/ }).click();
  await loses(dialog);
  const sessionId = await gateway.open();
  await page.goto(`${gateway.origin}/#/s/${sessionId}`);
  await page.getByRole("button", { name: "Conversation menu" }).click();
  await page.getByRole("menuitem", { name: "Sign in to Scripted…" }).click();
  await finds(dialog.getByRole("button", { name: /your account/ }));
});

test("after sign-out in the settings, the session says what to do and continues after sign-in", async () => {
  const gateway = await stage().gateway({ agents: { scripted: scenario("sign-in") } });
  const page = await stage().page(gateway, { hash: "#/settings/agents" });
  const signIn = page.getByRole("button", { name: "Sign in to Scripted" });
  const chooseAccount = async () => {
    await presses(page.getByRole("button", { name: /with your account/ }));
    // The notice of the first sign-in may still be visible.
    await loses(page.getByRole("dialog", { name: "Sign in to Scripted" }));
    await finds(page.getByText("You are signed in to Scripted."));
  };
  await signIn.click();
  await chooseAccount();
  const sessionId = await gateway.open();
  await gateway.promptUntil(sessionId, "hello");
  const signOut = page.getByRole("button", { name: "Sign out of Scripted" });
  const dialog = page.getByRole("dialog", { name: "Sign out of Scripted?" });
  await presses(signOut);
  await finds(dialog.getByText(/Scripted can't answer until someone signs in again/));
  await page.keyboard.press("Enter");
  await loses(dialog);
  await comes(() => signOut.evaluate((button) => document.activeElement === button)).toBe(true);
  await page.keyboard.press("Enter");
  await presses(dialog.getByRole("button", { name: "Sign out" }));
  await loses(dialog);
  await finds(page.getByText("You are signed out of Scripted."));
  await loses(signOut);
  await comes(() => signIn.evaluate((button) => document.activeElement === button)).toBe(true);

  await page.goto(`${gateway.origin}/#/s/${sessionId}`);
  await say(page, "are you there");
  await sees(page, /Scripted wants you to sign in first/);
  await presses(thread(page).getByRole("button", { name: "Sign in" }).last());
  await chooseAccount();
  const { lastTurn } = await gateway.promptUntil(sessionId, "and now");
  expect(lastTurn?.stopReason).toBe("end_turn");
});

test("the stored keys of the built-in agent are shown before it was ever started, and deleted", async () => {
  const gateway = await stage().gateway({});
  const folder = path.join(gateway.folder, ".config/landline");
  const stored = path.join(folder, "agent-credentials.json");
  await fs.mkdir(folder, { recursive: true });
  const keys = { anthropic: KEY, openai: `${KEY}-2` };
  await fs.writeFile(stored, JSON.stringify({ version: 1, keys }), { mode: 0o600 });
  const page = await stage().page(gateway, { hash: "#/settings/agents" });
  await finds(page.getByText("Stored keys: Anthropic, OpenAI"));
  await presses(page.getByRole("button", { name: "Sign out of Landline" }));
  const dialog = page.getByRole("dialog", { name: "Sign out of Landline?" });
  await finds(dialog.getByText(/keys of Anthropic and OpenAI are all deleted/));
  await finds(dialog.getByText("landline agent logout PROVIDER"));
  await dialog.getByRole("button", { name: "Sign out" }).click();
  await finds(page.getByText("You are signed out of Landline."));
  await finds(page.getByText("No keys"));
  expect(await fs.readFile(stored, "utf8")).not.toContain(KEY);
  expect(await page.content()).not.toContain(KEY);
});

test("a sign-in that was left and reopened ends like any other", async () => {
  const gateway = await stage().gateway({ agents: { scripted: scenario("sign-in") } });
  const page = await stage().page(gateway, { hash: "#/settings/agents" });
  const begin = page.getByRole("button", { name: "Sign in to Scripted" });
  await begin.click();
  const dialog = page.getByRole("dialog", { name: "Sign in to Scripted" });
  await dialog.getByRole("button", { name: /Enter a key/ }).click();
  await finds(dialog.getByLabel(/^Key/));
  await dialog.getByRole("button", { name: "Close" }).click();
  await loses(dialog);
  await begin.click();
  await dialog.getByLabel(/^Key/).fill("1234");
  await answers(dialog.getByRole("button", { name: "Continue" }));
  await finds(page.getByText("You are signed in to Scripted."));
  await loses(dialog);
});

test("the sign-in terminal follows the colours of the page", async () => {
  const gateway = await stage().gateway({ agents: { scripted: scenario("sign-in") } });
  const page = await stage().page(gateway, { hash: "#/settings/agents" });
  await page.getByRole("button", { name: "Sign in to Scripted" }).click();
  await page.getByRole("button", { name: /in a terminal/ }).click();
  const section = page.getByRole("region", { name: "Terminal of the sign-in" });
  await finds(section.getByText(/Code:/));
  const shown = () =>
    section.evaluate((element) => {
      const colourOf = (found: Element | null) => found && getComputedStyle(found).backgroundColor;
      return [
        colourOf(element.firstElementChild),
        colourOf(element.querySelector(".xterm-scrollable-element")),
      ];
    });
  const [light, screen] = await shown();
  expect(screen).toBe(light);
  await page.emulateMedia({ colorScheme: "dark" });
  await comes(async () => (await shown())[1]).not.toBe(light);
  const [dark, after] = await shown();
  expect(after).toBe(dark);
});
