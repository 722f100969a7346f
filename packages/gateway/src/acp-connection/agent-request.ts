import type { LandlineError } from "@landline/protocol";
import type { RequestId } from "./message.ts";

/** A request from the agent. Only the first answer is sent. */
export class AgentRequest {
  readonly id: RequestId;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly #reply: (outcome: { result: unknown } | { error: LandlineError }) => void;
  readonly #abort = new AbortController();
  #answered = false;

  constructor(
    id: RequestId,
    method: string,
    params: Readonly<Record<string, unknown>>,
    reply: (outcome: { result: unknown } | { error: LandlineError }) => void,
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

  answer(result: unknown): void {
    if (this.#answered) return;
    this.#answered = true;
    this.#reply({ result });
  }

  fail(error: LandlineError): void {
    if (this.#answered) return;
    this.#answered = true;
    this.#reply({ error });
  }

  abort(error: LandlineError): void {
    this.#abort.abort(error);
  }
}
