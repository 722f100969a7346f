import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { decodeLine } from "../../src/decode.ts";
import { fold } from "../../src/fold.ts";
import { emptyView } from "../../src/view/empty.ts";

/**
 * Logs like those of real agents, and the view that each folds to. After an intended change of views, run with
 * UPDATE_GOLDEN=1 and read the diff.
 */
const folder = new URL("./", import.meta.url);
const names = readdirSync(folder)
  .filter((file) => file.endsWith(".ndjson"))
  .map((file) => file.replace(".ndjson", ""));

function logNamed(name: string) {
  const text = readFileSync(new URL(`${name}.ndjson`, folder), "utf8");
  return text.trimEnd().split("\n").map(decodeLine);
}

describe("golden logs", () => {
  it("are all there", () => {
    expect(names).toEqual([
      "claude",
      "cline",
      "codex",
      "copilot",
      "gemini",
      "landline-subagent",
      "opencode",
      "seed-004-subagent",
      "unstable-subagents",
    ]);
  });

  it.each(names)("%s folds to its stored view", (name) => {
    const view = fold(emptyView(), logNamed(name));
    const file = new URL(`${name}.view.json`, folder);
    if (process.env["UPDATE_GOLDEN"] === "1") {
      writeFileSync(file, `${JSON.stringify(view, null, 2)}\n`);
    }
    expect(view).toEqual(JSON.parse(readFileSync(file, "utf8")));
  });

  it("have each subagent once, from its first event", () => {
    const log = logNamed("landline-subagent");
    const counts = log.map((_, at) => fold(emptyView(), log.slice(0, at + 1)).subagents.length);
    expect(counts).toEqual([0, 0, 0, 0, 0, ...log.slice(5).map(() => 1)]);
  });

  it.each(names)("%s folds to it one event at a time, through JSON each time", (name) => {
    const log = logNamed(name);
    let view = emptyView();
    for (const event of log) view = JSON.parse(JSON.stringify(fold(view, [event])));
    expect(view).toEqual(fold(emptyView(), log));
  });
});
