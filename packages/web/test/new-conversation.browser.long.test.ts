import { expect, test } from "vitest";
import type { Page } from "playwright-core";
import { accessibilityViolations } from "./accessibility.ts";
import { comes, useStage } from "./browser-setup.ts";
import { dot, dragOver, fileOf, pasteFile, sentAndGot } from "./files.ts";
import { isIdle, scenario, type TestGateway } from "./gateway.ts";
import {
  choosesAgent,
  field,
  finds,
  loses,
  presses,
  sees,
  startWith,
  thread,
} from "./page-actions.ts";

const stage = useStage();
const picture = { name: "dot.png", type: "image/png", base64: dot };
const attached = (page: Page) => page.getByRole("list", { name: "Attached" });
const first = (page: Page) => page.getByRole("textbox", { name: "What should it do?" });

async function choose(page: Page, menu: RegExp, choice: string): Promise<void> {
  await presses(page.getByRole("button", { name: menu }));
  await presses(page.getByRole("menuitemradio", { name: choice }));
}

async function begun(page: Page): Promise<string> {
  await page.waitForURL(/#\/s\//);
  return /#\/s\/(.+)$/.exec(page.url())?.[1] ?? "";
}

async function pageOf(name: "files" | "words" | "work") {
  const gateway = await stage().gateway({ agents: { scripted: scenario(name) } });
  const page = await stage().page(gateway, { hash: "#/" });
  await finds(first(page));
  return { gateway, page };
}

const promptsOf = async (gateway: TestGateway, sessionId: string) =>
  (await gateway.view(sessionId)).items.filter(({ type }) => type === "prompt");

test("an image pasted into the new-session form reaches the agent once, with the text", async () => {
  const { gateway, page } = await pageOf("files");
  await pasteFile(first(page), picture);
  await presses(page.getByRole("button", { name: "Remove dot.png" }));
  await loses(attached(page));
  await pasteFile(first(page), picture);
  await finds(attached(page).getByText("dot.png"));
  await startWith(page, "Scripted", "Look at this");
  await sees(page, "You said: Look at this");
  await finds(thread(page).getByRole("img"));
  const sessionId = await begun(page);
  const { got } = await sentAndGot(gateway, sessionId);
  expect(got).toEqual([
    { type: "text", text: "Look at this" },
    { type: "image", mimeType: "image/png", data: dot },
  ]);
  expect(await promptsOf(gateway, sessionId)).toHaveLength(1);
  expect(await field(page).inputValue()).toBe("");
  expect(await attached(page).count()).toBe(0);
});

test("the draft and folder of a new session survive a reload", async () => {
  const { gateway, page } = await pageOf("work");
  await first(page).pressSequentially("Read @acc");
  await presses(page.getByRole("option", { name: /account\.ts/ }));
  await choosesAgent(page, "Scripted");
  await page.reload();
  await comes(() => first(page).inputValue()).toBe("Read @src/account.ts ");
  await finds(page.getByRole("button", { name: "Agent: Scripted" }));
  await first(page).press("Enter");
  const sessionId = await begun(page);
  const view = await gateway.until(sessionId, ({ lastTurn }) => lastTurn !== null);
  const prompt = view.items.find((item) => item.type === "prompt");
  expect(prompt?.content).toContainEqual(
    expect.objectContaining({
      type: "resource_link",
      uri: expect.stringMatching(/^file:\/\/.*\/src\/account\.ts$/),
    }),
  );
  // It was sent: the next form is empty.
  await page.goto(`${gateway.origin}/#/`);
  await finds(first(page));
  expect(await first(page).inputValue()).toBe("");
});

test("with an agent that accepts no images, text and image stay in the composer, which says why", async () => {
  const { gateway, page } = await pageOf("words");
  await pasteFile(first(page), picture);
  await finds(attached(page));
  await startWith(page, "Scripted", "Look at this");
  const sessionId = await begun(page);
  await finds(
    page.getByText("This agent does not accept images. Remove dot.png to send the rest."),
  );
  expect(await field(page).inputValue()).toBe("Look at this");
  await finds(attached(page).getByText("dot.png"));
  expect(await page.getByRole("button", { name: "Send" }).isDisabled()).toBe(true);
  expect(await promptsOf(gateway, sessionId)).toEqual([]);
  expect(await accessibilityViolations(page)).toEqual([]);
  await presses(page.getByRole("button", { name: "Remove dot.png" }));
  await presses(page.getByRole("button", { name: "Send" }));
  await sees(page, "You said: Look at this");
  await gateway.until(sessionId, isIdle);
  expect(await promptsOf(gateway, sessionId)).toHaveLength(1);
});

test("the last chosen model and effort are used again, a mode is not, and one click restores the default", async () => {
  const { gateway, page } = await pageOf("work");
  await startWith(page, "Scripted");
  await begun(page);
  await choose(page, /^mode:/i, "Edit freely");
  await finds(page.getByRole("button", { name: "Mode: Edit freely" }));
  await choose(page, /^effort:/i, "High");
  await finds(page.getByRole("button", { name: "Effort: High" }));
  await choose(page, /^model:/i, "Large 4");
  await finds(page.getByRole("button", { name: "Model: Large 4" }));

  // On another device of the same person.
  const { token } = await gateway.device("Phone", "control");
  const phone = await stage().page(gateway, { hash: "#/", token });
  await choosesAgent(phone, "Scripted");
  await finds(phone.getByText("with Large 4, High"));
  await first(phone).fill("Which model is this?");
  await presses(phone.getByRole("button", { name: "Start" }));
  await sees(phone, "I am large, my effort is high, my mode is ask.");

  await page.goto(`${gateway.origin}/#/`);
  await presses(page.getByRole("button", { name: /^Use the default/ }));
  await loses(page.getByText(/^with /));
  await first(page).fill("Which model is this?");
  await first(page).press("Enter");
  await sees(page, "I am small, my effort is medium, my mode is ask.");
});

test("dropped files go to the form over a session, which can be closed and reopened", async () => {
  const gateway = await stage().gateway({ agents: { scripted: scenario("files") } });
  const page = await stage().page(gateway, { hash: `#/s/${await gateway.open()}` });
  await finds(field(page));
  await presses(page.getByRole("button", { name: "New conversation" }).first());
  const dialog = page.getByRole("dialog", { name: "New conversation" });
  await finds(dialog);
  const file = await fileOf(gateway, "notes.txt", "Remember the milk.\n");
  const held = await dragOver(page, first(page), [file]);
  await finds(dialog.getByPlaceholder("Drop files here"));
  await held.drop();
  await finds(dialog.getByText("notes.txt"));
  await page.keyboard.type("Read");
  await page.keyboard.press("Escape");
  await loses(dialog);
  expect(await attached(page).count()).toBe(0);
  // Both are there when it is opened again.
  await presses(page.getByRole("button", { name: "New conversation" }).first());
  await finds(dialog.getByText("notes.txt"));
  await page.keyboard.type(" these");
  expect(await first(page).inputValue()).toBe("Read these");
});
