import type { SessionUpdate, ToolCall } from "@agentclientprotocol/sdk";

/** A tool call after all updates, with its successive states. */
export interface ShownCall extends Partial<Omit<ToolCall, "toolCallId">> {
  toolCallId: string;
  states: string[];
}

/** The updates that a client received, in order. */
export class Transcript {
  readonly updates: SessionUpdate[] = [];
  readonly #calls = new Map<string, ShownCall>();
  readonly #waiting = new Set<() => void>();

  take(update: SessionUpdate): void {
    this.updates.push(update);
    if (update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update")
      this.#call(update);
    for (const look of this.#waiting) look();
  }

  #call(update: Extract<SessionUpdate, { toolCallId: string }>): void {
    const { sessionUpdate: _, ...fields } = update;
    const before = this.#calls.get(update.toolCallId);
    const states = before?.states ?? [];
    if (update.status && states.at(-1) !== update.status) states.push(update.status);
    this.#calls.set(update.toolCallId, { ...before, ...fields, states } as ShownCall);
  }

  /** In the order of arrival. */
  get calls(): ShownCall[] {
    return [...this.#calls.values()];
  }

  /** One line per call: its tool, and its final status. */
  get outline(): string[] {
    return this.calls.map(({ name, status }) => `${name ?? "?"} ${status ?? "?"}`);
  }

  /** All messages of the agent. */
  get said(): string {
    return this.updates
      .flatMap((update) =>
        update.sessionUpdate === "agent_message_chunk" && update.content.type === "text"
          ? [update.content.text]
          : [],
      )
      .join("");
  }

  /** The text that people see of a call. */
  textOf(call: ShownCall | undefined): string {
    return (call?.content ?? [])
      .flatMap((item) =>
        item.type === "content" && item.content.type === "text" ? [item.content.text] : [],
      )
      .join("\n");
  }

  /** Resolves to the result of `find` as soon as there is one; the test's timeout is the bound. */
  async until<Found>(find: (transcript: this) => Found | undefined): Promise<Found> {
    for (;;) {
      const found = find(this);
      if (found !== undefined) return found;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.add(resolve);
      await promise;
      this.#waiting.delete(resolve);
    }
  }
}
