import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import { isAcpMethod, requestDefinition, responseDefinition, validateAcp } from "../schema.ts";

type RawMessage = Readonly<Record<string, unknown>>;

export interface WireMessage {
  readonly from: "agent" | "client";
  readonly message: RawMessage;
}

const unstable = { unstable: true };

/** All messages between an agent and a client, in the order in which the client sees them. */
export class Wire {
  readonly messages: WireMessage[] = [];
  readonly #waiting = new Set<() => void>();

  /** Returns the client's end of a stream, recorded here. */
  tap(stream: Stream): Stream {
    const noted = (from: WireMessage["from"]) =>
      new TransformStream<AnyMessage, AnyMessage>({
        transform: (message, controller) => {
          this.note(from, message);
          controller.enqueue(message);
        },
      });
    const outgoing = noted("client");
    // A message that cannot be sent rejects the request that waits for its response.
    outgoing.readable.pipeTo(stream.writable).catch(() => undefined);
    return { readable: stream.readable.pipeThrough(noted("agent")), writable: outgoing.writable };
  }

  note(from: WireMessage["from"], message: RawMessage): void {
    this.messages.push({ from, message });
    for (const wake of this.#waiting) wake();
  }

  /** The first matching message of the agent, whether it has arrived or not. */
  async until(fits: (message: RawMessage) => boolean): Promise<RawMessage> {
    for (;;) {
      const found = this.messages.find(({ from, message }) => from === "agent" && fits(message));
      if (found) return found.message;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.add(resolve);
      await promise;
      this.#waiting.delete(resolve);
    }
  }

  /** The updates of a session, in order; of all sessions when none is named. */
  updates(sessionId?: string): RawMessage[] {
    return this.messages.flatMap(({ message }) => {
      if (message["method"] !== "session/update") return [];
      const params = message["params"] as { sessionId: string; update: RawMessage };
      return sessionId === undefined || params.sessionId === sessionId ? [params.update] : [];
    });
  }

  /** Violations of ACP in the agent's messages. Must be empty. */
  faults(): string[] {
    return [...this.#schemaFaults(), ...this.#orderFaults()];
  }

  #schemaFaults(): string[] {
    const asked = new Map<unknown, string>();
    const faults: string[] = [];
    for (const { from, message } of this.messages) {
      const { method, id } = message;
      if (from === "client") {
        if (typeof method === "string" && id !== undefined) asked.set(id, method);
      } else if (typeof method === "string") faults.push(...paramsFaults(method, message));
      else faults.push(...answerFaults(asked.get(id), message));
    }
    return faults;
  }

  /**
   * A client knows a session from the response that opened it, or while it is loaded; a tool call from its `tool_call`.
   * A call ends once.
   */
  #orderFaults(): string[] {
    const order = new Order();
    for (const { from, message } of this.messages) order.see(from, message);
    return order.faults;
  }
}

function paramsFaults(method: string, message: RawMessage): string[] {
  if (method === "$/cancel_request") return [];
  if (!isAcpMethod(method, unstable)) return [`${method} is not a method of ACP`];
  return validateAcp(requestDefinition(method, unstable), message["params"], unstable).map(
    (fault) => `${method}: ${fault}`,
  );
}

/** `session/set_model` is older than the schema, and so is `models` beside the answers. */
function answerFaults(method: string | undefined, message: RawMessage): string[] {
  const { error, result, id } = message;
  if (error !== undefined) return errorFaults(error);
  if (method === undefined) return [`an answer to ${String(id)}, which nobody asked`];
  if (!isAcpMethod(method, unstable)) return [];
  const { models: _older, ...rest } = (result ?? {}) as RawMessage;
  return validateAcp(responseDefinition(method, unstable), rest, unstable).map(
    (fault) => `the answer to ${method}: ${fault}`,
  );
}

function errorFaults(error: unknown): string[] {
  const { code, message } = (error ?? {}) as RawMessage;
  if (Number.isInteger(code) && typeof message === "string" && message !== "") return [];
  return [`an error without code or words: ${JSON.stringify(error)}`];
}

class Order {
  readonly faults: string[] = [];
  /** Requests of the client that open a session, by id, with the session where it is named. */
  readonly #opening = new Map<unknown, string | null>();
  readonly #known = new Set<string>();
  readonly #calls = new Map<string, string>();

  see(from: WireMessage["from"], message: RawMessage): void {
    const params = (message["params"] ?? {}) as RawMessage;
    if (from === "client") this.#asked(message, params);
    else if (message["method"] === "session/update") this.#updated(params);
    else if (message["method"] === undefined) this.#answered(message);
  }

  #asked({ method, id }: RawMessage, params: RawMessage): void {
    if (!/^session\/(?:new|load|resume|fork)$/.test(String(method))) return;
    const named = method === "session/load" ? String(params["sessionId"]) : null;
    const sessionId = method === "session/resume" ? String(params["sessionId"]) : named;
    this.#opening.set(id, sessionId);
    if (named !== null) this.#known.add(named);
    // Loading repeats its calls.
    for (const key of this.#calls.keys()) if (key.startsWith(`${named} `)) this.#calls.delete(key);
  }

  #answered({ id, result }: RawMessage): void {
    const given = this.#opening.get(id);
    const made = (result as RawMessage | undefined)?.["sessionId"];
    if (given !== undefined && given !== null) this.#known.add(given);
    if (given !== undefined && typeof made === "string") this.#known.add(made);
  }

  #updated(params: RawMessage): void {
    const sessionId = String(params["sessionId"]);
    const update = params["update"] as RawMessage;
    const kind = String(update["sessionUpdate"]);
    if (kind === "subagent_update") this.#known.add(String(update["sessionId"]));
    if (!this.#known.has(sessionId)) this.faults.push(`${kind} of a session that is not known yet`);
    if (kind !== "tool_call" && kind !== "tool_call_update") return;
    const key = `${sessionId} ${String(update["toolCallId"])}`;
    const before = this.#calls.get(key);
    if (kind === "tool_call" && before !== undefined) this.faults.push(`${key} begins twice`);
    if (kind === "tool_call_update" && before === undefined)
      this.faults.push(`${key} is not known`);
    if (before === "completed" || before === "failed") this.faults.push(`${key} had ended`);
    const { status } = update;
    this.#calls.set(key, typeof status === "string" ? status : (before ?? "pending"));
  }
}
