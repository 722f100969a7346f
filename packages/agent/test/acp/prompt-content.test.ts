import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { ContentBlock } from "@agentclientprotocol/sdk";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readPrompt } from "../../src/acp/prompt-content.ts";
import { promptLimits } from "../../src/limits.ts";
import { textHash } from "../../src/workspace/file-text.ts";
import { openWorkspace } from "../../src/workspace/open-workspace.ts";

let cwd: string;
beforeEach(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), "landline-prompt-")));
  await writeFile(join(cwd, "a.txt"), "one\ntwo\nthree\n");
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

async function read(...content: unknown[]): Promise<unknown[]> {
  await using workspace = openWorkspace({ client: null, sessionId: "s", cwd, directories: [] });
  const { signal } = new AbortController();
  return readPrompt(content as ContentBlock[], workspace, signal);
}

async function textOf(block: unknown): Promise<string> {
  const [part] = (await read(block)) as { text: string }[];
  return part?.text ?? "";
}

const link = (uri: string, more: object = {}) => ({
  type: "resource_link",
  name: "a",
  uri,
  ...more,
});

test("text stays text, and images keep their position", async () => {
  const picture = { type: "image", data: "AAAA", mimeType: "image/png" };
  expect(await read({ type: "text", text: "hi" }, picture)).toEqual([
    { type: "text", text: "hi" },
    { type: "block", index: 1 },
  ]);
});

test("content for the user only is not sent to the model", async () => {
  const aside = { type: "text", text: "psst", annotations: { audience: ["user"] } };
  expect(await read(aside, { type: "text", text: "hi", annotations: { audience: [] } })).toEqual([
    { type: "text", text: "hi" },
  ]);
});

test("credentials and links to the outside are left to the read tool, which asks", async () => {
  await writeFile(join(cwd, ".env"), "KEY=classified\n");
  await symlink(".env", join(cwd, "settings"));
  const outside = await realpath(await mkdtemp(join(tmpdir(), "landline-outside-")));
  try {
    await writeFile(join(outside, "notes.txt"), "classified\n");
    await symlink(outside, join(cwd, "linked"));
    for (const name of [".env", "settings", "linked/notes.txt"]) {
      const [part] = await read(link(pathToFileURL(join(cwd, name)).href));
      expect(part).toEqual({ type: "text", text: expect.stringContaining("(not shown: ") });
      expect(JSON.stringify(part)).not.toContain("classified");
    }
    // A file outside that the person names is their own choice.
    expect(await textOf(link(join(outside, "notes.txt")))).toContain("classified");
  } finally {
    await rm(outside, { recursive: true });
  }
});

test("content that is too large is named in its position", async () => {
  const data = "A".repeat(Math.ceil((promptLimits.attachmentBytes * 4) / 3) + 4);
  expect(await textOf({ type: "image", data, mimeType: "image/png" })).toContain(
    "larger than 5 MiB",
  );
  await writeFile(join(cwd, "big.txt"), "x".repeat(promptLimits.linkedFileBytes + 1));
  expect(await textOf(link(join(cwd, "big.txt")))).toContain("read the parts you need");
});

test("resources are inserted with their path", async () => {
  const uri = `${pathToFileURL(join(cwd, "a.txt")).href}#L2:3`;
  const resource = { uri, text: "two\nthree" };
  expect(await textOf({ type: "resource", resource })).toBe(`[${cwd}/a.txt:2]\ntwo\nthree`);
  const blob = { type: "resource", resource: { uri, blob: "AAAA", mimeType: "application/pdf" } };
  expect(await read(blob)).toEqual([{ type: "block", index: 0 }]);
});

test.each([
  ["a path", (path: string) => path, "one\ntwo\nthree\n"],
  ["an address", (path: string) => pathToFileURL(path).href, "one\ntwo\nthree\n"],
  ["a line", (path: string) => `${pathToFileURL(path).href}#L2`, "two"],
  ["lines", (path: string) => `${pathToFileURL(path).href}#L2-L3`, "two\nthree"],
  [
    "an editor's own",
    (path: string) => `zed:///agent/file?path=${encodeURIComponent(path)}`,
    "one",
  ],
])("a link that is %s is read", async (_what, uri, expected) => {
  const path = join(cwd, "a.txt");
  const text = await textOf(link(uri(path)));
  expect(text.startsWith(`[${path}`)).toBe(true);
  expect(text).toContain(expected);
});

test("content that cannot be read is reported, and fails nothing", async () => {
  await mkdir(join(cwd, "folder"));
  await writeFile(join(cwd, "bytes"), Buffer.from([0, 1, 2, 0]));
  expect(await textOf(link(join(cwd, "folder")))).toContain("(a folder)");
  expect(await textOf(link(join(cwd, "none")))).toContain("could not be read");
  expect(await textOf(link(join(cwd, "bytes")))).toContain("could not be read");
  expect(await textOf(link("zed:///agent/thread/1", { title: "A thread" }))).toContain("A thread");
  expect(await textOf(link("https://example.com"))).toContain("https://example.com");
  expect(await textOf(link("file://elsewhere/x"))).not.toBe("");
  expect(await textOf({ type: "hologram" })).toContain("does not support");
});

test("a file's text is recorded as read, a part of it as a part", async () => {
  const path = join(cwd, "a.txt");
  const { href } = pathToFileURL(path);
  const hash = textHash("one\ntwo\nthree\n");
  const whole = { path, hash, lines: { first: 1, last: 3, total: 3 } };
  expect(await read(link(href), link(`${href}#L2-3`))).toMatchObject([
    { file: whole },
    { file: { path, hash, lines: { first: 2, last: 3, total: 3 } } },
  ]);
  const embedded = (uri: string, text: string) => ({ type: "resource", resource: { uri, text } });
  expect(await read(embedded(href, "\uFEFFone\ntwo\nthree\n"))).toMatchObject([{ file: whole }]);
  // A part says nothing about the rest of the file.
  const [part] = await read(embedded(`${href}#L2`, "two"));
  expect(part).not.toHaveProperty("file");
});
