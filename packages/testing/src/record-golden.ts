import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { goldenPath, goldenPrompts, recordScenario } from "./golden-scenarios.ts";

/** Records the golden transcripts again: all of them, or the named ones. */
const asked = process.argv.slice(2);
for (const scenario of asked.length > 0 ? asked : Object.keys(goldenPrompts)) {
  const path = goldenPath(scenario);
  await mkdir(dirname(path), { recursive: true });
  await recordScenario(scenario, path);
  process.stdout.write(`${path}\n`);
}
