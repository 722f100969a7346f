import { openJudge, type Judge } from "@landline/shell";
import {
  type CorpusLine,
  type Fixture,
  hostileCorpus,
  hostileProject,
  ordinaryCorpus,
  ordinaryProject,
} from "@landline/shell/corpus";
import { figureOf, startMeter, type Figure, type Suite } from "./figure.ts";

/** The number of runs per line. The first run is not measured. */
const TIMES = 5;

async function judgeAll(
  makeProject: () => Promise<Fixture>,
  linesOf: (fixture: Fixture) => readonly CorpusLine[],
): Promise<Figure> {
  await using fixture = await makeProject();
  const judge = await openJudge(fixture.home);
  const lines = linesOf(fixture);
  for (const { line } of lines) await judgeLine(judge, line, fixture);
  const times: number[] = [];
  const meter = startMeter();
  let wrong = 0;
  for (let time = 0; time < TIMES; time += 1) {
    for (const { line, verdict } of lines) {
      const startedAt = performance.now();
      const isAllowed = await judgeLine(judge, line, fixture);
      times.push((performance.now() - startedAt) * 1_000);
      if (isAllowed !== (verdict === "allow")) wrong += 1;
    }
  }
  const figure = meter.stop(times.length, wrong);
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;
  return { ...figure, p50Us: at(0.5), p99Us: at(0.99) };
}

async function judgeLine(judge: Judge, line: string, { project }: Fixture): Promise<boolean> {
  const path = process.env["PATH"] ?? "";
  const { reasons } = await judge.judge(line, { cwd: project, roots: [project], path });
  return reasons.length === 0;
}

async function load(): Promise<Figure> {
  const meter = startMeter();
  const judge = await openJudge();
  judge.analyse("ls");
  return meter.stop(1, 0);
}

const ORDINARY = "ordinary lines";
const HOSTILE = "hostile lines";

export const shellAnalysis: Suite = {
  name: "shell-analysis",
  about: `a verdict for each line of the corpora of @landline/shell, ${TIMES} times; a wrong verdict is a gap`,
  variants: {
    [ORDINARY]: () => judgeAll(ordinaryProject, ordinaryCorpus),
    [HOSTILE]: () => judgeAll(hostileProject, hostileCorpus),
    "loading the grammar": load,
  },
  claims: [ORDINARY, HOSTILE].map((variant) => ({
    text: `one verdict for ${variant}, p99 in ms`,
    value: (medians) => (figureOf(medians, variant).p99Us ?? Number.NaN) / 1_000,
    atMost: 5,
  })),
};
