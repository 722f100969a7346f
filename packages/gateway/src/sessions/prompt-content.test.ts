import type { ContentBlock } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { promptFor } from "./prompt-content.ts";

const text: ContentBlock = { type: "text", text: "Look" };
const resource = (uri: string): ContentBlock => ({
  type: "resource",
  resource: { uri, mimeType: "text/plain", text: "inside" },
});

test("an agent that accepts embedded resources receives the prompt unchanged", () => {
  const prompt = [text, resource("file:///a.txt")];
  expect(promptFor({ promptCapabilities: { embeddedContext: true } }, prompt)).toBe(prompt);
});

test("another agent receives a link to a file, and other resources as text", () => {
  expect(promptFor({}, [text, resource("file:///x/a%20b.txt"), resource("note://1")])).toEqual([
    text,
    { type: "resource_link", name: "a b.txt", uri: "file:///x/a%20b.txt", mimeType: "text/plain" },
    { type: "text", text: "note://1:\n\ninside" },
  ]);
});

test("a URI that can't be decoded is used as a name", () => {
  expect(promptFor({}, [resource("file:///%E0%A4%A")])).toMatchObject([{ type: "resource_link" }]);
});
