import { fromRpcError, LandlineError, type RpcErrorShape } from "@landline/protocol";
import { normaliseResult, type Hits } from "@landline/protocol/compat";
import { isRecord } from "@landline/system/json";
import type { RequestId } from "./message.ts";
import { resultProblem } from "./shapes.ts";

export type CallOutcome =
  | { readonly result: unknown; readonly error?: undefined }
  | { readonly error: LandlineError; readonly result?: undefined };

export interface CallOptions {
  /** Null or absent: no timeout. */
  readonly timeoutMs?: number | null;
}

interface OpenCall {
  readonly method: string;
  readonly settle: (outcome: CallOutcome) => void;
  readonly timer: NodeJS.Timeout | undefined;
}

/** Timed-out calls whose late responses are not reported as noise. */
const LATE_IDS_MAX = 256;

/** Open calls to the agent. Each call settles exactly once. */
export class Calls {
  readonly #open = new Map<RequestId, OpenCall>();
  readonly #late = new Set<RequestId>();
  readonly #hits: Hits;
  #nextId = 0;

  constructor(hits: Hits) {
    this.#hits = hits;
  }

  get size(): number {
    return this.#open.size;
  }

  add(
    method: string,
    options: CallOptions,
    settle: (outcome: CallOutcome) => void,
    onTimeout: (id: number) => void,
  ): number {
    const id = this.#nextId++;
    const { timeoutMs } = options;
    const timer =
      timeoutMs === undefined || timeoutMs === null
        ? undefined
        : setTimeout(() => {
            this.#giveUp(id, `The agent did not answer ${method} within ${timeoutMs} ms.`);
            onTimeout(id);
          }, timeoutMs);
    this.#open.set(id, { method, settle, timer });
    return id;
  }

  has(id: RequestId): boolean {
    return this.#open.has(id);
  }

  /** Returns the problem with the response, or null. */
  settle(id: RequestId, body: Readonly<Record<string, unknown>>): string | null {
    const call = this.#take(id);
    if (!call) return this.#late.delete(id) ? null : `a response to a request that was not made`;
    const outcome = this.#outcomeOf(call.method, body);
    call.settle(outcome);
    return outcome.error?.code === "agent-protocol-error" ? outcome.error.message : null;
  }

  /** Fails all open calls in the order in which they were sent, because the connection ended. */
  failAll(error: LandlineError): void {
    for (const id of this.#open.keys()) this.#take(id)?.settle({ error });
  }

  #outcomeOf(method: string, body: Readonly<Record<string, unknown>>): CallOutcome {
    const hasResult = body["result"] !== undefined;
    const hasError = body["error"] !== undefined;
    if (hasResult === hasError) {
      return wrong(
        method,
        hasResult ? "with both a result and an error" : "with neither a result nor an error",
      );
    }
    if (hasError) return errorOutcome(method, body["error"]);
    try {
      const result = normaliseResult(method, body["result"], this.#hits);
      const problem = resultProblem(method, result);
      return problem ? wrong(method, `wrongly: ${problem}`) : { result };
    } catch (error) {
      return {
        error:
          error instanceof LandlineError
            ? error
            : new LandlineError("internal-error", { cause: error }),
      };
    }
  }

  #giveUp(id: RequestId, message: string): void {
    const call = this.#take(id);
    this.#late.add(id);
    if (this.#late.size > LATE_IDS_MAX)
      for (const oldest of this.#late) {
        this.#late.delete(oldest);
        break;
      }
    call?.settle({
      error: new LandlineError("timeout", { message, data: { method: call.method } }),
    });
  }

  #take(id: RequestId): OpenCall | undefined {
    const call = this.#open.get(id);
    this.#open.delete(id);
    clearTimeout(call?.timer);
    return call;
  }
}

function errorOutcome(method: string, error: unknown): CallOutcome {
  if (
    !isRecord(error) ||
    !Number.isInteger(error["code"]) ||
    typeof error["message"] !== "string"
  ) {
    return wrong(method, "with an error that has no code and message");
  }
  const shape = error as unknown as RpcErrorShape;
  const about = method.startsWith("session/") ? "session" : undefined;
  const code = fromRpcError(shape, about);
  return {
    error: new LandlineError(code, {
      message: shape.message,
      // The usual help is about errors of the gateway itself.
      ...(code === "internal-error" && { help: AGENT_ERROR_HELP }),
      data: {
        method,
        agentCode: shape.code,
        ...(shape.data === undefined ? {} : { agentData: shape.data }),
      },
    }),
  };
}

const AGENT_ERROR_HELP =
  "The agent reported this error. Try again. If it happens again, look at the agent's own log and settings.";

/** The peer's own error; null if the error is not the peer's. */
export function errorOfPeer({ message, data }: LandlineError): RpcErrorShape | null {
  const { agentCode: code, agentData } = data;
  if (typeof code !== "number") return null;
  return { code, message, ...(agentData !== undefined && { data: agentData }) };
}

export function isUnknownMethod(error: LandlineError): boolean {
  return error.code === "method-not-found" && error.data["agentCode"] !== undefined;
}

function wrong(method: string, how: string): CallOutcome {
  return {
    error: new LandlineError("agent-protocol-error", {
      message: `The agent answered ${method} ${how}.`,
      data: { method },
    }),
  };
}
