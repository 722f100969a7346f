import { setTimeout as wait } from "node:timers/promises";
import { isErrorCode, LandlineError, limitsOf, type Limits } from "@landline/protocol";
import { fetchBySocket, type SentParts } from "./socket-fetch.ts";
import { SseParser, type SseEvent } from "./sse.ts";

export interface GatewayAddress {
  /** With the base path, without a slash at its end. */
  readonly url: string;
  /** A socket that lets in whoever can open it. */
  readonly socket?: string | null;
  /** Needed where there is no socket. */
  readonly token?: string;
}

export interface StreamedEvent {
  readonly seq: number;
  /** The event as it stands in the log. */
  readonly line: string;
}

export interface EventsRequest {
  readonly sessionId: string;
  readonly after: number;
  readonly signal: AbortSignal;
  /** The log is not the one that the cursor was for: what comes now is from its start. */
  readonly onGap?: () => void;
}

/**
 * A gateway over HTTP. A request is sent once and fails with what the gateway said. A stream of events
 * gives every event after the cursor once, in order: when it breaks or goes silent it is made again after
 * the last event that came, with growing waits, at most `commandTries` times in a row without an event.
 */
export class GatewayClient {
  readonly url: string;
  readonly #address: GatewayAddress;
  readonly #limits: Limits;

  constructor(address: GatewayAddress, limits: Limits = limitsOf("default")) {
    this.url = address.url;
    this.#address = address;
    this.#limits = limits;
  }

  async get(path: string): Promise<unknown> {
    return jsonOf(await this.#fetch("GET", path));
  }

  async getText(path: string, accept = "*/*"): Promise<string> {
    return (await this.#fetch("GET", path, undefined, accept)).text();
  }

  async post(path: string, body: unknown = {}): Promise<unknown> {
    return jsonOf(await this.#fetch("POST", path, body));
  }

  async delete(path: string): Promise<void> {
    await (await this.#fetch("DELETE", path)).body?.cancel();
  }

  async *events(request: EventsRequest): AsyncGenerator<StreamedEvent> {
    const { signal } = request;
    let after = request.after;
    let tries = 0;
    for (;;) {
      try {
        for await (const event of this.#stream(request.sessionId, after, signal)) {
          if (event.event === "gap") request.onGap?.();
          if (event.event === "problem") throw problemOf(parse(event.data), 500);
          after = event.id === null ? after : Number(event.id);
          tries = 0;
          if (event.event !== "gap" && event.id !== null) yield { seq: after, line: event.data };
        }
      } catch (error) {
        if (signal.aborted) return;
        if (!isPassing(error)) throw error;
        if (tries >= this.#limits.commandTries) throw error;
      }
      if (signal.aborted) return;
      tries += 1;
      await wait(this.#pauseMs(tries), undefined, { signal }).catch(() => {});
    }
  }

  #pauseMs(tries: number): number {
    const { commandRetryMs, commandRetryMsMax } = this.#limits;
    return Math.min(commandRetryMsMax, commandRetryMs * 2 ** (tries - 1));
  }

  async *#stream(sessionId: string, after: number, signal: AbortSignal): AsyncGenerator<SseEvent> {
    const silence = new AbortController();
    const timer = setTimeout(() => silence.abort(), this.#limits.commandSilenceMs);
    const parser = new SseParser(2 * this.#limits.lineBytes);
    const decoder = new TextDecoder();
    const path = `/api/sessions/${encodeURIComponent(sessionId)}/events?after=${after}`;
    try {
      const response = await this.#send("GET", path, {
        headers: { accept: "text/event-stream" },
        signal: AbortSignal.any([signal, silence.signal]),
      });
      if (!response.body) return;
      for await (const chunk of response.body) {
        timer.refresh();
        yield* parser.push(decoder.decode(chunk, { stream: true }));
      }
    } catch (error) {
      if (silence.signal.aborted && !signal.aborted)
        throw new LandlineError("connection-lost", {
          message: `The gateway at ${this.url} went silent.`,
        });
      throw this.#explained(error);
    } finally {
      clearTimeout(timer);
      silence.abort();
    }
  }

  async #fetch(method: string, path: string, body?: unknown, accept = "application/json") {
    return this.#send(method, path, {
      headers: {
        accept,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(this.#limits.commandReplyMs),
    });
  }

  async #send(method: string, path: string, init: SentParts): Promise<Response> {
    let response: Response;
    try {
      response = await this.#reach(method, path, init);
    } catch (error) {
      throw this.#explained(error);
    }
    if (response.ok) return response;
    throw problemOf(parse(await response.text()), response.status);
  }

  #reach(method: string, path: string, init: SentParts): Promise<Response> {
    const { socket = null, token = "" } = this.#address;
    if (socket !== null) return fetchBySocket(socket, this.url + path, { ...init, method });
    const headers = { ...init.headers, authorization: `Bearer ${token}` };
    return fetch(this.url + path, { ...init, method, redirect: "error", headers });
  }

  #explained(error: unknown): unknown {
    if (error instanceof LandlineError) return error;
    if (error instanceof Error && error.name === "TimeoutError")
      return new LandlineError("timeout", {
        message: `The gateway at ${this.url} did not answer in ${this.#limits.commandReplyMs / 1_000} s.`,
        help: "Look at its log; what was asked for may still happen.",
        cause: error,
      });
    if (error instanceof Error && error.name === "AbortError") return error;
    const { code } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
    return new LandlineError("connection-lost", {
      message: `The gateway at ${this.url} can't be reached${code === undefined ? "" : ` (${code})`}.`,
      help: "See whether it is still running: `landline doctor`.",
      cause: error,
    });
  }
}

/** What may be over by the next try. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof LandlineError)) return false;
  return error.code === "connection-lost" || error.code === "rate-limited";
}

async function jsonOf(response: Response): Promise<unknown> {
  const text = await response.text();
  return text === "" ? null : parse(text);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A problem as the gateway tells it; what something else in between says is no problem of ours. */
function problemOf(value: unknown, status: number): LandlineError {
  const { code, message, help, retryAfterMs, ...data } = (value ?? {}) as Record<string, unknown>;
  if (!isErrorCode(code))
    return new LandlineError("connection-lost", {
      message: `Something that is not Landline answered in its place (HTTP ${status}).`,
      help: "Check the address, and the proxy if there is one.",
    });
  return new LandlineError(code, {
    ...(typeof message === "string" ? { message } : {}),
    ...(typeof help === "string" ? { help } : {}),
    ...(typeof retryAfterMs === "number" ? { retryAfterMs } : {}),
    data,
  });
}
