import type { PromptResult, RpcError } from "./prompt-result.ts";
import type { JsonObject } from "./json.ts";
import type { Step } from "./step.ts";

/** A scenario file, as docs/scenarios.md describes it. ACP objects in it are sent unchanged. */
export interface Scenario {
  readonly about: string;
  /** The result of `initialize`. `protocolVersion` defaults to 1. */
  readonly initialize?: JsonObject;
  /** `required`: sessions are refused with -32000 until `authenticate`, and again after `logout`. */
  readonly authentication?: "none" | "required";
  /** The prompt of `--login` in a terminal. */
  readonly login?: Login;
  readonly session?: SessionSetup;
  readonly turns: readonly Turn[];
  /** What happens after the last turn: repeat it, start over, or answer with an error. */
  readonly whenTurnsRunOut?: "last" | "again" | "error";
  /** Answers that differ from the default, by method. */
  readonly answers?: Readonly<Record<string, Answer | readonly Answer[]>>;
  readonly cancel?: CancelHabit;
  /** Whether `$/cancel_request` answers the request with -32800 or is ignored. */
  readonly cancelRequest?: "honour" | "ignore";
  readonly secondPrompt?: SecondPromptHabit;
  /** The ids of the agent's requests: numbers from 0, or UUIDs. */
  readonly requestIds?: "numbers" | "uuids";
  readonly process?: ProcessHabits;
  /** Steps that are played before any input is read. */
  readonly atStart?: readonly Step[];
  /** The folder for sessions, so that a restarted agent can load them. */
  readonly state?: string;
}

export interface Login {
  /** The expected input. */
  readonly code: string;
}

export interface SessionSetup {
  /** Session ids in this order; then UUIDs. */
  readonly ids?: readonly string[];
  readonly modes?: JsonObject;
  readonly configOptions?: readonly JsonObject[];
  /** Boolean options are sent only to clients that support them, unless `always`. */
  readonly booleanOptions?: "offered" | "always";
  readonly models?: JsonObject;
  /** Sent as `available_commands_update` right after new, load, resume and fork. */
  readonly commands?: readonly JsonObject[];
  /** When `session/load` replays: before its response, after it, one update before and the rest after, or never. */
  readonly replay?: "before" | "after" | "first-before" | "none";
  /** The error for an unknown session. Default: -32002. */
  readonly notFound?: RpcError;
  /** The answer to load and resume of an unknown id: an empty session, or this error instead of `notFound`. */
  readonly loadUnknown?: "accept" | RpcError;
  /** The kinds of updates that a replay sends. Default: all of the conversation. */
  readonly replayKinds?: readonly string[];
  /**
   * Sessions that are lost: `resumed` ones after the answer to resume; `loaded` or `forked` ones after a restart.
   */
  readonly forgets?: "resumed" | "loaded" | "forked";
  /** Sessions on one page of `session/list`. */
  readonly pageSize?: number;
}

export interface Turn {
  readonly about?: string;
  /** Only for prompts that contain this text, or that match `/this/i`. */
  readonly match?: string;
  /** How often this turn is played. Default: unlimited with `match`, else once. */
  readonly times?: number;
  readonly steps: readonly Step[];
  /** Default: `end_turn`. */
  readonly end?: PromptResult;
  readonly cancel?: CancelHabit;
}

export interface Answer {
  /** Only for params that contain this. */
  readonly match?: JsonObject;
  /** How often this answer is given before the next matching one. */
  readonly times?: number;
  readonly delayMs?: number;
  readonly before?: readonly Step[];
  readonly after?: readonly Step[];
  /** Replaces the default result. */
  readonly result?: unknown;
  /** Fields added to the default result. */
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
  /** Default: `cancelled`. */
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

/** `stay` ends on its own after `strayLimitMs`, so that no test leaves a process behind. */
export type ExitHabit = "exit" | "stay" | { readonly afterMs?: number; readonly code?: number };

interface ProcessHabits {
  readonly stdinClose?: ExitHabit;
  /** The same during a turn. Default: `stdinClose`. */
  readonly stdinCloseBusy?: ExitHabit;
  /** Without it, SIGTERM ends the process. */
  readonly sigterm?: ExitHabit;
  readonly strayLimitMs?: number;
}
