import { expect, test } from "vitest";
import type { Page } from "playwright-core";
import { useStage } from "./browser-setup.ts";
import { dot, pasteFile } from "./files.ts";
import { isIdle, scenario } from "./gateway.ts";
import { field, finds, loses, presses, say, sees, thread } from "./page-actions.ts";

const stage = useStage();
const picture = { name: "dot.png", type: "image/png", base64: dot };
const work = { agents: { scripted: scenario("work") } };

async function choose(page: Page, menu: RegExp, choice: string): Promise<void> {
  await presses(page.getByRole("button", { name: menu }));
  await presses(page.getByRole("menuitemradio", { name: choice }));
}

test("mode, model and options are changed in the composer", async () => {
  const gateway = await stage().gateway(work);
  const sessionId = await gateway.open();
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}` });
  await choose(page, /^mode:/i, "Plan only");
  await finds(page.getByRole("button", { name: "Mode: Plan only" }));
  await choose(page, /^model:/i, "Large 4");
  await finds(page.getByRole("button", { name: "Model: Large 4" }));
  await choose(page, /^effort:/i, "High");
  await finds(page.getByRole("button", { name: "Effort: High" }));
  await presses(page.getByRole("switch", { name: "Web search" }));
  const view = await gateway.until(sessionId, ({ configOptions }) =>
    JSON.stringify(configOptions).includes('"currentValue":true'),
  );
  expect(view.modes?.currentModeId).toBe("plan");
  const values = view.configOptions?.map(({ id, currentValue }) => [id, currentValue]);
  expect(Object.fromEntries(values ?? [])).toMatchObject({ model: "large", effort: "high" });

  // A rejected choice is reverted and explained.
  await choose(page, /^model:/i, "Huge 4");
  await finds(page.getByText("The huge model is not there today."));
  await finds(page.getByRole("button", { name: "Model: Large 4" }));
});

test("a slash lists the agent's commands, and the keyboard completes one", async () => {
  const gateway = await stage().gateway(work);
  const sessionId = await gateway.open();
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}` });
  await field(page).pressSequentially("/re");
  await finds(page.getByRole("option", { name: /review/ }));
  await finds(page.getByRole("option", { name: /release/ }));
  expect(await page.getByRole("option").count()).toBe(2);
  await field(page).press("ArrowDown");
  await field(page).press("Enter");
  expect(await field(page).inputValue()).toBe("/release ");
  await loses(page.getByRole("option"));
  await field(page).press("Enter");
  await sees(page, /You said: \/release/);
});

test("an @ lists the files of the project; the chosen one is sent as a link", async () => {
  const gateway = await stage().gateway(work);
  const sessionId = await gateway.open();
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}` });
  await field(page).pressSequentially("Look at @acc");
  await presses(page.getByRole("option", { name: /account\.ts/ }));
  expect(await field(page).inputValue()).toContain("account.ts");
  await presses(page.getByRole("button", { name: "Send" }));
  await sees(page, /You said: Look at/);
  const view = await gateway.until(sessionId, isIdle);
  const prompt = view.items.find((item) => item.type === "prompt");
  expect(prompt?.content).toContainEqual(
    expect.objectContaining({
      type: "resource_link",
      uri: expect.stringMatching(/^file:\/\/.*\/src\/account\.ts$/),
    }),
  );
});

test("an image is pasted, previewed and sent", async () => {
  const gateway = await stage().gateway(work);
  const sessionId = await gateway.open();
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}` });
  await field(page).focus();
  await pasteFile(field(page), picture);
  const remove = page.getByRole("button", { name: /remove/i });
  await finds(remove);
  await remove.click();
  await loses(remove);
  await pasteFile(field(page), picture);
  await finds(remove);
  await say(page, "What is in this picture?");
  await sees(page, "You said: What is in this picture?");
  await finds(thread(page).getByRole("img"));
  const view = await gateway.until(sessionId, isIdle);
  const prompt = view.items.find((item) => item.type === "prompt");
  expect(prompt?.content).toContainEqual(
    expect.objectContaining({ type: "image", mimeType: "image/png" }),
  );
});

test("Enter sends, Shift+Enter inserts a line break, and a draft survives a reload", async () => {
  const gateway = await stage().gateway(work);
  const sessionId = await gateway.open();
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}` });
  await field(page).pressSequentially("first line");
  await field(page).press("Shift+Enter");
  await field(page).pressSequentially("second line");
  await page.reload();
  await expect.poll(() => field(page).inputValue()).toBe("first line\nsecond line");
  await field(page).press("Enter");
  await sees(page, /You said: first line/);
  expect(await field(page).inputValue()).toBe("");
});

test("the palette and the shortcut list contain all actions", async () => {
  const gateway = await stage().gateway(work);
  const sessionId = await gateway.open();
  await gateway.promptUntil(sessionId, "Why can the login be guessed?");
  const page = await stage().page(gateway, { hash: "#/" });
  await finds(page.getByRole("navigation", { name: "Conversations" }).getByRole("link"));
  await page.keyboard.press("Control+k");
  const palette = page.getByRole("dialog").getByRole("combobox");
  await palette.fill("too fast");
  await presses(page.getByRole("option", { name: /Secrets are compared too fast/ }).first());
  await sees(page, "Three things are wrong there:");
  await field(page).blur();
  await page.keyboard.press("?");
  await finds(page.getByRole("dialog", { name: /shortcuts/i }));
  await page.keyboard.press("Escape");
  await loses(page.getByRole("dialog"));
});
