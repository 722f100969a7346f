import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, chmod } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { findSandbox } from "@landline/sandbox";
import { figureOf, startMeter, type Figure, type Suite } from "./figure.ts";

const TIMES = 50;

/** Runs `true` in a shell again and again, as commands of the built-in agent run. */
async function runTrue(isConfined: boolean): Promise<Figure> {
  const top = await mkdtemp(join(tmpdir(), "landline-bench-"));
  const found = await findSandbox({ home: homedir(), data: join(top, "data") });
  if (found.sandbox === null) return { ...noFigure, missing: found.reason };
  const call = { file: "/bin/bash", args: ["-c", "true"], cwd: top, leavesBackground: true };
  const policy = { write: [top], caches: [], read: [], network: "off" } as const;
  const times: number[] = [];
  const meter = startMeter();
  for (let time = 0; time < TIMES; time += 1) {
    const startedAt = performance.now();
    const { file, args } = isConfined ? await found.sandbox.confine(call, policy) : call;
    await once(spawn(file, args, { cwd: top, stdio: "ignore" }), "exit");
    times.push((performance.now() - startedAt) * 1_000);
  }
  const figure = meter.stop(TIMES, 0);
  await chmod(join(top, "data/unreadable-folder"), 0o700);
  await rm(top, { recursive: true });
  const sorted = times.toSorted((a, b) => a - b);
  return { ...figure, p50Us: sorted[Math.floor(TIMES / 2)] ?? 0 };
}

const noFigure: Figure = { cpuPerEvent: 0, wallMs: 0, events: 0, gaps: 0 };

const PLAIN = "plain";
const CONFINED = "confined";

export const confining: Suite = {
  name: "sandbox",
  about: `\`bash -c true\` ${TIMES} times, plain and in the sandbox`,
  variants: { [PLAIN]: () => runTrue(false), [CONFINED]: () => runTrue(true) },
  claims: [
    {
      text: "what the sandbox adds to a command, p50 in ms",
      value: (medians) =>
        ((figureOf(medians, CONFINED).p50Us ?? Number.NaN) -
          (figureOf(medians, PLAIN).p50Us ?? Number.NaN)) /
        1_000,
      atMost: 60,
    },
  ],
};
