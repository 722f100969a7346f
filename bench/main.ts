import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { parseArgs } from "node:util";
import type { Figure, Suite } from "./figure.ts";
import { measureInChild } from "./processes.ts";
import { suites } from "./suites.ts";

/**
 * npm run bench -- [--json] [--rounds N] [SUITE …]
 * Variants of a suite take turns, so that what else the machine does falls on all of them alike; what
 * counts are the ratios of their medians. Absolute figures do not carry over to another machine.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: "boolean", default: false }, rounds: { type: "string", default: "7" } },
});
const rounds = Number(values.rounds);
const chosen =
  positionals.length === 0 ? suites : suites.filter(({ name }) => positionals.includes(name));
if (chosen.length === 0 || !(rounds >= 1)) {
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
  const blocks = figures.flatMap(({ longestBlockMs }) => longestBlockMs ?? []);
  const appends = figures.flatMap(({ appendP99Ms }) => appendP99Ms ?? []);
  return {
    cpuPerEvent: median(figures.map((figure) => figure.cpuPerEvent)),
    wallMs: median(figures.map((figure) => figure.wallMs)),
    events: figures[0]?.events ?? 0,
    gaps: figures.reduce((sum, { gaps }) => sum + gaps, 0),
    ...(blocks.length > 0 && { longestBlockMs: median(blocks) }),
    ...(appends.length > 0 && { appendP99Ms: median(appends) }),
  };
}

interface Result {
  readonly suite: string;
  readonly variants: Readonly<Record<string, Figure>>;
  readonly claims: readonly {
    text: string;
    value: number;
    atMost?: number;
    atLeast?: number;
    met: boolean;
  }[];
}

async function runSuite(suite: Suite): Promise<Result> {
  const folder = await fs.mkdtemp(path.join(tmpdir(), "landline-bench-"));
  try {
    await suite.prepare?.(folder);
    const figures = new Map<string, Figure[]>();
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
    const complete = [...medians.values()].every(({ gaps }) => gaps === 0);
    const claims = suite.claims.map(({ text, value, atMost, atLeast }) => {
      const found = value(medians);
      const met =
        complete && found <= (atMost ?? Number.POSITIVE_INFINITY) && found >= (atLeast ?? 0);
      return {
        text,
        value: found,
        met,
        ...(atMost !== undefined && { atMost }),
        ...(atLeast !== undefined && { atLeast }),
      };
    });
    return { suite: suite.name, variants: Object.fromEntries(medians), claims };
  } finally {
    await fs.rm(folder, { recursive: true, force: true });
  }
}

function print(suite: Suite, { variants, claims }: Result): void {
  process.stderr.write("\r\x1b[K");
  console.log(`\n${suite.name}: ${suite.about}`);
  console.table(
    Object.fromEntries(
      Object.entries(variants).map(([name, figure]) => [
        name,
        {
          "CPU µs/event": Number(figure.cpuPerEvent.toFixed(3)),
          "wall ms": Number(figure.wallMs.toFixed(1)),
          events: figure.events,
          gaps: figure.gaps,
          ...(figure.longestBlockMs !== undefined && {
            "longest block ms": Number(figure.longestBlockMs.toFixed(2)),
          }),
        },
      ]),
    ),
  );
  for (const { text, value, atMost, atLeast, met } of claims) {
    const wanted =
      atMost === undefined
        ? atLeast === undefined
          ? ""
          : `, at least ${atLeast}`
        : `, at most ${atMost}`;
    console.log(
      `${wanted === "" ? " " : met ? "✓" : "✗"} ${text}: ${value.toPrecision(3)}${wanted}`,
    );
  }
}

const results: Result[] = [];
for (const suite of chosen) {
  const result = await runSuite(suite);
  results.push(result);
  if (!values.json) print(suite, result);
}
if (values.json)
  console.log(JSON.stringify({ node: process.versions.node, rounds, results }, null, 2));
