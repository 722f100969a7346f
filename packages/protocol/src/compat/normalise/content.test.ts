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
  ])("%s is called %s", (uri, name) => {
    expect(normaliseBlock({ type: "resource_link", uri })).toEqual({
      type: "resource_link",
      uri,
      name,
    });
  });

  test("without an address too it stays", () => {
    const link = { type: "resource_link" };
    expect(normaliseBlock(link)).toBe(link);
  });
});

describe("an image without data", () => {
  test("is a link, with what else it has", () => {
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

test("a list without anything to do is the same list, and is copied once otherwise", () => {
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
