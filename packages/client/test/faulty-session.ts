import type { SessionEvent, SessionSummary } from "@landline/protocol";

/** A receiver of frames. */
export interface Receiver {
  send(frame: object): void;
}

export interface Attached {
  readonly peer: Receiver;
  cursor: number;
}

/** One session: a log and its followers. */
export class FaultySession {
  readonly id: string;
  readonly log: SessionEvent[] = [];
  readonly prompts: string[] = [];
  readonly answers = new Map<string, unknown>();
  readonly attached = new Map<Receiver, Attached>();
  title: string | null = null;

  constructor(id: string) {
    this.id = id;
    const opened = { agent: "unruly", cwd: "/repo", roots: ["/repo"], title: null, parent: null };
    this.append({ kind: "session-opened", ...opened, by: "somebody" });
  }

  get summary(): SessionSummary {
    const { id, title, log } = this;
    const constant = { agent: "unruly", cwd: "/repo", roots: ["/repo"], parent: null } as const;
    const times = { openedAt: 0, closedAt: null, lastAt: log.length };
    const marks = { state: "idle", firstPrompt: null, hasFailed: false } as const;
    return { sessionId: id, title, ...constant, ...marks, ...times, head: log.length };
  }

  append(...bodies: readonly object[]): void {
    for (const body of bodies) {
      const seq = this.log.length + 1;
      this.log.push({ seq, at: seq, ...body } as unknown as SessionEvent);
    }
    for (const follower of this.attached.values()) this.push(follower);
  }

  /** A whole turn in a few writes. */
  playTurn(promptId: string, chunks = 3): void {
    const turnId = `turn of ${promptId}`;
    this.append({ kind: "turn-started", turnId, promptId });
    for (let chunk = 0; chunk < chunks; chunk++) {
      const content = { type: "text", text: `${promptId}:${chunk} ` };
      const update = { sessionUpdate: "agent_message_chunk", messageId: turnId, content };
      const tool = { sessionUpdate: "tool_call_update", toolCallId: `${turnId} ${chunk % 2}` };
      const word = { kind: "update", update };
      this.append(word, word, { kind: "update", update: { ...tool, rawOutput: chunk } }, word);
    }
    this.append({ kind: "turn-ended", turnId, stopReason: "end_turn" });
  }

  push(follower: Attached): void {
    const fresh = this.log.slice(follower.cursor);
    if (fresh.length === 0) return;
    follower.cursor = this.log.length;
    follower.peer.send({ type: "events", sessionId: this.id, events: fresh });
  }
}
