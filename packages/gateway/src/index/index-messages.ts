import { LandlineError, type ErrorCode, type Limits } from "@landline/protocol";

/** The start data of the index thread. */
export interface IndexThreadData {
  /** The folder of all logs. */
  readonly logs: string;
  readonly database: string;
  readonly limits: Limits;
}

/** The sequence number up to which each log may be read. */
export type Heads = readonly (readonly [sessionId: string, head: number])[];

/** Requests to the thread, and its responses. */
export type IndexRequest =
  | { readonly type: "catch-up"; readonly heads: Heads }
  | { readonly type: "delete"; readonly sessionId: string }
  | { readonly type: "flush" };

export type ToIndexThread =
  /** These logs have grown and must be followed. */
  | { readonly type: "grown"; readonly heads: Heads }
  | { readonly type: "request"; readonly id: number; readonly request: IndexRequest }
  | { readonly type: "close" };

export type FromIndexThread =
  | { readonly type: "done"; readonly id: number; readonly failure: PlainError | null }
  | { readonly type: "problem"; readonly problem: PlainError };

/** A `LandlineError` between threads, where the class and the cause are lost. */
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
