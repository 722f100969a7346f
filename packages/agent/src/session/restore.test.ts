import { mkdir, readdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { change, created, prompt } from "../../test/session/records.ts";
import { FakeClient } from "../../test/workspace/fake-client.ts";
import { openScratch, type Scratch } from "../../test/workspace/scratch-project.ts";
import type { Client } from "../acp/acp-client.ts";
import type { SessionRecord } from "../core/record.ts";
import { FileLocks } from "../workspace/file-locks.ts";
import { openWorkspace } from "../workspace/open-workspace.ts";
import { restoreLast } from "./restore.ts";

let scratch: Scratch;

beforeEach(async () => {
  scratch = await openScratch();
});
afterEach(() => scratch[Symbol.asyncDispose]());

function workspaceWith(client: Client | null) {
  const { project: cwd } = scratch;
  return openWorkspace({ client, sessionId: "s", cwd, directories: [] });
}

const at = (name: string) => join(scratch.project, name);

function records(): SessionRecord[] {
  return [
    created(),
    prompt("p"),
    change("p", at("edited"), "old\r\n", "new\r\n"),
    change("p", at("made"), null, "made"),
    change("p", at("folder/removed"), "was here", null),
  ];
}

async function restore(direction: "undo" | "redo", kept: SessionRecord[], client?: Client) {
  await using workspace = workspaceWith(client ?? null);
  const locks = new FileLocks();
  const { record, words } = await restoreLast({ direction, records: kept, workspace, locks });
  if (record !== null) kept.push({ ...record, at: 20 });
  return { record, words };
}

describe("an undo", () => {
  it("restores files, and a redo restores the changes, byte for byte", async () => {
    await scratch.write({ edited: "\uFEFFnew\r\n", made: "made" });
    const kept = records();
    const { record, words } = await restore("undo", kept);
    expect(record).toMatchObject({ kind: "files-restored", direction: "undo", promptId: "p" });
    expect(words).toContain("made (removed)");
    expect(await scratch.read("edited")).toBe("\uFEFFold\r\n");
    expect(await scratch.read("folder/removed")).toBe("was here");
    await expect(scratch.read("made")).rejects.toThrow("ENOENT");
    expect((await restore("undo", kept)).words).toBe("There is nothing to undo.");
    expect((await restore("redo", kept)).record).not.toBeNull();
    expect(await scratch.read("edited")).toBe("\uFEFFnew\r\n");
    expect(await scratch.read("made")).toBe("made");
    await expect(scratch.read("folder/removed")).rejects.toThrow("ENOENT");
  });

  it("changes nothing and lists the files if one was changed since", async () => {
    await scratch.write({ edited: "somebody's work", made: "made" });
    const { record, words } = await restore("undo", records());
    expect(record).toBeNull();
    expect(words).toMatch(/changed since:\n- edited\n/);
    expect(await scratch.read("edited")).toBe("somebody's work");
    expect(await scratch.read("made")).toBe("made");
  });

  it("treats a file that is no longer text as changed, and a file in the wanted state as done", async () => {
    await scratch.write({ edited: Buffer.from([0, 1]), "folder/removed": "was here" });
    const { words } = await restore("undo", records());
    expect(words).toMatch(/since:\n- edited\nRestore/);
    await scratch.write({ edited: "old\r\n" });
    expect((await restore("undo", records())).record).not.toBeNull();
    expect(await scratch.read("folder/removed")).toBe("was here");
  });

  it("reverts its own changes when a file cannot be written", async () => {
    await scratch.write({ edited: "new\r\n", made: "made", zone: "" });
    // A file in the place of a folder.
    const kept = [...records(), change("p", at("zone/below"), "x", null)];
    await expect(restore("undo", kept)).rejects.toMatchObject({ name: "FileProblem" });
    expect(await scratch.read("edited")).toBe("new\r\n");
    expect(await scratch.read("made")).toBe("made");
    await expect(scratch.read("folder/removed")).rejects.toThrow("ENOENT");
  });

  it("refuses a path that leads elsewhere than when it was changed", async () => {
    await scratch.write({ edited: "new\r\n", made: "made" });
    await mkdir(at("folder"));
    await symlink(join(scratch.outside, "created"), at("folder/removed"));
    const { record, words } = await restore("undo", records());
    expect(record).toBeNull();
    expect(words).toMatch(/changed since:\n- folder\/removed\n/);
    expect(await readdir(scratch.outside)).toEqual([]);
    expect(await scratch.read("edited")).toBe("new\r\n");
  });

  it("follows a link that was there when the file was changed", async () => {
    await scratch.write({ "target/a": "new" });
    await symlink("target", at("link"));
    const real = at("target/a");
    const kept = [created(), prompt("p"), { ...change("p", at("link/a"), "old", "new"), real }];
    expect((await restore("undo", kept)).record).not.toBeNull();
    expect(await scratch.read("target/a")).toBe("old");
  });

  it("goes through the client, so that its buffers are updated", async () => {
    await scratch.write({ edited: "stale", made: "made" });
    const client = new FakeClient({ fs: { readTextFile: true, writeTextFile: true } });
    client.buffers.set(at("edited"), "new\r\n");
    client.buffers.set(at("made"), "made");
    expect((await restore("undo", records(), client)).record).not.toBeNull();
    expect(client.buffers.get(at("edited"))).toBe("old\r\n");
    expect(await scratch.read("edited")).toBe("stale");
    client.buffers.set(at("edited"), "typed since");
    const again = await restore("redo", [...records(), restoredByHand()], client);
    expect(again.words).toMatch(/changed since:\n- edited/);
  });

  it("of a prompt without file changes says so", async () => {
    const { record, words } = await restore("undo", [created(), prompt("p")]);
    expect(record).toMatchObject({ promptId: "p", paths: [] });
    expect(words).toMatch(/changed no files/);
  });
});

function restoredByHand(): SessionRecord {
  return { kind: "files-restored", at: 20, direction: "undo", promptId: "p", paths: [] };
}
