import { LandlineError } from "@landline/protocol";

/**
 * The state of a live session, in parts that change independently. Every change is an event of the tables below.
 */
export interface SessionState {
  /** `paused`: somebody signs out of its agent. `stopped`: this gateway no longer runs it. */
  readonly access: "open" | "opening" | "paused" | "closing" | "stopped";
  /**
   * `waiting`: for a free slot, for a sign-out, or for the previous process to end. `starting`: initialize is not
   * answered. `opening`: the agent creates its session. `replaying`: the agent restores its session, and history is
   * dropped. `resumed`: restored, but history may still arrive. `ready`: every update is new.
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
  /** A turn may run before its agent has started. */
  readonly turn: "none" | "running";
  /** `paused`: queued prompts wait until a person sends one, or until the recovery after a start. */
  readonly queue: "running" | "paused";
  /** `interrupted`: an earlier gateway was killed, and the log lacks the ends of what it ran. They are recorded first. */
  readonly log: "complete" | "interrupted";
  /** The number of commands, besides a turn, that the agent executes: choices of options, forks. */
  readonly commands: number;
}

type Part = Exclude<keyof SessionState, "commands">;

type Table<Of extends string> = Readonly<Record<string, Readonly<Partial<Record<Of, Of>>>>>;

const access = {
  open: { open: "opening" },
  // The session may have been closed meanwhile.
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
  // Two clients may close it at the same time.
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
  // The start was cancelled before the previous process had ended.
  "agent-not-needed": { waiting: "ending" },
  "agent-admitted": { waiting: "starting" },
  "agent-introduced": { starting: "opening" },
  "agent-replays": { opening: "replaying", replaying: "replaying" },
  "agent-starts-over": { opening: "opening", replaying: "opening" },
  "agent-started": { opening: "ready", replaying: "resumed" },
  "agent-prompted": { resumed: "ready", ready: "ready" },
  "agent-failed": { waiting: "absent", starting: "absent", opening: "absent", replaying: "absent" },
  "agent-leaving": { resumed: "ending", ready: "ending" },
  // The next start may already be waiting.
  "agent-left": { ending: "absent", waiting: "waiting" },
} as const satisfies Table<SessionState["agent"]>;

const turn = {
  "turn-begun": { none: "running" },
  "turn-over": { running: "none" },
} as const satisfies Table<SessionState["turn"]>;

const queue = {
  "queue-paused": { running: "paused", paused: "paused" },
  "queue-resumed": { running: "running", paused: "running" },
} as const satisfies Table<SessionState["queue"]>;

const log = {
  "log-interrupted": { complete: "interrupted" },
  "log-completed": { interrupted: "complete" },
} as const satisfies Table<SessionState["log"]>;

/** For each part of the state: event, state before, state after. */
export const transitions = { access, agent, turn, queue, log } as const;

/** What each event adds to `commands`. */
export const commandEvents = { "command-begun": 1, "command-over": -1 } as const;

export type StateEvent =
  | { [Name in Part]: keyof (typeof transitions)[Name] }[Part]
  | keyof typeof commandEvents;

export const firstState: SessionState = {
  access: "open",
  agent: "absent",
  turn: "none",
  queue: "running",
  log: "complete",
  commands: 0,
};

/** Null when the event is not possible in this state. */
export function nextState(state: SessionState, event: StateEvent): SessionState | null {
  if (event === "turn-begun" && !mayBegin(state)) return null;
  // The missing end events are recorded before anything new.
  const isNew = event === "turn-begun" || event === "agent-needed";
  if (isNew && state.log === "interrupted") return null;
  if (event === "command-begun" || event === "command-over") {
    const commands = state.commands + commandEvents[event];
    return commands < 0 ? null : { ...state, commands };
  }
  for (const [part, table] of Object.entries(transitions)) {
    const row = (table as Table<string>)[event];
    if (!row) continue;
    const after = row[state[part as Part]];
    return after === undefined ? null : { ...state, [part]: after };
  }
  return null;
}

/** Whether the next prompt of the queue may begin its turn. */
export function mayBegin(state: SessionState): boolean {
  return isUnused(state) && state.queue === "running";
}

function isUnused({ access: now, turn: running }: SessionState): boolean {
  return now === "open" && running === "none";
}

/** Whether it has neither an agent nor a turn. */
export function isDormant({ agent: phase, turn: running }: SessionState): boolean {
  return phase === "absent" && running === "none";
}

/** Whether a turn runs or its agent starts. */
export function isWorking(state: SessionState): boolean {
  return state.turn !== "none" || state.access === "opening" || isStarting(state);
}

export function isStarting({ agent: phase }: SessionState): boolean {
  return phase === "waiting" || phase === "starting" || isOpening(phase);
}

/** Whether updates of the agent are held until its session is open. */
export function isOpening(phase: SessionState["agent"]): boolean {
  return phase === "opening" || phase === "replaying";
}

export function isRunning({ agent: phase }: SessionState): boolean {
  return phase === "resumed" || phase === "ready";
}

/** Whether it has an agent that neither a turn nor a command uses. */
export function isQuiet(state: SessionState): boolean {
  return isRunning(state) && isUnused(state) && state.commands === 0;
}

export function isOver({ access: now }: SessionState): boolean {
  return now === "closing" || now === "stopped";
}

export function mustBeOpen(state: SessionState): void {
  if (isOver(state)) throw new LandlineError("session-closed");
}

/** The state of one session, shared by its parts. */
export class StateMachine {
  #state = firstState;

  get now(): SessionState {
    return this.#state;
  }

  apply(event: StateEvent): void {
    const next = nextState(this.#state, event);
    if (next === null)
      throw new LandlineError("internal-error", {
        message: `A session cannot take ${event} in the state ${JSON.stringify(this.#state)}.`,
      });
    this.#state = next;
  }
}
