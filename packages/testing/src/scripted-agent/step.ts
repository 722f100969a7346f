import type { PromptResult } from "./prompt-result.ts";
import type { JsonObject } from "./json.ts";

/** A step has one name, and optionally `child` (another session id) and `about`. */
export type Step = {
  readonly [Name in StepName]: { readonly [Key in Name]: StepBodies[Name] } & StepExtras;
}[StepName];

export type StepName = keyof StepBodies;

interface StepExtras {
  readonly child?: string;
  readonly about?: string;
}

export interface StepBodies {
  // Session updates.
  readonly say: string | Saying;
  readonly think: string | Saying;
  readonly hear: string | Saying;
  readonly flood: Flood;
  readonly update: JsonObject;
  readonly tool: JsonObject;
  readonly toolUpdate: JsonObject;
  readonly plan: readonly JsonObject[];
  readonly mode: string;
  readonly config: JsonObject;
  readonly usage: JsonObject;
  readonly title: string;
  readonly commands: readonly JsonObject[];
  readonly notice: JsonObject;
  readonly environment: true | readonly string[];
  // Requests to the client.
  readonly permission: Asking & {
    readonly toolCall: JsonObject;
    readonly options?: readonly JsonObject[];
  };
  readonly ask: Asking & { readonly message: string };
  readonly askDone: string;
  readonly readFile: Asking & { readonly path: string };
  readonly writeFile: Asking & { readonly path: string; readonly content: string };
  readonly createTerminal: Asking & { readonly command: string };
  readonly terminalOutput: Asking;
  readonly waitForExit: Asking;
  readonly killTerminal: Asking;
  readonly releaseTerminal: Asking;
  readonly request: Asking & { readonly method: string; readonly params?: unknown };
  readonly notify: { readonly method: string; readonly params?: unknown };
  // Order and time.
  readonly wait: number;
  readonly repeat: { readonly times: number; readonly steps: readonly Step[] };
  readonly together: readonly (readonly Step[])[];
  readonly whenClient: {
    readonly has: string;
    readonly steps: readonly Step[];
    readonly otherwise?: readonly Step[];
  };
  readonly check: { readonly value: unknown; readonly equals: unknown };
  readonly end: PromptResult;
  readonly answerEarly: PromptResult;
  // Transport faults.
  readonly silence: number | "forever";
  readonly garbage: string | { readonly bytes: number };
  readonly bytes: string;
  readonly invalidUtf8: string;
  readonly oversized: { readonly bytes: number; readonly update?: JsonObject };
  readonly message: JsonObject;
  readonly oneWrite: readonly Step[];
  readonly split: {
    readonly at: readonly number[];
    readonly everyMs?: number;
    readonly steps: readonly Step[];
  };
  // The process.
  readonly stderr:
    | string
    | { readonly lines: number; readonly bytes?: number; readonly perSecond?: number };
  readonly spawn: Spawning;
  readonly crash: number | Crash;
}

export interface Saying {
  readonly text?: string;
  /** A content block, instead of text. */
  readonly content?: JsonObject;
  readonly messageId?: string;
  /** Sends the text in chunks of this many characters. */
  readonly chunkChars?: number;
  readonly everyMs?: number;
}

export interface Flood {
  readonly count: number;
  /** Length of each chunk's text, which starts with its number. */
  readonly bytes?: number;
  /** Default: as fast as the client reads. */
  readonly perSecond?: number;
  /** Lines per write. Default: as many as fit into 64 KiB. */
  readonly perWrite?: number;
  readonly messageId?: string;
  readonly as?: "say" | "think";
}

/** Fields of every request to the client, about its answer. */
export interface Asking {
  readonly [param: string]: unknown;
  /** Steps by answer: an option id, its kind, `allow`, `reject`, an action, `ok`, an error code, `error`, `otherwise`. */
  readonly on?: Readonly<Record<string, readonly Step[]>>;
  /** Must be contained in the result, or, as `{ "error": … }`, in the error. */
  readonly expect?: unknown;
  /** The name of the result for later steps. */
  readonly save?: string;
  /** False: does not wait for the answer. */
  readonly wait?: boolean;
}

export interface Spawning {
  readonly forMs: number;
  /** Starts a new process session, so that a signal to the agent's group does not reach it. */
  readonly detached?: boolean;
  readonly ignoresSigterm?: boolean;
  /** Keeps the agent's stdout and stderr open. */
  readonly holdsOutput?: boolean;
  readonly save?: string;
}

interface Crash {
  readonly code?: number;
  readonly signal?: string;
  /** Writes half a line first. */
  readonly halfLine?: boolean;
}
