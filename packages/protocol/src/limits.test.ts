import { fc, test } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import { LandlineError } from "./errors.ts";
import { limitConsequence, type LimitName, limitNames, limitRow, limitsOf } from "./limits.ts";
import type { Unit } from "./limits/row.ts";

const spec = limitsOf("spec");
const usual = limitsOf("default");

describe("seed 003 under the profile spec", () => {
  it.each<[string, number | null, number]>([
    ["initialize is 10 KB", spec.initializeBytes, 10_000],
    ["session/new is 50 KB", spec.sessionNewBytes, 50_000],
    ["session/prompt is 1 MB", spec.promptBytes, 1_000_000],
    ["session/update is 100 KB", spec.updateBytes, 100_000],
    ["fs/* is 10 MB", spec.fileBytes, 10_000_000],
    ["session/prompt comes 10 times a minute", spec.promptsPerMinute, 10],
    ["fs/read_text_file comes 100 times a minute", spec.fileReadsPerMinute, 100],
    ["fs/write_text_file comes 50 times a minute", spec.fileWritesPerMinute, 50],
    ["session/update comes 1000 times a minute", spec.updatesPerMinute, 1_000],
    ["initialize takes 30 s", spec.initializeMs, 30_000],
    ["session/new takes 60 s", spec.sessionNewMs, 60_000],
    ["session/prompt takes 300 s", spec.promptMs, 300_000],
    ["fs/read_text_file takes 30 s", spec.fileReadMs, 30_000],
    ["fs/write_text_file takes 60 s", spec.fileWriteMs, 60_000],
  ])("at most, %s", (_row, limit, expected) => {
    expect(limit).toBe(expected);
  });

  it.each<[LimitName, RegExp]>([
    ["initializeMs", /not tried again/],
    ["sessionNewMs", /not tried again/],
    ["promptMs", /not tried again/],
    ["fileReadMs", /the disk is used/],
    ["fileWriteMs", /the disk is used/],
  ])("%s retries as in the seed", (name, words) => {
    expect(limitConsequence(name, "spec")).toMatch(words);
  });
});

describe("the default profile", () => {
  it("limits neither the duration of a turn nor the rate of an agent", () => {
    expect(usual).toMatchObject({
      promptMs: null,
      updatesPerMinute: null,
      fileReadsPerMinute: null,
      fileWritesPerMinute: null,
    });
  });

  it("warns at the seed's sizes, with one hard limit of 32 MiB", () => {
    const soft = ["initializeBytes", "sessionNewBytes", "promptBytes", "updateBytes"] as const;
    for (const name of soft) {
      expect(usual[name]).toBe(spec[name]);
      expect(limitConsequence(name, "default")).toMatch(/passed on/i);
      expect(limitConsequence(name, "spec")).toMatch(/refused/);
    }
    expect(usual.lineBytes).toBe(32 * 1024 * 1024);
  });

  it("has the seed's timeouts for everything except a turn", () => {
    const waits = ["initializeMs", "sessionNewMs", "fileReadMs", "fileWriteMs"] as const;
    for (const name of waits) expect(usual[name]).toBe(spec[name]);
    expect(usual.turnIdleMs).toBe(300_000);
  });
});

describe("every row", () => {
  it.each(limitNames)("%s has a unit and a consequence", (name) => {
    expect(limitRow(name).unit).toMatch(
      /^(bytes|milliseconds|per minute|count|characters|events)$/,
    );
    for (const profile of ["default", "spec"] as const) {
      expect(limitConsequence(name, profile)).toMatch(/^[A-Z].*\.$/);
      const value = limitRow(name)[profile] ?? 1;
      expect(Number.isSafeInteger(value) && value > 0).toBe(true);
    }
  });

  it.each<[Unit, RegExp]>([
    ["bytes", /Bytes(Max)?$/],
    ["milliseconds", /Ms(Max)?$/],
    ["per minute", /PerMinute$/],
    ["characters", /Length$/],
  ])("has %s in its name if that is its unit", (unit, suffix) => {
    const names = limitNames.filter((name) => limitRow(name).unit === unit);
    expect(names.filter((name) => !suffix.test(name))).toEqual([]);
    expect(limitNames.filter((name) => suffix.test(name))).toEqual(names);
  });
});

describe("overrides", () => {
  const names = limitNames.filter((name) => !limitRow(name).fixed);

  test.prop([fc.constantFrom("default", "spec"), fc.constantFrom(...names), fc.nat()])(
    "change one row only",
    (profile, name, value) => {
      expect(limitsOf(profile, { [name]: value })).toEqual({
        ...limitsOf(profile),
        [name]: value,
      });
    },
  );

  it("may remove a limit only if some profile has none", () => {
    expect(limitsOf("spec", { promptMs: null }).promptMs).toBeNull();
    expect(() => limitsOf("default", { lineBytes: null as never })).toThrow(/lineBytes/);
  });

  it.each<[string, object]>([
    ["an unknown name", { lineLength: 5 }],
    ["a name of every object", { toString: 5 }],
    ["a fraction", { lineBytes: 1.5 }],
    ["less than nothing", { lineBytes: -1 }],
    ["no number", { lineBytes: "1000" }],
    ["infinity", { lineBytes: Number.POSITIVE_INFINITY }],
    ["what is part of the protocol", { idLength: 5 }],
  ])("are refused for %s, by name", (_what, overrides) => {
    const [name] = Object.keys(overrides);
    expect(() => limitsOf("default", overrides)).toThrow(LandlineError);
    expect(() => limitsOf("default", overrides)).toThrow(name);
  });

  it("may be a whole set of limits", () => {
    expect(limitsOf("default", spec)).toEqual(spec);
  });
});
