import type { Exchange } from "./exchange.ts";
import { lastUserText, latestToolResults } from "./request.ts";
import type { ModelRequest, ProviderName, RequestEnding, RequestReading } from "./request.ts";

const requestsKept = 1_000;

/** Stores the last 1,000 requests, oldest first. */
export class Recorder {
  readonly requests: ModelRequest[] = [];
  readonly #waiting = new Map<number, PromiseWithResolvers<ModelRequest>>();
  #count = 0;

  record(provider: ProviderName, { request, url }: Exchange, known: Known): ModelRequest {
    this.#count += 1;
    const recorded: ModelRequest = {
      ...known.reading,
      number: this.#count,
      provider,
      path: url.pathname + url.search,
      headers: request.headers,
      body: known.body,
      userText: lastUserText(known.reading.messages),
      toolResults: latestToolResults(known.reading.messages),
      ended: known.ended,
    };
    this.requests.push(recorded);
    if (this.requests.length > requestsKept) this.requests.shift();
    this.#waiting.get(this.#count)?.resolve(recorded);
    this.#waiting.delete(this.#count);
    return recorded;
  }

  when(number: number): Promise<ModelRequest> {
    const known = this.requests.find((request) => request.number === number);
    if (known !== undefined) return Promise.resolve(known);
    if (number <= this.#count)
      return Promise.reject(new Error(`Request ${number} came and is no longer kept.`));
    const waiting = this.#waiting.get(number) ?? Promise.withResolvers<ModelRequest>();
    this.#waiting.set(number, waiting);
    return waiting.promise;
  }

  /** Rejects all waiting promises. */
  close(): void {
    for (const [number, { reject }] of this.#waiting)
      reject(new Error(`The model server was closed before request ${number} came.`));
    this.#waiting.clear();
  }
}

interface Known {
  readonly body: unknown;
  readonly reading: RequestReading;
  readonly ended: Promise<RequestEnding>;
}
