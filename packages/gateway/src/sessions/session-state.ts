import { LandlineError } from "@landline/protocol";

/**
 * What a live session is doing, in three parts that change by themselves: whether it takes work, where its agent is,
 * and whether a turn runs (which may be before its agent is there). Every change is an event of the tables below.
 */
export interface SessionState {
  /** `paused`: somebody signs out of its agent. `stopped`: it is over in this gateway. */
  readonly access: "open" | "opening" | "paused" | "closing" | "stopped";
  /**
   * `waiting`: for a free slot, or for the one before to end. `starting`: it has not answered initialize. `opening`: its
   * session is made. `replaying`: it goes back to its session, and what tells history is dropped. `resumed`: it went
   * back and may still tell history. `ready`: all that it says is news.
   */
  readonly agent:
    | "absent"
    | "waiting"
    | "starting"
    | "opening"
    | "replaying"
    | "resumed"
    | "ready"
    | "ending";
  readonly turn: "none" | "running";
}

type Table<Of extends string> = Readonly<Record<string, Readonly<Partial<Record<Of, Of>>>>>;

const access = {
  open: { open: "opening" },
  // It may have been closed meanwhile.
  opened: {
    opening: "open",
    open: "open",
    paused: "paused",
    closing: "closing",
    stopped: "stopped",
  },
  pause: { open: "paused" },
  resume: { paused: "open", open: "open", closing: "closing", stopped: "stopped" },
  close: {
    open: "closing",
    opening: "closing",
    paused: "closing",
    closing: "closing",
    stopped: "stopped",
  },
  // Two may close it at once.
  closed: { closing: "open", open: "open", stopped: "stopped" },
  stop: {
    open: "stopped",
    opening: "stopped",
    paused: "stopped",
    closing: "stopped",
    stopped: "stopped",
  },
} as const satisfies Table<SessionState["access"]>;

const agent = {
  "agent-needed": { absent: "waiting", ending: "waiting" },
  // It was given up before the one before had ended.
  "agent-not-needed": { waiting: "ending" },
  "agent-admitted": { waiting: "starting" },
  "agent-introduced": { starting: "opening" },
  "agent-replays": { opening: "replaying", replaying: "replaying" },
  "agent-begins-anew": { opening: "opening", replaying: "opening" },
  "agent-started": { opening: "ready", replaying: "resumed" },
  "agent-prompted": { resumed: "ready", ready: "ready" },
  "agent-failed": { waiting: "absent", starting: "absent", opening: "absent", replaying: "absent" },
  "agent-leaving": { resumed: "ending", ready: "ending" },
  // The next one may be wanted already.
  "agent-left": { ending: "absent", waiting: "waiting" },
} as const satisfies Table<SessionState["agent"]>;

const turn = {
  "turn-begun": { none: "running" },
  "turn-over": { running: "none" },
} as const satisfies Table<SessionState["turn"]>;

export type StateEvent = keyof typeof access | keyof typeof agent | keyof typeof turn;

/** For each part of the state: event, state before, state after. */
export const transitions = { access, agent, turn } as const;

export const firstState: SessionState = { access: "open", agent: "absent", turn: "none" };

/** Null when that can't happen now. */
export function nextState(state: SessionState, event: StateEvent): SessionState | null {
  if (event === "turn-begun" && !mayBegin(state)) return null;
  for (const [part, table] of Object.entries(transitions)) {
    const row = (table as Table<string>)[event];
    if (!row) continue;
    const after = row[state[part as keyof SessionState]];
    return after === undefined ? null : { ...state, [part]: after };
  }
  return null;
}

/** Whether another turn may begin. */
export function mayBegin({ access: now, turn: running }: SessionState): boolean {
  return now === "open" && running === "none";
}

/** Whether neither an agent nor a turn is there. */
export function isDormant({ agent: phase, turn: running }: SessionState): boolean {
  return phase === "absent" && running === "none";
}

/** Whether its agent has something to do, or is just being started. */
export function isWorking(state: SessionState): boolean {
  return state.turn !== "none" || state.access === "opening" || isStarting(state);
}

/** Whether its agent is not there yet, and will be. */
export function isStarting({ agent: phase }: SessionState): boolean {
  return phase === "waiting" || phase === "starting" || isOpening(phase);
}

/** Whether what the agent says is held until its session is open. */
export function isOpening(phase: SessionState["agent"]): boolean {
  return phase === "opening" || phase === "replaying";
}

export function isRunning({ agent: phase }: SessionState): boolean {
  return phase === "resumed" || phase === "ready";
}

/** Whether it has an agent that no turn uses. */
export function isQuiet(state: SessionState): boolean {
  return isRunning(state) && mayBegin(state);
}

export function isOver({ access: now }: SessionState): boolean {
  return now === "closing" || now === "stopped";
}

/** The state of one session, for its parts. */
export class StateMachine {
  #state = firstState;

  get now(): SessionState {
    return this.#state;
  }

  apply(event: StateEvent): void {
    const next = nextState(this.#state, event);
    if (next === null)
      throw new LandlineError("internal-error", {
        message: `${event} can't happen to a session that is ${Object.values(this.#state).join(", ")}.`,
      });
    this.#state = next;
  }
}
