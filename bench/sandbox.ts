import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, chmod } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { findSandbox, type SandboxNetwork } from "@landline/sandbox";
import { figureOf, startMeter, type Figure, type Suite } from "./figure.ts";

const TIMES = 50;

/** Runs `true` in a shell repeatedly, as the built-in agent runs commands. Null means not confined. */
async function runTrue(network: SandboxNetwork | null): Promise<Figure> {
  const top = await mkdtemp(join(tmpdir(), "landline-bench-"));
  const found = await findSandbox({ home: homedir(), data: join(top, "data") });
  if (found.sandbox === null) return { ...noFigure, missing: found.reason };
  const call = { file: "/bin/bash", args: ["-c", "true"], cwd: top, leavesBackground: true };
  const policy = { write: [top], caches: [], read: [] };
  const { sandbox } = found;
  const plain = { ...call, close: async () => {} };
  const times: number[] = [];
  const meter = startMeter();
  for (let time = 0; time < TIMES; time += 1) {
    const startedAt = performance.now();
    const started = network === null ? plain : await sandbox.confine(call, { ...policy, network });
    await once(spawn(started.file, started.args, { cwd: top, stdio: "ignore" }), "exit");
    times.push((performance.now() - startedAt) * 1_000);
    await started.close();
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
const BY_LIST = "with a list of hosts";

function addedMs(medians: Parameters<typeof figureOf>[0], variant: string, to: string): number {
  const p50 = (name: string) => figureOf(medians, name).p50Us ?? Number.NaN;
  return (p50(variant) - p50(to)) / 1_000;
}

export const sandboxSuite: Suite = {
  name: "sandbox",
  about: `\`bash -c true\` ${TIMES} times, plain, in the sandbox, and there with a list of hosts`,
  variants: {
    [PLAIN]: () => runTrue(null),
    [CONFINED]: () => runTrue("off"),
    [BY_LIST]: () => runTrue(["example.com"]),
  },
  claims: [
    {
      text: "what the sandbox adds to a command, p50 in ms",
      value: (medians) => addedMs(medians, CONFINED, PLAIN),
      atMost: 60,
    },
    {
      text: "what a list of hosts adds to that, p50 in ms",
      value: (medians) => addedMs(medians, BY_LIST, CONFINED),
    },
  ],
};
