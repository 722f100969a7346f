import { fc } from "@fast-check/vitest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isRunner, named, specOf } from "../src/programs/registry.ts";
import { generatedLine } from "./generated-lines.ts";
import { isInstalled, isSkipped, stateOf, StraceRig } from "./strace-rig.ts";

/** The same lines each time; `HARMLESS_SEED=1 npm run test:long -- harmless` tries others. */
const seed = Number(process.env["HARMLESS_SEED"] ?? 20_261_117);
const runs = Number(process.env["HARMLESS_RUNS"] ?? 60);

describe.skipIf(isSkipped)("lines that need no permission, under strace,", () => {
  let rig: StraceRig;

  beforeAll(async () => {
    rig = await StraceRig.open();
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  it("do no more than allowed: generated lines", async () => {
    const { hostile } = rig;
    const before = stateOf(hostile.project);
    const programs = named
      .map(([name]) => name)
      .filter(
        (name) => isInstalled(name) && !isRunner(name) && specOf(name)?.effects === undefined,
      );
    let count = 0;
    const lines = fc.array(generatedLine(programs), { minLength: 12, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(lines, async (generated) => {
        const { wrong, started } = await rig.execute(
          await rig.allowedOf(generated, hostile),
          hostile,
        );
        count += started;
        expect(wrong).toEqual([]);
      }),
      { numRuns: runs, seed },
    );
    expect(count).toBeGreaterThan(30);
    expect(stateOf(hostile.project)).toEqual(before);
  });
});
