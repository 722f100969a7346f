import { readdirSync, readFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";

/** What one run of one variant measured. */
export interface Figure {
  /** CPU of the measured process, all threads, in microseconds per event. */
  readonly cpuPerEvent: number;
  readonly wallMs: number;
  readonly events: number;
  /** Events that were not delivered, or not in their place. Anything but 0 spoils the run. */
  readonly gaps: number;
  /** The longest time for which the loop did nothing else. */
  readonly longestBlockMs?: number;
  /** The time that one append takes, of a hundred the longest but one. */
  readonly appendP99Ms?: number;
  /** CPU that was spent when everything was delivered already, in microseconds per event. */
  readonly laterCpuPerEvent?: number;
  /** From the agent's write to the viewer; of a round trip, from its write to the answer. */
  readonly p50Us?: number;
  readonly p99Us?: number;
  /** What the process took more than before. */
  readonly memoryMb?: number;
  /** The time in which a viewer that had stopped reading got everything. */
  readonly resumeMs?: number;
  /** From the start of an agent to its answer to `initialize`. */
  readonly initializeMs?: number;
  /** From the address to what a person came for. */
  readonly openMs?: number;
  /** Tasks of a page in which nothing else could happen for 50 ms or more: what they took together. */
  readonly longTasksMs?: number;
  /** What the page loads before it shows anything, compressed. */
  readonly firstLoadKb?: number;
  /** Why there is no figure: the system could not be had. */
  readonly missing?: string;
}

/** The figures that not every suite has, and how they are shown. */
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

/** A statement about the medians of one suite. What it says it must reach is part of it. */
export interface Claim {
  readonly text: string;
  readonly value: (medians: Medians) => number;
  readonly atMost?: number;
  readonly atLeast?: number;
}

/** Variants that do the same work in different ways; they take turns, each run in a process of its own. */
export interface Suite {
  readonly name: string;
  readonly about: string;
  readonly variants: Readonly<Record<string, (context: string) => Promise<Figure>>>;
  readonly claims: readonly Claim[];
  /** How often each variant runs unless told otherwise. */
  readonly rounds?: number;
  /** Variants that are not ours: what they lose is shown, and spoils no claim. */
  readonly peers?: readonly string[];
  /** Makes a folder that all runs of the suite use; its path is their context. */
  readonly prepare?: (folder: string) => Promise<void>;
}

/** A claim can't be looked at, because a system that it speaks of was not to be had. */
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

/** How many times as many events a second: the other way round than times. */
export function speedRatio(medians: Medians, variant: string, against: string): number {
  const speed = (name: string) => figureOf(medians, name).events / figureOf(medians, name).wallMs;
  return speed(variant) / speed(against);
}

/** How many times less CPU an event takes. */
export function cpuGain(medians: Medians, ours: string, theirs: string): number {
  return 1 / cpuRatio(medians, ours, theirs);
}

/** A figure that not every suite has, of one variant in parts of another's. */
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

/** Nanoseconds on a processor, over all threads: the steadiest figure that a noisy machine has. */
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

/** Measures the CPU of this process, and the time, from here to `stop`. */
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

/** Watches for how long the loop is blocked, by a timer that should come every millisecond. */
export async function watchLoop(): Promise<{ stop(): Promise<number> }> {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  // It compares with the turn before, and forgets that one in a reset: each needs a turn of its own.
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
