import type { Block } from "@landline/protocol";
import { expect, test } from "vitest";
import { blocksOf, attachmentSummary, isEmpty, textOfBlocks, withText } from "./prompt-blocks.ts";

const link: Block = { type: "resource_link", name: "a.ts", uri: "file:///repo/a.ts" };
const image: Block = { type: "image", data: "AA", mimeType: "image/png" };

test("text first, then mentions, then attachments", () => {
  const attachments = [
    { id: "1", name: "x", mimeType: "image/png", bytes: 1, kind: "image", data: "AA" } as const,
  ];
  const mentions = [
    { name: "a.ts", path: "/repo/a.ts" },
    { name: "gone.ts", path: "/repo/gone.ts" },
  ];
  expect(blocksOf({ text: " Look at @a.ts \n", mentions, attachments }, null)).toEqual([
    { type: "text", text: "Look at @a.ts" },
    link,
    image,
  ]);
  expect(isEmpty({ text: " \n", mentions, attachments: [] })).toBe(true);
  expect(isEmpty({ text: "", mentions, attachments })).toBe(false);
});

test("new text keeps the attachments and drops links that it no longer names", () => {
  const content: readonly Block[] = [{ type: "text", text: "See @a.ts" }, link, image];
  expect(withText(content, "See @a.ts again")).toEqual([
    { type: "text", text: "See @a.ts again" },
    link,
    image,
  ]);
  expect(withText(content, "Never mind")).toEqual([{ type: "text", text: "Never mind" }, image]);
  expect(withText(content, "")).toEqual([image]);
  // A link that the text never named is kept.
  expect(withText([{ type: "text", text: "x" }, link], "y")).toEqual([
    { type: "text", text: "y" },
    link,
  ]);
});

test("text that is stored as a blob can't be edited", () => {
  const blob = { $blob: "hash", bytes: 1 };
  expect(textOfBlocks([{ type: "text", text: "", blob }])).toBeNull();
  expect(textOfBlocks([{ type: "text", text: "a" }, image, { type: "text", text: "b" }])).toBe(
    "a\n\nb",
  );
});

test("counts the attachments", () => {
  expect(attachmentSummary([{ type: "text", text: "a" }])).toBe("");
  expect(attachmentSummary([image, image, link])).toBe("2 images, 1 link");
});
