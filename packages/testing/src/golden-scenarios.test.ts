import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { goldenPath, goldenPrompts, recordScenario } from "./golden-scenarios.ts";
import { readTranscript, type TranscriptEntry } from "./golden.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "golden-scenarios-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** Concurrent messages may be in any order; the messages of each side are in a fixed order. */
function byDirection(entries: readonly TranscriptEntry[]) {
  return Object.groupBy(entries, ({ dir }) => dir);
}

const howToUpdate =
  "to record it again: node --conditions=@landline/source packages/testing/src/record-golden.ts";

test.each(Object.keys(goldenPrompts))("%s matches its golden transcript", async (scenario) => {
  const path = join(folder, `${scenario}.ndjson`);
  await recordScenario(scenario, path);
  const played = byDirection(await readTranscript(path));
  const golden = byDirection(await readTranscript(goldenPath(scenario)));
  expect(played, `${howToUpdate} ${scenario}`).toEqual(golden);
});

test("an unknown scenario is rejected with the list of known ones", async () => {
  const recording = recordScenario("no-such", join(folder, "none"));
  await expect(recording).rejects.toThrow(
    "No such scenario: no-such. Known scenarios: hello, tour,",
  );
});
