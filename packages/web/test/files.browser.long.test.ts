import { expect, test } from "vitest";
import type { Page } from "playwright-core";
import { useStage } from "./browser-setup.ts";
import { beep, dot, dragOver, fileOf, pasteFile, sentAndGot } from "./files.ts";
import { isIdle, scenario } from "./gateway.ts";
import { field, finds, loses, presses, say, sees, thread } from "./page-actions.ts";

const stage = useStage();
const attached = (page: Page) => page.getByRole("list", { name: "Attached" });

async function pageOf(name: "files" | "words") {
  const gateway = await stage().gateway({ agents: { scripted: scenario(name) } });
  const sessionId = await gateway.open();
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}` });
  // The agent's capabilities are known by then.
  await finds(page.getByText("Say what to do below."));
  return { gateway, sessionId, page };
}

test("a dropped image and text file are shown, sent and received by the agent", async () => {
  const { gateway, sessionId, page } = await pageOf("files");
  const files = [
    await fileOf(gateway, "dot.png", Buffer.from(dot, "base64")),
    await fileOf(gateway, "notes.txt", "Remember the milk.\n"),
  ];
  const held = await dragOver(page, field(page), files);
  await finds(page.getByPlaceholder("Drop files here"));
  await held.drop();
  await loses(page.getByPlaceholder("Drop files here"));
  const chips = attached(page).getByRole("listitem");
  await finds(chips.filter({ hasText: "dot.png" }));
  await finds(chips.filter({ hasText: "notes.txt" }).getByText("19 bytes"));
  expect(await chips.count()).toBe(2);

  await say(page, "Look at these");
  await sees(page, "You said: Look at these");
  await loses(attached(page));
  await finds(thread(page).getByRole("img"));
  const { sent, got } = await sentAndGot(gateway, sessionId);
  const blocks = [
    { type: "text", text: "Look at these" },
    { type: "image", mimeType: "image/png", data: dot },
    {
      type: "resource",
      resource: {
        uri: "attachment:notes.txt",
        mimeType: "text/plain",
        text: "Remember the milk.\n",
      },
    },
  ];
  expect(sent).toMatchObject(blocks);
  expect(got).toEqual(blocks);
});

test("files can be dropped anywhere on the page", async () => {
  const { gateway, page } = await pageOf("files");
  const file = await fileOf(gateway, "notes.txt", "Remember the milk.\n");
  const held = await dragOver(page, thread(page), [file]);
  await held.drop();
  await finds(attached(page).getByText("notes.txt"));
  expect(await attached(page).getByRole("listitem").count()).toBe(1);
});

test("a photo of six megabytes is sent; a file that is too large or not text is rejected with a message", async () => {
  const { gateway, sessionId, page } = await pageOf("files");
  const photo = Buffer.concat([Buffer.from(dot, "base64"), Buffer.alloc(6_000_000)]);
  const files = [
    await fileOf(gateway, "film.txt", Buffer.alloc(46_000_000, "x")),
    await fileOf(gateway, "program", Buffer.from([0, 1, 2, 255])),
    await fileOf(gateway, "photo.png", photo),
  ];
  const held = await dragOver(page, field(page), files);
  await held.drop();
  await finds(page.getByText("film.txt has 46 MB; at most 45 MB can be sent."));
  await finds(page.getByText(/^program is not an image, audio or text file\./));
  await finds(attached(page).getByText("photo.png"));
  expect(await attached(page).getByRole("listitem").count()).toBe(1);
  await say(page, "See my photo");
  await sees(page, "A nice photo.");
  await loses(attached(page));
  const { items } = await gateway.until(sessionId, isIdle);
  const prompt = items.find((item) => item.type === "prompt");
  expect(prompt?.content).toMatchObject([
    { type: "text" },
    { type: "image", mimeType: "image/png" },
  ]);
});

test("pasted or chosen audio is shown, sent and received by the agent", async () => {
  const { gateway, sessionId, page } = await pageOf("files");
  await pasteFile(field(page), { name: "pasted.wav", type: "audio/wav", base64: beep });
  await finds(attached(page).getByText("pasted.wav"));
  const choosing = page.waitForEvent("filechooser");
  await presses(page.getByRole("button", { name: "Attach files" }));
  const file = await fileOf(gateway, "chosen.wav", Buffer.from(beep, "base64"));
  await (await choosing).setFiles(file);
  await finds(attached(page).getByText("chosen.wav"));

  await say(page, "Listen");
  await sees(page, "You said: Listen");
  await expect.poll(() => thread(page).locator("audio").count()).toBe(2);
  const { sent, got } = await sentAndGot(gateway, sessionId);
  const sound = { type: "audio", data: beep, mimeType: expect.stringMatching(/^audio\/(x-)?wav$/) };
  expect(sent).toMatchObject([{ text: "Listen" }, sound, sound]);
  expect(got).toMatchObject([{ text: "Listen" }, sound, sound]);
});

test("an agent that accepts only text gets no audio or image, and the page says so; a text file is inlined", async () => {
  const { gateway, sessionId, page } = await pageOf("words");
  await pasteFile(field(page), { name: "pasted.wav", type: "audio/wav", base64: beep });
  await finds(page.getByText("This agent does not accept audio, so pasted.wav was not attached."));
  const files = [
    await fileOf(gateway, "dropped.wav", Buffer.from(beep, "base64")),
    await fileOf(gateway, "dot.png", Buffer.from(dot, "base64")),
    await fileOf(gateway, "notes.txt", "Remember the milk.\n"),
  ];
  const held = await dragOver(page, field(page), files);
  await held.drop();
  await finds(page.getByText("This agent does not accept audio, so dropped.wav was not attached."));
  await finds(page.getByText("This agent does not accept images, so dot.png was not attached."));
  await finds(attached(page).getByText("notes.txt"));
  expect(await attached(page).getByRole("listitem").count()).toBe(1);

  await say(page, "Read it");
  await sees(page, "You said: Read it");
  const { sent, got } = await sentAndGot(gateway, sessionId);
  const blocks = [
    { type: "text", text: "Read it" },
    { type: "text", text: "notes.txt:\n\n```\nRemember the milk.\n```" },
  ];
  expect(sent).toMatchObject(blocks);
  expect(got).toEqual(blocks);
});
