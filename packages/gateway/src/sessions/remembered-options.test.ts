import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { limitsOf } from "@landline/protocol";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { PerAgentFile } from "../data-folder/per-agent-file.ts";
import { areChoices, RememberedOptions } from "./remembered-options.ts";
import { noOptions, type Options } from "./options.ts";

const limits = limitsOf("default", { choicesKept: 2 });

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "landline-choices-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function opened(path = join(folder, "choices.json")) {
  const learned = vi.fn();
  const warn = vi.fn();
  const kept = await PerAgentFile.open(path, areChoices);
  const choices = new RememberedOptions({ kept, catalog: { learned }, limits, logger: { warn } });
  return { choices, kept, learned, warn };
}

function effort(id: string, value = "high", name = "High"): Options {
  const category = "thought_level";
  const options = [{ value, name }];
  return {
    ...noOptions,
    configOptions: [{ id, name: id, category, type: "select", currentValue: value, options }],
  };
}

test("only the latest are stored, with a truncated name, and no value that is too long", async () => {
  const { choices, kept } = await opened();
  for (const id of ["a", "b", "c"]) await choices.note("agent", id, effort(id));
  await choices.note("agent", "b", effort("b", "low", "L".repeat(5_000)));
  await choices.note("agent", "d", effort("d", "v".repeat(5_000)));
  expect(kept.of("agent")).toMatchObject([
    { configId: "c", value: "high", name: "High" },
    { configId: "b", value: "low", name: "L".repeat(limits.titleLength) },
  ]);
});

test("one that can't be stored applies until the gateway ends, and is reported", async () => {
  const { choices, learned, warn } = await opened(join(folder, "missing", "choices.json"));
  await choices.note("agent", "a", effort("a"));
  expect(learned).toHaveBeenCalledWith("agent", {
    lastChoices: [{ configId: "a", value: "high", category: "thought_level", name: "High" }],
  });
  expect(warn).toHaveBeenCalledOnce();
});

test.each([
  ['{"agent":[{"configId":"m","value":5,"category":"model","name":"M"}]}'],
  ['{"agent":[{"configId":"m","value":"bypass","category":"mode","name":"M"}]}'],
  ['{"agent":{"model":"large"}}'],
])("%s is ignored", async (text) => {
  await writeFile(join(folder, "choices.json"), text);
  expect((await opened()).learned).not.toHaveBeenCalled();
});
