/** How one viewer attaches to a system, and what it sends. */
export interface ViewerPlan {
  /** `stdio`: the viewer starts `command`, and uses its standard input and output. */
  readonly transport: "ws" | "tcp" | "sse" | "stdio";
  readonly command?: readonly string[];
  readonly port: number;
  readonly path: string;
  /** Additional header lines of the request. */
  readonly headers: readonly string[];
  /** Sent as soon as it is connected. */
  readonly hello: readonly string[];
  /** It is attached when it has received this text. */
  readonly ready: string;
  /** Sent at the start of each phase; empty for a passive viewer. */
  readonly phases: readonly string[];
  /**
   * A regular expression that finds permission requests and captures their id, and the answer, in which `$1` is the id.
   */
  readonly asks?: { readonly find: string; readonly answer: string };
}

/** The first input line of the viewers' process. */
export interface ViewerJob {
  readonly viewers: readonly ViewerPlan[];
  /** The number of events that each viewer should receive in each phase. */
  readonly expected: readonly number[];
  /** Whether to measure latencies, which makes viewers more expensive. */
  readonly timed: boolean;
  /** This many viewers read nothing in the last phase until they are resumed. */
  readonly stalled: number;
}

/** What the viewers received in one phase. */
export interface ViewerReport {
  /** From the start of the phase to the last event of the last viewer. */
  readonly wallMs: number;
  /** Over all viewers. */
  readonly delivered: number;
  /** Misplaced events. */
  readonly gaps: number;
  readonly p50Us: number;
  readonly p99Us: number;
  /** When the phase began and when its last event arrived, by the shared clock. */
  readonly fromUs: number;
  readonly toUs: number;
  /** When each event was written and its latency, if there are few. */
  readonly samples: readonly (readonly [number, number])[];
}
