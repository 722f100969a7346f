import { LandlineError, type ErrorCode, type Limits } from "@landline/protocol";

/** What the thread that fills the database is started with. */
export interface IndexThreadData {
  /** The folder of all logs. */
  readonly logs: string;
  readonly database: string;
  readonly limits: Limits;
}

/** How far each of these sessions' logs may be read. */
export type Heads = readonly (readonly [sessionId: string, head: number])[];

/** What it is asked for, and answers. */
export type IndexRequest =
  | { readonly type: "catch-up"; readonly heads: Heads }
  | { readonly type: "delete"; readonly sessionId: string }
  | { readonly type: "flush" };

export type ToIndexThread =
  /** These logs have grown, and are to be followed. */
  | { readonly type: "grown"; readonly heads: Heads }
  | { readonly type: "request"; readonly id: number; readonly request: IndexRequest }
  | { readonly type: "close" };

export type FromIndexThread =
  | { readonly type: "done"; readonly id: number; readonly failure: PlainError | null }
  | { readonly type: "problem"; readonly problem: PlainError };

/** An error of ours as it goes from thread to thread, which keeps no class and no cause. */
export interface PlainError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly help: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export function toPlainError(error: unknown): PlainError {
  const { code, message, help, data } =
    error instanceof LandlineError ? error : new LandlineError("internal-error", { cause: error });
  return { code, message, help, data };
}

export function fromPlainError({ code, message, help, data }: PlainError): LandlineError {
  return new LandlineError(code, { message, help, data });
}
