import { randomUUIDv7 } from "node:crypto";
import { acpMeta, asLandlineError, type OperationName, type Output } from "@landline/protocol";
import { isPromptIn } from "../../sessions/prompt-ids.ts";
import type { Session } from "../../sessions/sessions.ts";
import { metaOf, type Params } from "./acp-fields.ts";
import type { FollowedSessions } from "./followed-sessions.ts";

export interface PromptRequestsParts {
  readonly followed: FollowedSessions;
  /** Returns a session that the client may read. */
  readonly session: (sessionId: unknown) => Promise<Session>;
  readonly operate: (name: OperationName, input: Params) => Promise<unknown>;
}

/** A prompt that was received and is not in the queue yet. */
interface StartingPrompt {
  readonly sessionId: unknown;
  readonly promptId: string;
  isCancelled: boolean;
  /** Settles when it is queued or refused. Null until the operation runs. */
  queued: Promise<unknown> | null;
}

/** `session/prompt` and `session/cancel` of one ACP client. */
export class PromptRequests {
  readonly #parts: PromptRequestsParts;
  readonly #starting = new Set<StartingPrompt>();

  constructor(parts: PromptRequestsParts) {
    this.#parts = parts;
  }

  /** A repeated prompt, by its id in `_meta`, is answered with the end of its turn and runs once. */
  async prompt(params: Params, signal: AbortSignal): Promise<unknown> {
    const { sessionId } = params;
    const given = metaOf(params)[acpMeta.promptId];
    const promptId = typeof given === "string" ? given : randomUUIDv7();
    // Before anything is awaited, so that a cancel that comes later always finds it.
    const starting: StartingPrompt = { sessionId, promptId, isCancelled: false, queued: null };
    this.#starting.add(starting);
    // A disconnect does not cancel the prompt; `$/cancel_request` does.
    const cancel = () => {
      if (asLandlineError(signal.reason).code === "request-cancelled")
        this.#cancelOne(starting).catch(() => {});
    };
    signal.addEventListener("abort", cancel, { once: true });
    try {
      const ended = await this.#start(starting, params["prompt"]);
      const withdrawn = { stopReason: "cancelled", _meta: { [acpMeta.withdrawn]: true } };
      return await (ended?.turn ?? withdrawn);
    } finally {
      this.#starting.delete(starting);
      signal.removeEventListener("abort", cancel);
    }
  }

  /** Cancels the turn, and withdraws prompts of this client that were not sent yet. */
  async cancel(sessionId: unknown): Promise<void> {
    const starting = [...this.#starting].filter((prompt) => prompt.sessionId === sessionId);
    for (const prompt of starting) prompt.isCancelled = true;
    const { followed, operate } = this.#parts;
    const session = await this.#parts.session(sessionId);
    await Promise.allSettled(starting.flatMap(({ queued }) => queued ?? []));
    const waiting = followed.get(session.id)?.waitingPrompts ?? [];
    for (const promptId of new Set([...starting.map((prompt) => prompt.promptId), ...waiting]))
      await operate("withdraw-prompt", { sessionId, promptId }).catch(() => {});
    await operate("cancel", { sessionId });
  }

  /** Cancels one prompt, and no turn of another one. */
  async #cancelOne(starting: StartingPrompt): Promise<void> {
    const { sessionId, promptId } = starting;
    starting.isCancelled = true;
    await Promise.allSettled([starting.queued]);
    await this.#parts.operate("cancel", { sessionId, promptId });
  }

  /** Queues the prompt. Null if it was cancelled before. */
  async #start(starting: StartingPrompt, content: unknown) {
    const { followed: all, operate } = this.#parts;
    const { sessionId, promptId } = starting;
    const session = await this.#parts.session(sessionId);
    const followed = await all.ensure(session);
    // A repeated prompt may run already. Then its turn is cancelled.
    if (starting.isCancelled && !(await isPromptIn(session.log, promptId))) return null;
    all.offerEditor(session.id);
    const turn = followed.prompts.turnOf(promptId);
    turn.catch(() => {});
    try {
      const queued = operate("prompt", { sessionId, promptId, content });
      starting.queued = queued;
      if (((await queued) as Output<"prompt">).isRepeated) await followed.recall(promptId);
    } catch (error) {
      followed.prompts.forget(promptId);
      throw error;
    }
    this.#starting.delete(starting);
    return { turn };
  }
}
