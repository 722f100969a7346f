import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openToolFixture, type ToolFixture } from "../../test/tools/tool-fixture.ts";
import { info } from "../../test/core/session-fixture.ts";
import { FakeClient, WireError } from "../../test/workspace/fake-client.ts";
import { nestedRules } from "../config/rules-files.ts";
import { fileLimits, toolLimits } from "../limits.ts";
import { PermissionRefused } from "../permission/rule.ts";
import { createReadTool, type ReadOptions } from "./read.ts";

const seeing = { ...info, takes: { image: true, audio: false, document: true } };

function readTool(fixture: ToolFixture, options: Partial<ReadOptions> = {}) {
  const rules = { nested: nestedRules, shown: () => new Set<string>() };
  return createReadTool({ info, outputs: fixture.outputs, rules, ...options });
}

describe("read", () => {
  test("returns lines with their numbers", async () => {
    await using fixture = await openToolFixture();
    await fixture.scratch.write({ "a.txt": "one\r\ntwo\n\nfour" });
    const result = await fixture.run(readTool(fixture), { filePath: "a.txt" });
    expect(result.output).toBe(
      "1\tone\n2\ttwo\n3\t\n4\tfour\n\n(The file ends here, after 4 lines.)",
    );
    const path = join(fixture.scratch.project, "a.txt");
    expect(fixture.asked).toEqual([
      { permission: "read", patterns: ["a.txt"], paths: [path, path], always: ["a.txt"] },
    ]);
  });

  test("returns a part, and says how to continue", async () => {
    await using fixture = await openToolFixture();
    await fixture.scratch.write({ "a.txt": "1\n2\n3\n4\n5\n" });
    const tool = readTool(fixture);
    const part = await fixture.run(tool, { filePath: "a.txt", offset: 2, limit: 2 });
    expect(part.output).toBe("2\t2\n3\t3\n\n(These are lines 2 to 3 of 5. Go on with offset 4.)");
    expect((await fixture.run(tool, { filePath: "a.txt", offset: 4 })).output).toContain(
      "4\t4\n5\t5",
    );
    expect((await fixture.run(tool, { filePath: "a.txt", offset: 0 })).output).toMatch(/^1\t1\n/u);
    expect(await fixture.failure(tool, { filePath: "a.txt", offset: 6 })).toMatchObject({
      reason: "invalid-input",
      message: expect.stringContaining("5 lines") as string,
    });
  });

  test("fits into one output for any file", async () => {
    await using fixture = await openToolFixture();
    const tool = readTool(fixture);
    await fixture.scratch.write({
      "many.txt": "x\n".repeat(10_000),
      "wide.txt": `${"é".repeat(1_500)}\n`.repeat(100),
      "long.txt": "x".repeat(100_000),
    });
    for (const filePath of ["many.txt", "wide.txt", "long.txt"]) {
      const { output } = await fixture.run(tool, { filePath });
      expect(Buffer.byteLength(output)).toBeLessThanOrEqual(toolLimits.outputBytes);
      expect(output.split("\n").length).toBeLessThanOrEqual(toolLimits.outputLines);
    }
    const { output } = await fixture.run(tool, { filePath: "long.txt" });
    expect(output).toContain("… (98000 more characters)");
  });

  test("says that a file is empty", async () => {
    await using fixture = await openToolFixture();
    await fixture.scratch.write({ "a.txt": "" });
    const { output } = await fixture.run(readTool(fixture), { filePath: "a.txt" });
    expect(output).toBe("(The file is empty.)");
  });

  test("lists a folder", async () => {
    await using fixture = await openToolFixture();
    await fixture.scratch.write({ "src/b.ts": "", "src/a.ts": "", "src/deep/c.ts": "" });
    const tool = readTool(fixture);
    expect((await fixture.run(tool, { filePath: "src" })).output).toBe(
      "src is a folder:\n\na.ts\nb.ts\ndeep/\n\n(3 entries in all.)",
    );
    expect((await fixture.run(tool, { filePath: "src", limit: 1 })).output).toContain(
      "(These are entries 1 to 1 of 3. Go on with offset 2.)",
    );
  });

  test("suggests names for a file that is not there", async () => {
    await using fixture = await openToolFixture();
    await fixture.scratch.write({ "src/Server.ts": "", "lib/util.ts": "", "src/other.md": "" });
    const tool = readTool(fixture);
    const near = await fixture.failure(tool, { filePath: "src/server.tsx" });
    expect(near.reason).toBe("file-not-found");
    expect(near.message).toContain("Did you mean src/Server.ts?");
    expect((await fixture.failure(tool, { filePath: "src/util.ts" })).message).toContain(
      "lib/util.ts",
    );
    expect((await fixture.failure(tool, { filePath: "zzz" })).message).toContain("glob or list");
  });

  test("refuses binary files, and files that are too large", async () => {
    await using fixture = await openToolFixture();
    await fixture.scratch.write({
      "a.bin": Buffer.from([1, 0, 2]),
      "huge.txt": Buffer.alloc(fileLimits.textBytes + 1, "x"),
    });
    const tool = readTool(fixture);
    expect(await fixture.failure(tool, { filePath: "a.bin" })).toMatchObject({
      reason: "binary-file",
    });
    expect(await fixture.failure(tool, { filePath: "huge.txt" })).toMatchObject({
      reason: "file-too-large",
    });
  });

  test("reports that access is denied", async () => {
    const client = new FakeClient({ fs: { readTextFile: true, writeTextFile: true } });
    client.onRead = () => Promise.reject(new WireError(-32_603, "EACCES: permission denied"));
    await using fixture = await openToolFixture({ client: () => client });
    await fixture.scratch.write({ "a.txt": "x" });
    expect(await fixture.failure(readTool(fixture), { filePath: "a.txt" })).toMatchObject({
      reason: "permission-denied",
    });
  });

  test("reads an editor's text that is not on disk", async () => {
    const client = new FakeClient({ fs: { readTextFile: true } });
    await using fixture = await openToolFixture({ client: () => client });
    client.buffers.set(join(fixture.scratch.project, "new.png"), "no picture");
    const { output } = await fixture.run(readTool(fixture), { filePath: "new.png" });
    expect(output).toContain("1\tno picture");
  });
});

describe("images and documents", () => {
  const picture = Buffer.from("\x89PNG\r\n\x1A\n rest", "latin1");

  test("are attached for a model that accepts them", async () => {
    await using fixture = await openToolFixture();
    await fixture.scratch.write({ "a.PNG": picture, "b.pdf": "%PDF-1.7 …" });
    const tool = readTool(fixture, { info: seeing });
    const seen = await fixture.run(tool, { filePath: "a.PNG" });
    const data = picture.toString("base64");
    expect(seen.attachments).toEqual([{ mimeType: "image/png", data, name: "a.PNG" }]);
    expect(seen.content).toEqual([
      { type: "content", content: { type: "image", mimeType: "image/png", data } },
    ]);
    const document = await fixture.run(tool, { filePath: "b.pdf" });
    expect(document.attachments?.[0]?.mimeType).toBe("application/pdf");
    expect(document.content).toMatchObject([{ content: { type: "resource_link", name: "b.pdf" } }]);
  });

  test("are refused for other models, and when they are too large", async () => {
    await using fixture = await openToolFixture();
    const large = Buffer.concat([picture, Buffer.alloc(toolLimits.attachmentBytes)]);
    await fixture.scratch.write({ "a.png": picture, "large.png": large });
    expect(await fixture.failure(readTool(fixture), { filePath: "a.png" })).toMatchObject({
      reason: "binary-file",
      message: expect.stringContaining("Test Model can't look at those") as string,
    });
    const tool = readTool(fixture, { info: seeing });
    expect(await fixture.failure(tool, { filePath: "large.png" })).toMatchObject({
      reason: "file-too-large",
    });
  });

  test("are detected by their bytes, not by their names", async () => {
    await using fixture = await openToolFixture();
    await fixture.scratch.write({ "a.png": "just text" });
    const tool = readTool(fixture, { info: seeing });
    expect((await fixture.run(tool, { filePath: "a.png" })).output).toContain("just text");
  });
});

describe("permission to read", () => {
  test("is also requested for the target of a link", async () => {
    await using fixture = await openToolFixture();
    await fixture.scratch.write({ ".env": "KEY=1" });
    await symlink(".env", join(fixture.scratch.project, "harmless.txt"));
    await fixture.run(readTool(fixture), { filePath: "harmless.txt" });
    expect(fixture.asked.map((request) => request.patterns)).toEqual([["harmless.txt", ".env"]]);
  });

  test("is requested for the real folder of a path outside", async () => {
    await using fixture = await openToolFixture();
    const { project, outside } = fixture.scratch;
    await fixture.scratch.write({ "../outside/secret.txt": "x" });
    await symlink(join(outside, "secret.txt"), join(project, "link.txt"));
    const tool = readTool(fixture);
    await fixture.run(tool, { filePath: "link.txt" });
    expect(fixture.asked[0]).toMatchObject({
      permission: "external_directory",
      patterns: [{ pattern: `${outside}/*`, access: "read" }],
    });
    await fixture.run(tool, { filePath: outside });
    expect(fixture.asked[2]).toMatchObject({ patterns: [{ pattern: `${outside}/*` }] });
  });

  test("when it is refused, nothing is read", async () => {
    await using fixture = await openToolFixture();
    await fixture.scratch.write({ "a.txt": "x" });
    fixture.onAsk = () => {
      throw new PermissionRefused("person", "no");
    };
    await expect(fixture.run(readTool(fixture), { filePath: "a.txt" })).rejects.toThrow(
      PermissionRefused,
    );
  });

  test("is not needed for stored outputs of the session", async () => {
    await using fixture = await openToolFixture();
    await fixture.scratch.write({ "../outside/outputs/call.txt": "all of it" });
    const filePath = join(fixture.outputs, "call.txt");
    const { output } = await fixture.run(readTool(fixture), { filePath });
    expect(output).toContain("all of it");
    expect(fixture.asked).toEqual([]);
  });
});

describe("rules of folders", () => {
  test("come with the first file of the folder, once", async () => {
    await using fixture = await openToolFixture();
    await fixture.scratch.write({
      "AGENTS.md": "Known already.",
      "web/AGENTS.md": "Use tabs.",
      "web/a.ts": "1",
      "web/b.ts": "2",
    });
    const tool = readTool(fixture);
    const first = await fixture.run(tool, { filePath: "web/a.ts" });
    expect(first.output).toContain("Instructions from web/AGENTS.md");
    expect(first.output).toContain("Use tabs.");
    expect(first.output).not.toContain("Known already.");
    expect(first.metadata).toMatchObject({
      rules: [join(fixture.scratch.project, "web/AGENTS.md")],
    });
    expect((await fixture.run(tool, { filePath: "web/b.ts" })).output).not.toContain("Use tabs.");
  });

  test("are not attached if the model already has them", async () => {
    await using fixture = await openToolFixture();
    await fixture.scratch.write({ "web/AGENTS.md": "Use tabs.", "web/a.ts": "1" });
    const path = join(fixture.scratch.project, "web/AGENTS.md");
    const shown = { nested: nestedRules, shown: () => new Set([path]) };
    const known = readTool(fixture, { rules: shown });
    expect((await fixture.run(known, { filePath: "web/a.ts" })).output).not.toContain("tabs");
    const itself = await fixture.run(readTool(fixture), { filePath: path });
    expect(itself.metadata).not.toHaveProperty("rules");
  });

  test("leave space for the file", async () => {
    await using fixture = await openToolFixture();
    const rules = "A rule that is rather long, to fill the room.\n".repeat(2_000);
    for (const text of ["x\n".repeat(10_000), `${"x".repeat(1_000)}\n`.repeat(100)]) {
      await fixture.scratch.write({ "web/AGENTS.md": rules, "web/a.ts": text });
      const { output } = await fixture.run(readTool(fixture), { filePath: "web/a.ts" });
      expect(output).toMatch(/^1\tx+\n2\tx/u);
      expect(output).toContain("(The rest is left out: read the file for it.)");
      expect(Buffer.byteLength(output)).toBeLessThanOrEqual(toolLimits.outputBytes);
      expect(output.split("\n").length).toBeLessThanOrEqual(toolLimits.outputLines);
    }
  });
});
