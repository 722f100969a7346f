import type { ContentBlock } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { promptFor } from "./prompt-content.ts";

const text: ContentBlock = { type: "text", text: "Look" };
const resource = (uri: string): ContentBlock => ({
  type: "resource",
  resource: { uri, mimeType: "text/plain", text: "inside" },
});

test("an agent that takes embedded resources gets the very prompt", () => {
  const prompt = [text, resource("file:///a.txt")];
  expect(promptFor({ promptCapabilities: { embeddedContext: true } }, prompt)).toBe(prompt);
});

test("one that does not gets a link to a file, and other resources as text", () => {
  expect(promptFor({}, [text, resource("file:///x/a%20b.txt"), resource("note://1")])).toEqual([
    text,
    { type: "resource_link", name: "a b.txt", uri: "file:///x/a%20b.txt", mimeType: "text/plain" },
    { type: "text", text: "note://1:\n\ninside" },
  ]);
});

test("an address that can't be decoded is a name too", () => {
  expect(promptFor({}, [resource("file:///%E0%A4%A")])).toMatchObject([{ type: "resource_link" }]);
});
