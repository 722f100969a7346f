import { describe, expect, it } from "vitest";
import { blocksText, blockText, textOf, toolContentText } from "./block-text.ts";

describe("content as text", () => {
  it.each<[string, unknown, string]>([
    ["text", { type: "text", text: "Hi" }, "Hi"],
    ["an image", { type: "image", data: "AA==", mimeType: "image/png" }, "[image: image/png]"],
    ["a sound", { type: "audio", data: "AA==", mimeType: "audio/wav" }, "[audio: audio/wav]"],
    ["a link", { type: "resource_link", name: "a", uri: "file:///a" }, "[a](file:///a)"],
    ["a titled link", { type: "resource_link", name: "a", title: "A", uri: "u:a" }, "[A](u:a)"],
    ["a file", { type: "resource", resource: { uri: "file:///a", text: "in it" } }, "in it"],
    [
      "a binary file",
      { type: "resource", resource: { uri: "u:b", blob: "AA==" } },
      "[resource: u:b]",
    ],
    ["a broken file", { type: "resource" }, "[resource]"],
    ["another block", { type: "smell" }, "[content: smell]"],
    ["a block without a type", {}, "[content]"],
    ["a long text", { type: "text", text: { $blob: "abc", bytes: 9 } }, "[blob: abc]"],
    ["a bare string", "Hi", "Hi"],
    ["nothing", null, ""],
  ])("%s", (_what, block, text) => {
    expect(blockText(block)).toBe(text);
  });

  it("puts each block on its own line", () => {
    expect(
      blocksText([
        { type: "text", text: "a" },
        { type: "text", text: "b" },
      ]),
    ).toBe("a\nb");
    expect(blocksText("plain")).toBe("plain");
  });

  it("reads the content of a tool call in any form", () => {
    expect(toolContentText([null, { type: "odd" }, { type: "diff" }])).toBe(
      "\n[content: odd]\n[diff]",
    );
    expect(toolContentText("none")).toBe("");
    expect(textOf(5)).toBe("");
  });
});
