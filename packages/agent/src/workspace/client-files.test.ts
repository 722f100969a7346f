import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { FileSystemCapabilities } from "@agentclientprotocol/sdk";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeClient, WireError } from "../../test/workspace/fake-client.ts";
import { openScratch, type Scratch } from "../../test/workspace/scratch-project.ts";
import { refusalOf } from "./client-refusal.ts";
import { openWorkspace } from "./open-workspace.ts";

let scratch: Scratch;

beforeEach(async () => {
  scratch = await openScratch();
});
afterEach(() => scratch[Symbol.asyncDispose]());

const both = { readTextFile: true, writeTextFile: true };

function open(fs: FileSystemCapabilities, ownFolders: string[] = []) {
  const client = new FakeClient({ fs });
  const { project: cwd } = scratch;
  const workspace = openWorkspace({
    client,
    sessionId: "session",
    cwd,
    directories: [],
    ownFolders,
  });
  return { client, workspace };
}

describe("files of a client", () => {
  it("are read from it and written to it, never also to the disk", async () => {
    const path = await scratch.write({ "a.txt": "on disk" });
    const { client, workspace } = open(both);
    client.buffers.set(path, "unsaved");
    expect(await workspace.readText(await workspace.locate("a.txt"))).toEqual({
      text: "unsaved",
      bom: false,
      via: "client",
    });
    await workspace.writeText(await workspace.locate("a.txt"), "edited");
    expect(client.buffers.get(path)).toBe("edited");
    expect(await scratch.read("a.txt")).toBe("on disk");
  });

  it("are read from it and written to the disk if it only reads, with the byte-order mark", async () => {
    const path = await scratch.write({ "a.txt": "\uFEFFon disk" });
    const { client, workspace } = open({ readTextFile: true });
    client.buffers.set(path, "unsaved");
    const file = await workspace.readText(await workspace.locate(path));
    expect(file).toEqual({ text: "unsaved", bom: true, via: "client" });
    await workspace.writeText(await workspace.locate(path), "new", { bom: file.bom });
    expect(await scratch.read("a.txt")).toBe("\uFEFFnew");
    expect(client.writes).toEqual([]);
  });

  it("are read from the disk and written to it if it only writes", async () => {
    const path = await scratch.write({ "a.txt": "on disk" });
    const { client, workspace } = open({ writeTextFile: true });
    expect(await workspace.readText(await workspace.locate(path))).toMatchObject({
      text: "on disk",
      via: "disk",
    });
    await workspace.writeText(await workspace.locate("new/b.txt"), "x");
    expect(client.buffers.get(join(scratch.project, "new/b.txt"))).toBe("x");
    // Its folder is created for it, the file is not.
    expect(await workspace.stat("new")).toMatchObject({ type: "directory" });
    expect(await workspace.stat("new/b.txt")).toBeNull();
  });

  it("are on the disk outside the roots and in the agent's own folders", async () => {
    const own = join(scratch.project, "data");
    await scratch.write({ "data/output": "ours", "../outside/file": "theirs" });
    const { client, workspace } = open(both, [own]);
    expect(await workspace.readText(await workspace.locate("data/output"))).toMatchObject({
      text: "ours",
      via: "disk",
    });
    expect(await workspace.readText(await workspace.locate("../outside/file"))).toMatchObject({
      via: "disk",
    });
    await workspace.writeText(await workspace.locate("../outside/file"), "changed");
    expect(await scratch.read("../outside/file")).toBe("changed");
    expect([...client.reads, ...client.writes]).toEqual([]);
  });

  it("keep a byte-order mark that the client returns", async () => {
    const path = await scratch.write({ a: "\uFEFFx" });
    const { client, workspace } = open(both);
    client.buffers.set(path, "\uFEFFy");
    expect(await workspace.readText(await workspace.locate(path))).toMatchObject({
      text: "y",
      bom: true,
    });
    await workspace.writeText(await workspace.locate(path), "z", { bom: true });
    expect(client.buffers.get(path)).toBe("\uFEFFz");
  });

  it("do not ask the client for folders and images", async () => {
    await mkdir(join(scratch.project, "folder"));
    await scratch.write({ "picture.png": Buffer.from([0x89, 0x50, 0, 0]) });
    const { client, workspace } = open(both);
    await expect(workspace.readText(await workspace.locate("folder"))).rejects.toMatchObject({
      reason: "is-a-directory",
    });
    await expect(workspace.readText(await workspace.locate("picture.png"))).rejects.toMatchObject({
      reason: "binary-file",
    });
    expect(client.reads).toEqual([]);
  });
});

describe("a client that refuses", () => {
  it.each([
    ["with the code", new WireError(-32_002, "Resource not found")],
    ["with the system's message", new WireError(-32_603, "Internal error", { details: "ENOENT" })],
    ["in Rust", new WireError(-32_603, "No such file or directory (os error 2)")],
    ["in prose", new WireError(-32_000, "File does not exist: /x")],
  ])("a file that does not exist, %s: file-not-found", async (_name, error) => {
    const { client, workspace } = open(both);
    client.onRead = () => Promise.reject(error);
    await expect(workspace.readText(await workspace.locate("none"))).rejects.toMatchObject({
      reason: "file-not-found",
    });
  });

  it("returns an empty text for a missing file: file-not-found, but an empty file is empty", async () => {
    await scratch.write({ empty: "" });
    const { client, workspace } = open(both);
    client.onRead = () => Promise.resolve("");
    await expect(workspace.readText(await workspace.locate("none"))).rejects.toMatchObject({
      reason: "file-not-found",
    });
    expect(await workspace.readText(await workspace.locate("empty"))).toMatchObject({
      text: "",
      via: "client",
    });
  });

  it.each([new WireError(-32_002, "not found"), new WireError(-32_601, "Method not found")])(
    "a file that it does not have, which is then read from the disk",
    async (refusal) => {
      await scratch.write({ a: "on disk" });
      const { client, workspace } = open(both);
      client.onRead = () => Promise.reject(refusal);
      expect(await workspace.readText(await workspace.locate("a"))).toMatchObject({
        text: "on disk",
        via: "disk",
      });
    },
  );

  it.each([
    ["permission denied by user", "permission-denied"],
    ["path is not in any worktree", "permission-denied"],
    ["the editor is confused", "failed"],
  ])(
    "with another message (%s): it is reported, and the disk is not used",
    async (words, reason) => {
      await scratch.write({ a: "on disk" });
      const { client, workspace } = open(both);
      const error = new WireError(-32_603, words);
      client.onRead = () => Promise.reject(error);
      client.onWrite = () => Promise.reject(error);
      const expected = { reason, message: expect.stringContaining(words) as string };
      await expect(workspace.readText(await workspace.locate("a"))).rejects.toMatchObject(expected);
      await expect(workspace.writeText(await workspace.locate("a"), "new")).rejects.toMatchObject(
        expected,
      );
      expect(await scratch.read("a")).toBe("on disk");
    },
  );

  it("because it has no such method: the file is written to the disk", async () => {
    const { client, workspace } = open(both);
    client.onWrite = () => Promise.reject(new WireError(-32_601, "Method not found"));
    await workspace.writeText(await workspace.locate("a"), "two");
    expect(await scratch.read("a")).toBe("two");
    await workspace.writeText(await workspace.locate("a"), "three");
    expect(client.writes).toHaveLength(1);
  });

  it("or is slow: the read ends with its signal", async () => {
    await scratch.write({ a: "" });
    const { client, workspace } = open(both);
    const asked = Promise.withResolvers<void>();
    client.onRead = () => {
      asked.resolve();
      return new Promise(() => undefined);
    };
    const controller = new AbortController();
    const reading = workspace.readText(await workspace.locate("a"), controller.signal);
    await asked.promise;
    controller.abort(new Error("stopped"));
    await expect(reading).rejects.toThrow("stopped");
  });
});

describe("error messages of clients", () => {
  it.each([
    ["EISDIR: illegal operation", "is-a-directory"],
    ["Path is outside the workspace", "outside"],
    ["project does not contain /x", "outside"],
    ["no worktree for path", "outside"],
    ["Could not find file", "not-found"],
    ["EACCES: permission denied, open '/x'", "denied"],
    ["whatever", "other"],
  ])("%s", (words, meaning) => {
    expect(refusalOf(new WireError(-32_603, words))).toBe(meaning);
    expect(refusalOf(new WireError(-32_603, "Internal error", { details: words }))).toBe(meaning);
  });

  it("may have no error at all", () => {
    expect(refusalOf("thrown text: no such file")).toBe("not-found");
    expect(refusalOf(null)).toBe("other");
    expect(refusalOf({ code: -32_002 })).toBe("not-found");
  });
});
