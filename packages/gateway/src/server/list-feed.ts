import type { AgentSummary, RulesDamage, SessionSummary } from "@landline/protocol";
import type { Principal } from "./auth.ts";
import { jsonFrame } from "./framing.ts";
import type { FrameWriter, Waiter } from "./frame-writer.ts";
import type { Services } from "./services.ts";
import { visibleAgents } from "./visible-agents.ts";

/**
 * Sends sockets the changes of the session and agent lists, device names and damage of the rules file. Changes within
 * `listDelayMs` are combined and encoded once per role. A full socket gets the latest state of everything that it
 * missed when it has drained.
 */
export class ListFeed implements Disposable {
  readonly #delayMs: number;
  readonly #watches: readonly Disposable[];
  readonly #tokens: Services["tokens"];
  readonly #rules: Services["rules"];
  readonly #readers = new Set<Reader>();
  #news = new News();
  #timer: NodeJS.Timeout | null = null;

  constructor(services: Pick<Services, "sessions" | "agents" | "tokens" | "rules" | "limits">) {
    const { sessions, agents, tokens, rules, limits } = services;
    this.#tokens = tokens;
    this.#rules = rules;
    this.#delayMs = limits.listDelayMs;
    this.#watches = [
      sessions.watch((change) => {
        this.#news.sessions.set(change.sessionId, "deleted" in change ? null : change);
        this.#tellSoon();
      }),
      agents.watch((list) => {
        this.#news.agents = list;
        this.#tellSoon();
      }),
      tokens.watchNames(() => {
        this.#news.hasNames = true;
        this.#tellSoon();
      }),
      rules.watchDamage((damage) => {
        this.#news.rulesDamage = damage;
        this.#tellSoon();
      }),
    ];
  }

  subscribe(writer: FrameWriter, principal: Principal): Disposable {
    const reader = new Reader(writer, principal, this.#tokens);
    this.#readers.add(reader);
    const { damage } = this.#rules;
    if (damage && principal.onlySession === undefined)
      writer.send(jsonFrame({ type: "rules-damage", damage }));
    return {
      [Symbol.dispose]: () => {
        this.#readers.delete(reader);
        writer.forget(reader);
      },
    };
  }

  [Symbol.dispose](): void {
    for (const watch of this.#watches) watch[Symbol.dispose]();
    if (this.#timer) clearTimeout(this.#timer);
    this.#readers.clear();
  }

  #tellSoon(): void {
    this.#timer ??= setTimeout(() => this.#tell(), this.#delayMs);
  }

  #tell(): void {
    this.#timer = null;
    const news = this.#news;
    this.#news = new News();
    const made = new Map<string, Buffer>();
    for (const reader of this.#readers) {
      const { role, onlySession = "" } = reader.principal;
      const kind = `${role} ${onlySession}`;
      const frames = made.get(kind) ?? news.framesFor(reader.principal, this.#tokens);
      made.set(kind, frames);
      reader.tell(frames, news);
    }
  }
}

class Reader implements Waiter {
  readonly principal: Principal;
  readonly #writer: FrameWriter;
  readonly #tokens: Services["tokens"];
  #missed: News | null = null;

  constructor(writer: FrameWriter, principal: Principal, tokens: Services["tokens"]) {
    this.#writer = writer;
    this.principal = principal;
    this.#tokens = tokens;
  }

  tell(frames: Buffer, news: News): void {
    if (frames.length === 0) return;
    if (!this.#writer.isFull && !this.#missed) {
      this.#writer.send(frames);
      return;
    }
    this.#missed ??= new News();
    this.#missed.add(news);
    this.#writer.await(this);
    this.#writer.offerRoom();
  }

  resume(): "done" {
    if (this.#missed) this.#writer.send(this.#missed.framesFor(this.principal, this.#tokens));
    this.#missed = null;
    return "done";
  }
}

/** The latest state of everything that changed. */
class News {
  /** Null for a deleted session. */
  readonly sessions = new Map<string, SessionSummary | null>();
  agents: readonly AgentSummary[] | null = null;
  /** Whether device names changed. */
  hasNames = false;
  /** Undefined when unchanged; null when there is no damage any more. */
  rulesDamage: RulesDamage | null | undefined;

  add({ sessions, agents, hasNames, rulesDamage }: News): void {
    for (const [sessionId, change] of sessions) this.sessions.set(sessionId, change);
    this.agents = agents ?? this.agents;
    this.hasNames ||= hasNames;
    if (rulesDamage !== undefined) this.rulesDamage = rulesDamage;
  }

  framesFor({ role, onlySession }: Principal, tokens: Services["tokens"]): Buffer {
    const isLimited = onlySession !== undefined;
    const changes = [...this.sessions].filter(([id]) => !isLimited || id === onlySession);
    const sessions = changes.map(([, change]) => change).filter((change) => change !== null);
    const gone = changes.filter(([, change]) => change === null).map(([id]) => id);
    const frames: Buffer[] = [];
    if (this.rulesDamage !== undefined && !isLimited)
      frames.push(jsonFrame({ type: "rules-damage", damage: this.rulesDamage }));
    // Names come before the sessions whose events use them.
    if (this.hasNames) {
      const people = isLimited ? tokens.namesIn(onlySession) : tokens.names;
      frames.push(jsonFrame({ type: "people", people }));
    }
    if (changes.length > 0) frames.push(jsonFrame({ type: "sessions", sessions, gone }));
    if (this.agents)
      frames.push(jsonFrame({ type: "agents", agents: visibleAgents(this.agents, role) }));
    return Buffer.concat(frames);
  }
}
