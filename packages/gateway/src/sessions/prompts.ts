import { randomUUIDv7 } from "node:crypto";
import type { ContentBlock } from "@agentclientprotocol/sdk";
import type { PromptChanged, PromptMoved, PromptWithdrawn } from "@landline/protocol";
import type { AgentLink } from "./agent-link.ts";
import type { AgentSettings } from "./agent-settings.ts";
import { PromptSizes } from "./message-size.ts";
import type { PromptQueue } from "./prompt-queue.ts";
import type { Recorder } from "./recorder.ts";
import type { SessionHost } from "./session-host.ts";
import { isOver, mustBeOpen, type StateMachine } from "./session-state.ts";
import type { Turns } from "./turns.ts";

type Content = readonly ContentBlock[];

export interface PromptsOptions {
  readonly host: SessionHost;
  readonly settings: AgentSettings;
  readonly state: StateMachine;
  readonly recorder: Recorder;
  readonly queue: PromptQueue;
  readonly agent: AgentLink;
  readonly turns: Turns;
}

/** Commands of clients that queue prompts or change the queue. */
export class Prompts {
  readonly #options: PromptsOptions;
  readonly #sizes: PromptSizes;

  constructor(options: PromptsOptions) {
    this.#options = options;
    this.#sizes = new PromptSizes(options.host, (note) => options.recorder.record(note));
  }

  /** Returns false for a known id: the prompt is not queued again. */
  async add(promptId: string, content: Content, by: string): Promise<boolean> {
    const { state, queue, recorder } = this.#options;
    const recalled = queue.recall();
    if (recalled) await recalled;
    const isNew = !queue.has(promptId);
    // A known prompt was accepted before, even if the session has closed since.
    if (isOver(state.now) && !isNew) return false;
    mustBeOpen(state.now);
    if (isNew) {
      this.#mustAccept(content);
      recorder.record({ kind: "prompt-queued", promptId, content, by });
    }
    this.#resume();
    await recorder.whenDurable();
    return isNew;
  }

  async change(event: PromptChanged | PromptMoved | PromptWithdrawn): Promise<void> {
    const { queue, recorder } = this.#options;
    if (queue.recalling) await queue.recalling;
    queue.mustWait(event.promptId);
    const before = event.kind === "prompt-moved" ? event.before : null;
    if (before !== null) queue.mustWait(before);
    if (event.kind === "prompt-changed") this.#checkSize(event.content);
    if (before !== event.promptId) recorder.record(event);
    await recorder.whenDurable();
  }

  /** The content of a note. Throws if it cannot be queued. */
  noteContent(text: string): Content {
    const content: Content = [{ type: "text", text }];
    this.#mustAccept(content);
    return content;
  }

  /** Queues a prompt before all others. Returns its id. */
  addFirst(content: Content, by: string): string {
    const { queue, recorder } = this.#options;
    const promptId = randomUUIDv7();
    const { first } = queue;
    const queued = { kind: "prompt-queued", promptId, content, by } as const;
    const moved = { kind: "prompt-moved", promptId, before: first?.promptId ?? null, by } as const;
    recorder.record(queued, ...(first ? [moved] : []));
    this.#resume();
    return promptId;
  }

  #resume(): void {
    this.#options.agent.forgiveCrashes();
    this.#options.turns.resume();
  }

  #mustAccept(content: Content): void {
    this.#options.queue.mustHaveRoom();
    this.#checkSize(content);
  }

  #checkSize(content: Content): void {
    this.#sizes.check(this.#options.settings.agentSessionId, content);
  }
}
