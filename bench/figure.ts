import { readdirSync, readFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";

/** The measurements of one run of a variant. */
export interface Figure {
  /** CPU time of the measured process, all threads, in microseconds per event. */
  readonly cpuPerEvent: number;
  readonly wallMs: number;
  readonly events: number;
  /** Lost or misplaced events. Any of them invalidates the run. */
  readonly gaps: number;
  /** The longest time for which the event loop was blocked. */
  readonly longestBlockMs?: number;
  /** The 99th percentile of the time of one append. */
  readonly appendP99Ms?: number;
  /** CPU time after everything was delivered, in microseconds per event. */
  readonly laterCpuPerEvent?: number;
  /** From the agent's write to the viewer; for a round trip, from its write to the answer. */
  readonly p50Us?: number;
  readonly p99Us?: number;
  /** The growth of the process. */
  readonly memoryMb?: number;
  /** The time in which a viewer that had stopped reading received everything. */
  readonly resumeMs?: number;
  /** From the start of an agent to its answer to `initialize`. */
  readonly initializeMs?: number;
  /** From opening the URL until the wanted content is visible. */
  readonly openMs?: number;
  /** The total time of the page's tasks of 50 ms or more. */
  readonly longTasksMs?: number;
  /** The compressed size of what the page loads before it shows anything. */
  readonly firstLoadKb?: number;
  /** Why there is no figure: the system is not available. */
  readonly missing?: string;
}

/** The optional figures, and how they are shown. */
export const extraFigures = {
  laterCpuPerEvent: { title: "later CPU µs/event", digits: 2 },
  longestBlockMs: { title: "longest block ms", digits: 2 },
  appendP99Ms: { title: "append p99 ms", digits: 3 },
  p50Us: { title: "p50 µs", digits: 0 },
  p99Us: { title: "p99 µs", digits: 0 },
  memoryMb: { title: "memory MB", digits: 2 },
  resumeMs: { title: "resume ms", digits: 1 },
  initializeMs: { title: "initialize ms", digits: 0 },
  openMs: { title: "open ms", digits: 0 },
  longTasksMs: { title: "long tasks ms", digits: 0 },
  firstLoadKb: { title: "first load kB", digits: 1 },
} as const;

export type Medians = ReadonlyMap<string, Figure>;

/** A statement about the medians of one suite, optionally with a target. */
export interface Claim {
  readonly text: string;
  readonly value: (medians: Medians) => number;
  readonly atMost?: number;
  readonly atLeast?: number;
}

/** Variants that do the same work in different ways. They alternate, each run in a separate process. */
export interface Suite {
  readonly name: string;
  readonly about: string;
  readonly variants: Readonly<Record<string, (context: string) => Promise<Figure>>>;
  readonly claims: readonly Claim[];
  /** The default number of rounds. */
  readonly rounds?: number;
  /** Variants that are not Landline. Their lost events are shown and do not invalidate claims. */
  readonly peers?: readonly string[];
  /** Prepares a folder that all runs of the suite use; its path is their context. */
  readonly prepare?: (folder: string) => Promise<void>;
}

/** A claim can't be checked, because a compared system is not available. */
export class MissingFigure extends Error {}

export function figureOf(medians: Medians, variant: string): Figure {
  const figure = medians.get(variant);
  if (!figure) throw new Error(`No figure of ${variant}.`);
  if (figure.missing !== undefined) throw new MissingFigure(figure.missing);
  return figure;
}

export function cpuRatio(medians: Medians, variant: string, against: string): number {
  return figureOf(medians, variant).cpuPerEvent / figureOf(medians, against).cpuPerEvent;
}

/** The ratio of events per second, which is the inverse of the ratio of times. */
export function speedRatio(medians: Medians, variant: string, against: string): number {
  const speed = (name: string) => figureOf(medians, name).events / figureOf(medians, name).wallMs;
  return speed(variant) / speed(against);
}

/** The factor by which the CPU time per event is smaller. */
export function cpuGain(medians: Medians, ours: string, theirs: string): number {
  return 1 / cpuRatio(medians, ours, theirs);
}

/** The ratio of an optional figure of two variants. */
export function extraRatio(
  medians: Medians,
  name: keyof typeof extraFigures,
  variant: string,
  against: string,
): number {
  return extraOf(medians, name, variant) / extraOf(medians, name, against);
}

export function extraOf(
  medians: Medians,
  name: keyof typeof extraFigures,
  variant: string,
): number {
  return figureOf(medians, variant)[name] ?? Number.NaN;
}

/** CPU time over all threads: the most stable figure on a noisy machine. */
function cpuMicroseconds(): number {
  try {
    return readdirSync("/proc/self/task").reduce((sum, task) => {
      const [onProcessor = "0"] = readFileSync(`/proc/self/task/${task}/schedstat`, "utf8").split(
        " ",
      );
      return sum + Number(onProcessor) / 1_000;
    }, 0);
  } catch {
    const { user, system } = process.cpuUsage();
    return user + system;
  }
}

/** Measures the CPU time of this process and the elapsed time until `stop`. */
export function startMeter(): { stop(events: number, gaps: number): Figure } {
  globalThis.gc?.();
  const cpu = cpuMicroseconds();
  const startedAt = performance.now();
  return {
    stop: (events, gaps) => ({
      cpuPerEvent: (cpuMicroseconds() - cpu) / events,
      wallMs: performance.now() - startedAt,
      events,
      gaps,
    }),
  };
}

/** Measures the longest block of the event loop, with a resolution of a millisecond. */
export async function watchLoop(): Promise<{ stop(): Promise<number> }> {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  // The monitor compares with the previous turn, which a reset discards: each step needs its own turn.
  const turn = () => new Promise((resolve) => setTimeout(resolve, 5));
  await turn();
  delays.reset();
  await turn();
  return {
    stop: async () => {
      await turn();
      delays.disable();
      return delays.max / 1e6;
    },
  };
}
