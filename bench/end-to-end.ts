import { agentCommand, cpuOf, memoryMbOf, untilQuiet } from "./child-process.ts";
import type { Figure } from "./figure.ts";
import { marksOf, type Load } from "./load.ts";
import type { Peer, RunningPeer } from "./peers/peer.ts";
import type { ViewerReport } from "./viewer-plan.ts";
import { Viewers } from "./viewers.ts";

/** Warm-up events, because programs get faster in their first second. */
const warmUp: Load = { kind: "burst", count: 20_000, blockBytes: 60_000 };

export interface RunOptions {
  readonly load: Load;
  readonly viewers?: number;
  /** The number of viewers that read nothing until the others have everything. */
  readonly stalled?: number;
  /** The number of warm-up events, if the default takes too long. */
  readonly warmUpCount?: number;
}

/** Measures the CPU time of another process during `run`. */
export async function measureProcess(
  pid: number,
  events: number,
  run: () => Promise<ViewerReport>,
): Promise<{ report: ViewerReport; cpuPerEvent: number }> {
  const before = cpuOf(pid);
  const report = await run();
  return { report, cpuPerEvent: (cpuOf(pid) - before) / events };
}

/** The CPU time of a process after a run, until it is idle. */
export async function laterCpu(pid: number, events: number): Promise<number> {
  const before = cpuOf(pid);
  await untilQuiet(pid);
  return (cpuOf(pid) - before) / events;
}

/** The number of lost and misplaced events. */
export function gapsIn(report: ViewerReport, expected: number): number {
  return Math.max(report.gaps, Math.abs(expected - report.delivered));
}

/** Agent → system → viewers: the agent plays the load once, and every viewer counts the events. */
export async function endToEnd(peer: Peer, options: RunOptions): Promise<Figure> {
  await using running = await peer.start(agentCommand);
  return await measureRun(running, options);
}

async function measureRun(running: RunningPeer, options: RunOptions): Promise<Figure> {
  const { load, viewers = 1, stalled = 0, warmUpCount = warmUp.count } = options;
  const phases = [{ ...warmUp, count: warmUpCount }, load];
  const session = await running.open();
  await using attached = await Viewers.attach([session], phases, { viewers, stalled });
  await attached.go();
  await untilQuiet(running.pid);
  const memoryBefore = memoryMbOf(running.pid);
  const events = marksOf(load);
  const { report, cpuPerEvent } = await measureProcess(running.pid, events, () => attached.go());
  const laterCpuPerEvent = await laterCpu(running.pid, events);
  const figure = {
    cpuPerEvent,
    laterCpuPerEvent,
    wallMs: report.wallMs,
    events,
    gaps: gapsIn(report, events * (viewers - stalled)),
    ...(load.kind === "paced" && { p50Us: report.p50Us, p99Us: report.p99Us }),
    memoryMb: memoryMbOf(running.pid) - memoryBefore,
  };
  if (stalled === 0) return figure;
  const resumed = await attached.resume();
  return {
    ...figure,
    resumeMs: resumed.wallMs,
    gaps: figure.gaps + gapsIn(resumed, events * stalled),
  };
}
