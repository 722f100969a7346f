import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { TITLE_PROMPT } from "../core/prompt-prefixes.ts";
import { openScriptModel } from "./script-model.ts";
import { streamStep, type StepPart } from "./stream.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "landline-script-"));
});
afterEach(() => rm(folder, { recursive: true }));

async function open(...lines: string[]) {
  const path = join(folder, "script.jsonl");
  await writeFile(path, lines.join("\n"));
  const model = await openScriptModel(path, 0);
  return async (system = "") => {
    const parts: StepPart[] = [];
    const step = streamStep({
      model,
      system,
      messages: [{ role: "user", content: "Fix the bug" }],
      tools: [{ name: "read", description: "", input: z.object({ filePath: z.string() }) }],
      signal: new AbortController().signal,
    });
    for await (const part of step) parts.push(part);
    return parts;
  };
}

const text = (parts: StepPart[]) =>
  parts.map((part) => (part.type === "text-delta" ? part.delta : "")).join("");

test("plays a line for each request, then says that the script is over", async () => {
  const step = await open(
    '{"think":"Hm.","say":"I look.","calls":[{"tool":"read","input":{"filePath":"a"}}]}',
    "",
    '{"say":"Done."}',
  );
  const first = await step();
  expect(first.map(({ type }) => type).filter((type) => !type.endsWith("delta"))).toEqual([
    "thought-end",
    "text-end",
    "tool-input-start",
    "tool-call",
    "finish",
  ]);
  expect(first.find((part) => part.type === "tool-call")).toMatchObject({
    tool: "read",
    input: { filePath: "a" },
  });
  expect(text(await step(`${TITLE_PROMPT}. Be brief.`))).toBe("Fix the bug");
  expect(text(await step())).toBe("Done.");
  expect(text(await step())).toBe("(The script is over.)");
});

test.each([
  ["{", /:1: this is not JSON/],
  ["[]", /:1: an object/],
  ['{"say":1}', /texts/],
  ['{"text":"x"}', /no “text”/],
  ['{"calls":[{}]}', /needs its tool/],
  ['{"calls":[{"tool":"a","input":[]}]}', /an object/],
])("an invalid line is reported: %s", async (line, message) => {
  await expect(open(line)).rejects.toThrow(message);
});

test("a missing file is reported", async () => {
  await expect(openScriptModel(join(folder, "none"), 0)).rejects.toThrow(/none can't be read/);
});
