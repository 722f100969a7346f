/** How one viewer attaches to a system, and what it says to it. */
export interface ViewerPlan {
  readonly transport: "ws" | "tcp" | "sse";
  readonly port: number;
  readonly path: string;
  /** Lines of the request's head, beside those that every request has. */
  readonly headers: readonly string[];
  /** Said as soon as it is connected. */
  readonly hello: readonly string[];
  /** It is attached when this has come. */
  readonly ready: string;
  /** Said at the start of each phase; nothing for one that only looks on. */
  readonly phases: readonly string[];
  /** How it finds asks in what comes, as a regular expression with the id in it, and what it answers: `$1` is the id. */
  readonly asks?: { readonly find: string; readonly answer: string };
}

/** What the process of the viewers is told by its first line. */
export interface ViewerJob {
  readonly viewers: readonly ViewerPlan[];
  /** How many events each viewer should get in each phase. */
  readonly expected: readonly number[];
  /** Whether to look at how long each event took: not where viewers are to cost as little as they can. */
  readonly timed: boolean;
  /** The last so many viewers read nothing in the last phase, until they are told to go on. */
  readonly stalled: number;
}

/** What the viewers got in one phase. */
export interface ViewerReport {
  /** From the word to go to the last event of the last viewer. */
  readonly wallMs: number;
  /** At all viewers together. */
  readonly delivered: number;
  /** Events that did not follow the one before them. */
  readonly gaps: number;
  readonly p50Us: number;
  readonly p99Us: number;
  /** When the phase began and when its last event came, by the clock that all processes share. */
  readonly fromUs: number;
  readonly toUs: number;
  /** When each event was written and how long it took, where there are few. */
  readonly samples: readonly (readonly [number, number])[];
}
