import { fc, test } from "@fast-check/vitest";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { toolLimits } from "../limits.ts";
import { truncateOutput } from "./truncate.ts";

async function openFolder() {
  const folder = await mkdtemp(join(tmpdir(), "landline-outputs-"));
  return {
    outputs: join(folder, "outputs"),
    file: join(folder, "file"),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/** The part of the output that the model reads. */
function shownIn(text: string): string {
  return text.slice(0, text.lastIndexOf("\n\n(This is the beginning"));
}

describe("an output", () => {
  test("that fits is unchanged, and nothing is stored", async () => {
    await using folder = await openFolder();
    const output = "line\n".repeat(toolLimits.outputLines);
    expect(await truncateOutput(output, "call", folder.outputs)).toBe(output);
    await expect(stat(folder.outputs)).rejects.toThrow("ENOENT");
  });

  test("with too many lines is truncated and stored, with a note on how to read on", async () => {
    await using folder = await openFolder();
    const output = Array.from({ length: 2_500 }, (_, at) => `line ${at + 1}`).join("\n");
    const text = await truncateOutput(output, "call/../1", folder.outputs);
    expect(shownIn(text).split("\n")).toHaveLength(2_000);
    const path = join(folder.outputs, "call____1.txt");
    expect(text).toContain(`All of it is in ${path}`);
    expect(text).toContain("offset 2001");
    expect(await readFile(path, "utf8")).toBe(output);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  test("with one long line is truncated within it", async () => {
    await using folder = await openFolder();
    const text = await truncateOutput(`first\n${"é".repeat(100_000)}`, "call", folder.outputs);
    const shown = shownIn(text);
    expect(shown).not.toContain("\uFFFD");
    expect(Buffer.byteLength(shown)).toBeGreaterThan(toolLimits.outputBytes - 4);
  });

  test("that can't be stored is truncated anyway", async () => {
    await using folder = await openFolder();
    await writeFile(folder.file, "");
    const text = await truncateOutput("x".repeat(100_000), "call", join(folder.file, "in"));
    expect(text).toContain("The rest could not be kept");
  });

  test.prop([fc.array(fc.nat(3_000), { maxLength: 60 }), fc.constantFrom("x", "é", "😀")])(
    "shows its beginning, within the limits",
    async (lengths, unit) => {
      await using folder = await openFolder();
      const output = lengths.map((length) => unit.repeat(length)).join("\n");
      const text = await truncateOutput(output, "call", folder.outputs);
      if (text === output) {
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(toolLimits.outputBytes);
        return;
      }
      const shown = shownIn(text);
      expect(output.startsWith(shown)).toBe(true);
      expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(toolLimits.outputBytes);
    },
  );
});
