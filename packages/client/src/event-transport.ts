import { EventStream } from "./event-stream.ts";
import type { Http } from "./http.ts";
import { requestOf } from "./operation-request.ts";
import { asProblem, problemOf } from "./problem.ts";
import { TerminalStream } from "./terminal-stream.ts";
import type { Timing } from "./timing.ts";
import type { CommandMessage, Transport, TransportListener } from "./transport.ts";

/**
 * The fallback where WebSockets are not available: commands are HTTP requests, and events are streams of server-sent
 * events. Lists are not pushed; callers poll them.
 */
export class EventTransport implements Transport {
  readonly via = "sse";
  readonly #http: Http;
  readonly #timing: Timing;
  readonly #closing = new AbortController();
  readonly #streams = new Map<string, EventStream>();
  readonly #terminals = new Map<string, TerminalStream>();
  /** Whether a proxy buffers streams. */
  #isHeldBack = false;
  #listener: TransportListener | null;

  constructor(http: Http, timing: Timing, listener: TransportListener) {
    this.#http = http;
    this.#timing = timing;
    this.#listener = listener;
    this.#askHealth().then(() => this.#listener?.opened(), this.#end);
  }

  send(command: CommandMessage): void {
    switch (command.type) {
      case "attach":
        this.#attach(command);
        break;
      case "detach":
        this.#leave(this.#streams, String(command["sessionId"]));
        this.#replyLater(command);
        break;
      case "terminal-attach":
        this.#attachTerminal(command);
        break;
      case "terminal-detach":
        this.#leave(this.#terminals, String(command["terminalId"]));
        this.#replyLater(command);
        break;
      default:
        void this.#request(command);
    }
  }

  ping(): void {
    this.#askHealth().then(() => this.#listener?.heard({ type: "ping" }), this.#end);
  }

  close(): void {
    this.#listener = null;
    this.#closing.abort();
    for (const stream of this.#streams.values()) stream.close();
    for (const terminal of this.#terminals.values()) terminal.close();
  }

  async #askHealth(): Promise<void> {
    const parts = { withinMs: this.#timing.openMs, signal: this.#closing.signal };
    await this.#http.text("GET", "api/health", parts);
  }

  #attach(command: CommandMessage): void {
    const sessionId = String(command["sessionId"]);
    const after = typeof command["after"] === "number" ? command["after"] : 0;
    this.#leave(this.#streams, sessionId);
    const connected = this.#streams.values().filter(({ isPolled }) => !isPolled);
    const freely = this.#isHeldBack ? "awaited" : "streamed";
    const stream: EventStream = new EventStream({
      http: this.#http,
      timing: this.#timing,
      sessionId,
      after,
      reading: [...connected].length < this.#timing.streams ? freely : "polled",
      heard: (frame) => this.#listener?.heard(frame),
      started: (error) => this.#reply(command, error ? asProblem(error) : { result: {} }),
      heldBack: () => {
        this.#isHeldBack = true;
      },
      broken: (error) => this.#end(error),
      ended: () => {
        if (this.#streams.get(sessionId) === stream) this.#streams.delete(sessionId);
      },
    });
    this.#streams.set(sessionId, stream);
  }

  #attachTerminal(command: CommandMessage): void {
    const terminalId = String(command["terminalId"]);
    this.#leave(this.#terminals, terminalId);
    const terminal = new TerminalStream({
      http: this.#http,
      timing: this.#timing,
      terminalId,
      heard: (frame) => this.#listener?.heard(frame),
      started: (error) => this.#reply(command, error ? asProblem(error) : { result: {} }),
    });
    this.#terminals.set(terminalId, terminal);
  }

  #leave(streams: Map<string, { close(): void }>, id: string): void {
    streams.get(id)?.close();
    streams.delete(id);
  }

  /** Replies asynchronously, as a socket does. */
  #replyLater(command: CommandMessage): void {
    queueMicrotask(() => this.#reply(command, { result: {} }));
  }

  async #request(command: CommandMessage): Promise<void> {
    try {
      const { id: _, type, ...input } = command;
      const { method, path, ...parts } = requestOf(type, input);
      const { signal } = this.#closing;
      const result = await this.#http.json(method, path, { ...parts, withinMs: null, signal });
      this.#reply(command, { result });
    } catch (error) {
      const answer = asProblem(error);
      // Whether the command was executed is unknown, as after any disconnect.
      if ("unreachable" in answer.error) this.#end(error);
      else this.#reply(command, answer);
    }
  }

  #reply({ id }: CommandMessage, answer: { result: unknown } | ReturnType<typeof asProblem>): void {
    this.#listener?.heard({ type: "reply", id, ...answer });
  }

  readonly #end = (error: unknown): void => {
    const listener = this.#listener;
    if (!listener) return;
    this.close();
    listener.ended(problemOf(asProblem(error).error));
  };
}
