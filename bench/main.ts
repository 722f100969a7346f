import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { parseArgs } from "node:util";
import {
  extraFigures,
  MissingFigure,
  type Claim,
  type Figure,
  type Medians,
  type Suite,
} from "./figure.ts";
import { measureInChild } from "./helper-processes.ts";
import { suites } from "./suites.ts";

/**
 * npm run bench -- [--json] [--rounds N] [SUITE …]. Variants of a suite alternate, so that other load affects all of
 * them equally. Compare the ratios of their medians; absolute figures do not transfer to another machine.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: "boolean", default: false }, rounds: { type: "string" } },
});
const ROUNDS = 5;
const roundsOf = (suite: Suite) => Number(values.rounds ?? suite.rounds ?? ROUNDS);
const chosen =
  positionals.length === 0 ? suites : suites.filter(({ name }) => positionals.includes(name));
if (chosen.length === 0 || !(Number(values.rounds ?? ROUNDS) >= 1)) {
  console.error(
    `Usage: npm run bench -- [--json] [--rounds N] [${suites.map(({ name }) => name).join("|")} …]`,
  );
  process.exit(2);
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function medianFigure(figures: readonly Figure[]): Figure {
  const missing = figures.find((figure) => figure.missing !== undefined);
  if (missing) return missing;
  const extras = (Object.keys(extraFigures) as (keyof typeof extraFigures)[]).flatMap((name) => {
    const found = figures.flatMap((figure) => figure[name] ?? []);
    return found.length === 0 ? [] : [[name, median(found)] as const];
  });
  return {
    cpuPerEvent: median(figures.map((figure) => figure.cpuPerEvent)),
    wallMs: median(figures.map((figure) => figure.wallMs)),
    events: figures[0]?.events ?? 0,
    gaps: figures.reduce((sum, { gaps }) => sum + gaps, 0),
    ...Object.fromEntries(extras),
  };
}

interface Result {
  readonly suite: string;
  readonly rounds: number;
  readonly variants: Readonly<Record<string, Figure>>;
  readonly claims: readonly CheckedClaim[];
}

interface CheckedClaim {
  readonly text: string;
  readonly value: number;
  readonly atMost?: number;
  readonly atLeast?: number;
  readonly met: boolean;
  /** Why it was not measured. */
  readonly missing?: string;
}

/** A run of Landline that lost events invalidates the claims. */
function isComplete({ peers = [] }: Suite, medians: Medians): boolean {
  return [...medians].every(([name, { gaps }]) => gaps === 0 || peers.includes(name));
}

function checkClaim(claim: Claim, medians: Medians, complete: boolean): CheckedClaim {
  const { text, value: valueOf, atMost, atLeast } = claim;
  const bounds = {
    text,
    ...(atMost !== undefined && { atMost }),
    ...(atLeast !== undefined && { atLeast }),
  };
  try {
    const value = valueOf(medians);
    if (!Number.isFinite(value)) throw new MissingFigure("this system does not report it");
    const isWithin = value <= (atMost ?? Number.POSITIVE_INFINITY) && value >= (atLeast ?? 0);
    return { ...bounds, value, met: complete && isWithin };
  } catch (error) {
    if (!(error instanceof MissingFigure)) throw error;
    return { ...bounds, value: 0, met: false, missing: error.message };
  }
}

async function runSuite(suite: Suite): Promise<Result> {
  const folder = await fs.mkdtemp(path.join(tmpdir(), "landline-bench-"));
  try {
    await suite.prepare?.(folder);
    const figures = new Map<string, Figure[]>();
    const rounds = roundsOf(suite);
    for (let round = 0; round < rounds; round++) {
      for (const variant of Object.keys(suite.variants)) {
        if (!values.json)
          process.stderr.write(
            `\r\x1b[K${suite.name}: round ${round + 1} of ${rounds}, ${variant}`,
          );
        const figure = await measureInChild(suite.name, variant, folder);
        figures.set(variant, [...(figures.get(variant) ?? []), figure]);
      }
    }
    const medians = new Map([...figures].map(([name, runs]) => [name, medianFigure(runs)]));
    return {
      suite: suite.name,
      rounds,
      variants: Object.fromEntries(medians),
      claims: suite.claims.map((claim) => checkClaim(claim, medians, isComplete(suite, medians))),
    };
  } finally {
    await fs.rm(folder, { recursive: true, force: true });
  }
}

function row(figure: Figure): Record<string, number | string> {
  if (figure.missing !== undefined) return { "CPU µs/event": "not measured" };
  const extras = Object.entries(extraFigures).flatMap(([name, { title, digits }]) => {
    const value = figure[name as keyof typeof extraFigures];
    return value === undefined ? [] : [[title, Number(value.toFixed(digits))] as const];
  });
  return {
    "CPU µs/event": Number(figure.cpuPerEvent.toFixed(3)),
    "wall ms": Number(figure.wallMs.toFixed(1)),
    events: figure.events,
    gaps: figure.gaps,
    ...Object.fromEntries(extras),
  };
}

function sentence({ text, value, atMost, atLeast, met, missing }: CheckedClaim): string {
  if (missing !== undefined) return `? ${text}: not measured (${missing})`;
  const found = `${text}: ${value.toPrecision(3)}`;
  if (atMost !== undefined) return `${met ? "✓" : "✗"} ${found}, at most ${atMost}`;
  if (atLeast !== undefined) return `${met ? "✓" : "✗"} ${found}, at least ${atLeast}`;
  return `  ${found}`;
}

function print(suite: Suite, { variants, claims }: Result): void {
  process.stderr.write("\r\x1b[K");
  console.log(`\n${suite.name}: ${suite.about}`);
  console.table(
    Object.fromEntries(Object.entries(variants).map(([name, figure]) => [name, row(figure)])),
  );
  for (const reason of new Set(Object.values(variants).flatMap(({ missing }) => missing ?? [])))
    console.log(`! ${reason}`);
  for (const claim of claims) console.log(sentence(claim));
}

const results: Result[] = [];
for (const suite of chosen) {
  const result = await runSuite(suite);
  results.push(result);
  if (!values.json) print(suite, result);
}
if (values.json) console.log(JSON.stringify({ node: process.versions.node, results }, null, 2));
