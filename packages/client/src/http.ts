import { isRecord, LandlineError, type ErrorCode } from "@landline/protocol";
import type { Credential } from "./credential.ts";
import type { GatewayAddress, Query } from "./gateway-address.ts";
import { refusalOf, unreachableError } from "./http-refusal.ts";
import { Listeners } from "./listeners.ts";
import { problemOf } from "./problem.ts";
import type { Timing } from "./timing.ts";

export interface RequestParts {
  readonly query?: Query;
  readonly body?: unknown;
  readonly accept?: string;
  /** Null: no time limit, for streams. */
  readonly withinMs?: number | null;
  readonly signal?: AbortSignal;
}

/** Requests to the gateway. Every failure is a `LandlineError`: `connection-lost` when there is no response. */
export class Http {
  readonly address: GatewayAddress;
  readonly credential: Credential;
  readonly timing: Timing;
  readonly #request: typeof fetch;
  /** A request failed in a way that affects every request. The connection may be lost. */
  readonly onDoubt = new Listeners();
  readonly #closing = new AbortController();

  constructor(
    address: GatewayAddress,
    credential: Credential,
    timing: Timing,
    request: typeof fetch = (input, init) => fetch(input, init),
  ) {
    this.address = address;
    this.credential = credential;
    this.timing = timing;
    this.#request = request;
  }

  async json(method: string, path: string, parts: RequestParts = {}): Promise<unknown> {
    const text = await this.text(method, path, parts);
    if (text === "") return {};
    try {
      return JSON.parse(text);
    } catch (cause) {
      throw new LandlineError("internal-error", {
        message: "The gateway answered with something that is not JSON.",
        help: "Check the url, and any proxy between this client and the gateway.",
        cause,
      });
    }
  }

  /** Returns the response as an object. */
  async record(
    method: string,
    path: string,
    parts: RequestParts = {},
  ): Promise<Readonly<Record<string, unknown>>> {
    const value = await this.json(method, path, parts);
    if (isRecord(value)) return value;
    throw problemOf(null);
  }

  async text(method: string, path: string, parts: RequestParts = {}): Promise<string> {
    const limit = this.#limit(parts);
    try {
      const response = await this.#fetch(method, path, parts, limit.signal);
      return await response.text();
    } catch (error) {
      throw this.#failure(error, limit.signal);
    } finally {
      limit.clear();
    }
  }

  /** Returns the body as a stream, which ends with the signal. */
  async stream(path: string, parts: RequestParts): Promise<ReadableStream<Uint8Array>> {
    const limit = this.#limit({ ...parts, withinMs: null });
    try {
      const response = await this.#fetch("GET", path, parts, limit.signal);
      if (response.body) return response.body;
      throw problemOf(null);
    } catch (error) {
      throw this.#failure(error, limit.signal);
    }
  }

  /** Aborts all pending requests. */
  close(): void {
    this.onDoubt.clear();
    this.#closing.abort();
  }

  async #fetch(
    method: string,
    path: string,
    parts: RequestParts,
    signal: AbortSignal,
  ): Promise<Response> {
    const { credential } = this;
    const token = await credential.token();
    const response = await this.#send(method, path, parts, signal, token);
    if (response.ok) return response;
    if (response.status !== 401 || !credential.refused(token)) throw await refusalOf(response);
    // The token has expired or belongs to an earlier gateway process.
    const again = await this.#send(method, path, parts, signal, await credential.token());
    if (again.ok) return again;
    throw await refusalOf(again);
  }

  #send(
    method: string,
    path: string,
    { query, body, accept = "application/json" }: RequestParts,
    signal: AbortSignal,
    token: string | null,
  ): Promise<Response> {
    return this.#request(this.address.httpUrl(path, query), {
      method,
      signal,
      cache: "no-store",
      headers: {
        accept,
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  #limit({ signal, withinMs = this.timing.requestMs }: RequestParts) {
    const late = new AbortController();
    const timer =
      withinMs === null
        ? undefined
        : setTimeout(() => late.abort(new LandlineError("timeout")), withinMs);
    const signals = [this.#closing.signal, late.signal, ...(signal ? [signal] : [])];
    return { signal: AbortSignal.any(signals), clear: () => clearTimeout(timer) };
  }

  #failure(thrown: unknown, signal: AbortSignal): LandlineError {
    const error = this.#errorOf(thrown, signal);
    if (doubtfulCodes.has(error.code)) this.onDoubt.tell();
    return error;
  }

  #errorOf(error: unknown, signal: AbortSignal): LandlineError {
    if (error instanceof LandlineError) return error;
    const reason: unknown = signal.aborted ? signal.reason : null;
    if (reason instanceof LandlineError) return reason;
    if (signal.aborted) return new LandlineError("request-cancelled");
    return unreachableError(error);
  }
}

const doubtfulCodes: ReadonlySet<ErrorCode> = new Set([
  "connection-lost",
  "timeout",
  "unauthorized",
]);
