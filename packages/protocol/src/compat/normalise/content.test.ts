import { describe, expect, test } from "vitest";
import { normaliseBlock, normaliseBlocks } from "./content.ts";
import { Hits } from "./hits.ts";

describe("a link without a name", () => {
  test.each([
    ["file:///repo/src/main.ts", "main.ts"],
    ["file:///repo/src/", "src"],
    ["https://example.com/a/b.md?x=/y#z", "b.md"],
    ["https://example.com", "example.com"],
    ["notes.txt", "notes.txt"],
    ["file:///", "file:///"],
    ["", ""],
  ])("%s gets the name %s", (uri, name) => {
    expect(normaliseBlock({ type: "resource_link", uri })).toEqual({
      type: "resource_link",
      uri,
      name,
    });
  });

  test("without a URI it stays unchanged", () => {
    const link = { type: "resource_link" };
    expect(normaliseBlock(link)).toBe(link);
  });
});

describe("an image without data", () => {
  test("becomes a link, with its other fields", () => {
    const hits = new Hits();
    const image = { type: "image", uri: "file:///a/shot.png", mimeType: "image/png", _meta: {} };
    expect(normaliseBlock(image, hits)).toEqual({
      type: "resource_link",
      uri: "file:///a/shot.png",
      name: "shot.png",
      mimeType: "image/png",
      _meta: {},
    });
    expect(hits.entries()).toEqual([["content-image-link", 1]]);
  });

  test.each([{ type: "image" }, { type: "image", data: "", uri: "x", mimeType: "" }])(
    "%j stays",
    (image) => {
      expect(normaliseBlock(image)).toBe(image);
    },
  );
});

test("an unchanged list is the same object; otherwise it is copied once", () => {
  const conforming = [{ type: "text", text: "a" }, "not a block", null];
  expect(normaliseBlocks(conforming)).toBe(conforming);
  const mixed = [
    { type: "text", text: "a" },
    { type: "resource_link", uri: "x" },
  ];
  const result = normaliseBlocks(mixed) as unknown[];
  expect(result[0]).toBe(mixed[0]);
  expect(mixed[1]).not.toHaveProperty("name");
  expect(result[1]).toHaveProperty("name", "x");
});
