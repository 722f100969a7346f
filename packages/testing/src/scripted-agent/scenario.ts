import type { PromptResult, RpcError } from "./prompt-result.ts";
import type { JsonObject } from "./json.ts";
import type { Step } from "./step.ts";

/** A scenario file, as docs/scenarios.md describes it. Objects of ACP stand in it as they are sent. */
export interface Scenario {
  readonly about: string;
  /** The result of `initialize`; `protocolVersion` 1 is added when it is missing. */
  readonly initialize?: JsonObject;
  /** `required`: sessions are refused with -32000 until `authenticate`, and again after `logout`. */
  readonly authentication?: "none" | "required";
  /** What `--login` asks for in a terminal. */
  readonly login?: Login;
  readonly session?: SessionSetup;
  readonly turns: readonly Turn[];
  /** What a prompt gets when every turn was played: the last one again, all from the start, an error. */
  readonly whenTurnsRunOut?: "last" | "again" | "error";
  /** What differs from the usual answer, by method. */
  readonly answers?: Readonly<Record<string, Answer | readonly Answer[]>>;
  readonly cancel?: CancelHabit;
  /** What `$/cancel_request` does: the request is answered with -32800, or nothing happens. */
  readonly cancelRequest?: "honour" | "ignore";
  readonly secondPrompt?: SecondPromptHabit;
  /** Ids of the agent's own requests: numbers from 0, or UUID strings. */
  readonly requestIds?: "numbers" | "uuids";
  readonly process?: ProcessHabits;
  /** Played before anything is read. */
  readonly atStart?: readonly Step[];
  /** The folder that sessions are kept in, so that a restarted agent can load them. */
  readonly state?: string;
}

export interface Login {
  /** What has to be entered. */
  readonly code: string;
}

export interface SessionSetup {
  /** Ids given out in this order; after them, and without them, UUIDs. */
  readonly ids?: readonly string[];
  readonly modes?: JsonObject;
  readonly configOptions?: readonly JsonObject[];
  /** Boolean options go only to clients that offered to show them, unless `always`. */
  readonly booleanOptions?: "offered" | "always";
  readonly models?: JsonObject;
  /** Sent as `available_commands_update` right after new, load, resume and fork. */
  readonly commands?: readonly JsonObject[];
  /** Where `session/load` replays: before its response, after it, one update before and the rest after, nowhere. */
  readonly replay?: "before" | "after" | "first-before" | "none";
  /** The error for a session that is not known; -32002 unless told. */
  readonly notFound?: RpcError;
  /** What load and resume of an unknown id get: an empty session, or this error instead of `notFound`. */
  readonly loadUnknown?: "accept" | RpcError;
  /** Kinds of updates that a replay tells; all of the conversation unless told. */
  readonly replayKinds?: readonly string[];
  /**
   * `resumed`: resume is answered, but the session is not found then. `loaded`, `forked`: the next start does not
   * know one that was loaded, or made by a fork.
   */
  readonly forgets?: "resumed" | "loaded" | "forked";
  /** Sessions on one page of `session/list`. */
  readonly pageSize?: number;
}

export interface Turn {
  readonly about?: string;
  /** Only for prompts with this text in them, or that `/this/i` matches. */
  readonly match?: string;
  /** How often this turn is played: a turn with `match` as often as it fits, another one once. */
  readonly times?: number;
  readonly steps: readonly Step[];
  /** `end_turn` unless told. */
  readonly end?: PromptResult;
  readonly cancel?: CancelHabit;
}

export interface Answer {
  /** Only for params that contain this. */
  readonly match?: JsonObject;
  /** How often this answer is given before the next one that fits is taken. */
  readonly times?: number;
  readonly delayMs?: number;
  readonly before?: readonly Step[];
  readonly after?: readonly Step[];
  /** Instead of the usual result. */
  readonly result?: unknown;
  /** Fields added to the usual result. */
  readonly add?: JsonObject;
  readonly error?: RpcError;
  readonly raw?: JsonObject;
  readonly never?: boolean;
}

export interface CancelHabit {
  readonly habit?: "honour" | "ignore";
  readonly afterMs?: number;
  /** Played between the cancel and the answer. */
  readonly steps?: readonly Step[];
  /** `cancelled` unless told. */
  readonly end?: PromptResult;
  /** Sends `$/cancel_request` for the agent's own open requests. */
  readonly cancelsRequests?: boolean;
}

type SecondPromptHabit =
  | "queue"
  | "parallel"
  | "never"
  | "cancelFirst"
  | { readonly reject: RpcError }
  | { readonly failFirst: RpcError };

/** `stay` ends by itself after `strayLimitMs`, so that no test leaves a process behind. */
export type ExitHabit = "exit" | "stay" | { readonly afterMs?: number; readonly code?: number };

interface ProcessHabits {
  readonly stdinClose?: ExitHabit;
  /** The same while a turn runs; as `stdinClose` unless told. */
  readonly stdinCloseBusy?: ExitHabit;
  /** Without it, SIGTERM kills as it does any program. */
  readonly sigterm?: ExitHabit;
  readonly strayLimitMs?: number;
}
