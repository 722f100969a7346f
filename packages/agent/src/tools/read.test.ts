import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openBench, type Bench } from "../../test/tools/tool-fixture.ts";
import { info } from "../../test/core/session-fixture.ts";
import { FakeClient, WireError } from "../../test/workspace/fake-client.ts";
import { nestedRules } from "../config/rules-files.ts";
import { fileLimits, toolLimits } from "../limits.ts";
import { PermissionRefused } from "../permission/rule.ts";
import { createReadTool, type ReadOptions } from "./read.ts";

const seeing = { ...info, takes: { image: true, audio: false, document: true } };

function readTool(bench: Bench, options: Partial<ReadOptions> = {}) {
  const rules = { nested: nestedRules, shown: () => new Set<string>() };
  return createReadTool({ info, outputs: bench.outputs, rules, ...options });
}

describe("read", () => {
  test("gives lines with their numbers", async () => {
    await using bench = await openBench();
    await bench.scratch.write({ "a.txt": "one\r\ntwo\n\nfour" });
    const result = await bench.run(readTool(bench), { filePath: "a.txt" });
    expect(result.output).toBe(
      "1\tone\n2\ttwo\n3\t\n4\tfour\n\n(The file ends here, after 4 lines.)",
    );
    const path = join(bench.scratch.project, "a.txt");
    expect(bench.asked).toEqual([
      { permission: "read", patterns: ["a.txt"], paths: [path, path], always: ["a.txt"] },
    ]);
  });

  test("gives a part, and says how to go on", async () => {
    await using bench = await openBench();
    await bench.scratch.write({ "a.txt": "1\n2\n3\n4\n5\n" });
    const tool = readTool(bench);
    const part = await bench.run(tool, { filePath: "a.txt", offset: 2, limit: 2 });
    expect(part.output).toBe("2\t2\n3\t3\n\n(These are lines 2 to 3 of 5. Go on with offset 4.)");
    expect((await bench.run(tool, { filePath: "a.txt", offset: 4 })).output).toContain(
      "4\t4\n5\t5",
    );
    expect((await bench.run(tool, { filePath: "a.txt", offset: 0 })).output).toMatch(/^1\t1\n/u);
    expect(await bench.failure(tool, { filePath: "a.txt", offset: 6 })).toMatchObject({
      reason: "invalid-input",
      message: expect.stringContaining("5 lines") as string,
    });
  });

  test("fits into one output, whatever the file is like", async () => {
    await using bench = await openBench();
    const tool = readTool(bench);
    await bench.scratch.write({
      "many.txt": "x\n".repeat(10_000),
      "wide.txt": `${"é".repeat(1_500)}\n`.repeat(100),
      "long.txt": "x".repeat(100_000),
    });
    for (const filePath of ["many.txt", "wide.txt", "long.txt"]) {
      const { output } = await bench.run(tool, { filePath });
      expect(Buffer.byteLength(output)).toBeLessThanOrEqual(toolLimits.outputBytes);
      expect(output.split("\n").length).toBeLessThanOrEqual(toolLimits.outputLines);
    }
    const { output } = await bench.run(tool, { filePath: "long.txt" });
    expect(output).toContain("… (98000 more characters)");
  });

  test("tells of an empty file", async () => {
    await using bench = await openBench();
    await bench.scratch.write({ "a.txt": "" });
    const { output } = await bench.run(readTool(bench), { filePath: "a.txt" });
    expect(output).toBe("(The file is empty.)");
  });

  test("lists a folder", async () => {
    await using bench = await openBench();
    await bench.scratch.write({ "src/b.ts": "", "src/a.ts": "", "src/deep/c.ts": "" });
    const tool = readTool(bench);
    expect((await bench.run(tool, { filePath: "src" })).output).toBe(
      "src is a folder:\n\na.ts\nb.ts\ndeep/\n\n(3 entries in all.)",
    );
    expect((await bench.run(tool, { filePath: "src", limit: 1 })).output).toContain(
      "(These are entries 1 to 1 of 3. Go on with offset 2.)",
    );
  });

  test("suggests names for a file that is not there", async () => {
    await using bench = await openBench();
    await bench.scratch.write({ "src/Server.ts": "", "lib/util.ts": "", "src/other.md": "" });
    const tool = readTool(bench);
    const near = await bench.failure(tool, { filePath: "src/server.tsx" });
    expect(near.reason).toBe("file-not-found");
    expect(near.message).toContain("Did you mean src/Server.ts?");
    expect((await bench.failure(tool, { filePath: "src/util.ts" })).message).toContain(
      "lib/util.ts",
    );
    expect((await bench.failure(tool, { filePath: "zzz" })).message).toContain("glob or list");
  });

  test("refuses what is no text, and what is too large", async () => {
    await using bench = await openBench();
    await bench.scratch.write({
      "a.bin": Buffer.from([1, 0, 2]),
      "huge.txt": Buffer.alloc(fileLimits.textBytes + 1, "x"),
    });
    const tool = readTool(bench);
    expect(await bench.failure(tool, { filePath: "a.bin" })).toMatchObject({
      reason: "binary-file",
    });
    expect(await bench.failure(tool, { filePath: "huge.txt" })).toMatchObject({
      reason: "file-too-large",
    });
  });

  test("passes on that access is denied", async () => {
    const client = new FakeClient({ fs: { readTextFile: true, writeTextFile: true } });
    client.onRead = () => Promise.reject(new WireError(-32_603, "EACCES: permission denied"));
    await using bench = await openBench({ client: () => client });
    await bench.scratch.write({ "a.txt": "x" });
    expect(await bench.failure(readTool(bench), { filePath: "a.txt" })).toMatchObject({
      reason: "permission-denied",
    });
  });

  test("reads an editor's text that is not on disk", async () => {
    const client = new FakeClient({ fs: { readTextFile: true } });
    await using bench = await openBench({ client: () => client });
    client.buffers.set(join(bench.scratch.project, "new.png"), "no picture");
    const { output } = await bench.run(readTool(bench), { filePath: "new.png" });
    expect(output).toContain("1\tno picture");
  });
});

describe("pictures and documents", () => {
  const picture = Buffer.from("\x89PNG\r\n\x1A\n rest", "latin1");

  test("are attached for a model that takes them", async () => {
    await using bench = await openBench();
    await bench.scratch.write({ "a.PNG": picture, "b.pdf": "%PDF-1.7 …" });
    const tool = readTool(bench, { info: seeing });
    const seen = await bench.run(tool, { filePath: "a.PNG" });
    const data = picture.toString("base64");
    expect(seen.attachments).toEqual([{ mimeType: "image/png", data, name: "a.PNG" }]);
    expect(seen.content).toEqual([
      { type: "content", content: { type: "image", mimeType: "image/png", data } },
    ]);
    const document = await bench.run(tool, { filePath: "b.pdf" });
    expect(document.attachments?.[0]?.mimeType).toBe("application/pdf");
    expect(document.content).toMatchObject([{ content: { type: "resource_link", name: "b.pdf" } }]);
  });

  test("are refused politely for others, and when they are too large", async () => {
    await using bench = await openBench();
    const large = Buffer.concat([picture, Buffer.alloc(toolLimits.attachmentBytes)]);
    await bench.scratch.write({ "a.png": picture, "large.png": large });
    expect(await bench.failure(readTool(bench), { filePath: "a.png" })).toMatchObject({
      reason: "binary-file",
      message: expect.stringContaining("Test Model can't look at those") as string,
    });
    const tool = readTool(bench, { info: seeing });
    expect(await bench.failure(tool, { filePath: "large.png" })).toMatchObject({
      reason: "file-too-large",
    });
  });

  test("are known by their bytes and not by their names", async () => {
    await using bench = await openBench();
    await bench.scratch.write({ "a.png": "just text" });
    const tool = readTool(bench, { info: seeing });
    expect((await bench.run(tool, { filePath: "a.png" })).output).toContain("just text");
  });
});

describe("permission to read", () => {
  test("is asked for by the name of what a link leads to, too", async () => {
    await using bench = await openBench();
    await bench.scratch.write({ ".env": "KEY=1" });
    await symlink(".env", join(bench.scratch.project, "harmless.txt"));
    await bench.run(readTool(bench), { filePath: "harmless.txt" });
    expect(bench.asked.map((request) => request.patterns)).toEqual([["harmless.txt", ".env"]]);
  });

  test("is asked for the folder that a path outside really is in", async () => {
    await using bench = await openBench();
    const { project, outside } = bench.scratch;
    await bench.scratch.write({ "../outside/secret.txt": "x" });
    await symlink(join(outside, "secret.txt"), join(project, "link.txt"));
    const tool = readTool(bench);
    await bench.run(tool, { filePath: "link.txt" });
    expect(bench.asked[0]).toMatchObject({
      permission: "external_directory",
      patterns: [{ pattern: `${outside}/*`, access: "read" }],
    });
    await bench.run(tool, { filePath: outside });
    expect(bench.asked[2]).toMatchObject({ patterns: [{ pattern: `${outside}/*` }] });
  });

  test("when it is refused, nothing is read", async () => {
    await using bench = await openBench();
    await bench.scratch.write({ "a.txt": "x" });
    bench.onAsk = () => {
      throw new PermissionRefused("person", "no");
    };
    await expect(bench.run(readTool(bench), { filePath: "a.txt" })).rejects.toThrow(
      PermissionRefused,
    );
  });

  test("is not needed for whole outputs of the session", async () => {
    await using bench = await openBench();
    await bench.scratch.write({ "../outside/outputs/call.txt": "all of it" });
    const filePath = join(bench.outputs, "call.txt");
    const { output } = await bench.run(readTool(bench), { filePath });
    expect(output).toContain("all of it");
    expect(bench.asked).toEqual([]);
  });
});

describe("rules of folders", () => {
  test("come with the first file of the folder, once", async () => {
    await using bench = await openBench();
    await bench.scratch.write({
      "AGENTS.md": "Known already.",
      "web/AGENTS.md": "Use tabs.",
      "web/a.ts": "1",
      "web/b.ts": "2",
    });
    const tool = readTool(bench);
    const first = await bench.run(tool, { filePath: "web/a.ts" });
    expect(first.output).toContain("Instructions from web/AGENTS.md");
    expect(first.output).toContain("Use tabs.");
    expect(first.output).not.toContain("Known already.");
    expect(first.metadata).toMatchObject({
      rules: [join(bench.scratch.project, "web/AGENTS.md")],
    });
    expect((await bench.run(tool, { filePath: "web/b.ts" })).output).not.toContain("Use tabs.");
  });

  test("do not come when the model has them before it, or reads them", async () => {
    await using bench = await openBench();
    await bench.scratch.write({ "web/AGENTS.md": "Use tabs.", "web/a.ts": "1" });
    const path = join(bench.scratch.project, "web/AGENTS.md");
    const shown = { nested: nestedRules, shown: () => new Set([path]) };
    const known = readTool(bench, { rules: shown });
    expect((await bench.run(known, { filePath: "web/a.ts" })).output).not.toContain("tabs");
    const itself = await bench.run(readTool(bench), { filePath: path });
    expect(itself.metadata).not.toHaveProperty("rules");
  });

  test("leave room for the file", async () => {
    await using bench = await openBench();
    const rules = "A rule that is rather long, to fill the room.\n".repeat(2_000);
    for (const text of ["x\n".repeat(10_000), `${"x".repeat(1_000)}\n`.repeat(100)]) {
      await bench.scratch.write({ "web/AGENTS.md": rules, "web/a.ts": text });
      const { output } = await bench.run(readTool(bench), { filePath: "web/a.ts" });
      expect(output).toMatch(/^1\tx+\n2\tx/u);
      expect(output).toContain("(The rest is left out: read the file for it.)");
      expect(Buffer.byteLength(output)).toBeLessThanOrEqual(toolLimits.outputBytes);
      expect(output.split("\n").length).toBeLessThanOrEqual(toolLimits.outputLines);
    }
  });
});
