import type { LandlineError, RpcErrorShape } from "@landline/protocol";
import type { RequestId } from "./message.ts";

/** A request from the agent. Only the first answer is sent. */
export class AgentRequest {
  readonly id: RequestId;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly #reply: (
    outcome: { result: unknown } | { error: LandlineError | RpcErrorShape },
  ) => void;
  readonly #abort = new AbortController();
  #answered = false;

  constructor(
    id: RequestId,
    method: string,
    params: Readonly<Record<string, unknown>>,
    reply: (outcome: { result: unknown } | { error: LandlineError | RpcErrorShape }) => void,
  ) {
    this.id = id;
    this.method = method;
    this.params = params;
    this.#reply = reply;
  }

  /** Aborted when the agent withdraws the request or the connection ends. The request must still be answered. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get answered(): boolean {
    return this.#answered;
  }

  /** Null is a result: methods of extensions may return it. */
  answer(result: unknown = {}): void {
    if (this.#answered) return;
    this.#answered = true;
    this.#reply({ result });
  }

  /** An error of another peer is passed on unchanged. */
  fail(error: LandlineError | RpcErrorShape): void {
    if (this.#answered) return;
    this.#answered = true;
    this.#reply({ error });
  }

  abort(error: LandlineError): void {
    this.#abort.abort(error);
  }
}
