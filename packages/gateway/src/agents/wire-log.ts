import { evictOldest } from "@landline/system/evict-oldest";
import type { Limits } from "@landline/protocol";
import type { Logger } from "../telemetry/logger.ts";
import { isRecord, parsedJson } from "@landline/system/json";

/** The agent and session of a connection, logged with each message. */
export interface WireOwner {
  readonly agent: string;
  readonly sessionId?: string;
}

/** The number of open requests to remember. Responses to older ones are logged without a method. */
const AWAITED_MAX = 1_024;

/**
 * Logs one line per message with its type, id and session. Only params of short messages are included, with secrets
 * masked by the logger. Results are never included.
 */
export class WireLog {
  readonly #logger: Pick<Logger, "debug">;
  readonly #owner: WireOwner;
  readonly #lengthMax: number;
  /** By direction, because both sides number their requests independently. */
  readonly #awaited = {
    in: new Map<unknown, Asked>(),
    out: new Map<unknown, Asked>(),
  };

  constructor(
    logger: Pick<Logger, "debug">,
    owner: WireOwner,
    limits: Pick<Limits, "traceLineLength">,
  ) {
    this.#logger = logger;
    this.#owner = owner;
    this.#lengthMax = limits.traceLineLength;
  }

  /** From the agent's point of view: `in` was sent to it. */
  add(direction: "in" | "out", line: string): void {
    const message = read(line);
    // Invalid messages are recorded as noise in the session's log.
    if (message === null) return;
    const { method } = message;
    const id = shownId(message["id"]);
    const from = direction === "in" ? "gateway" : "agent";
    const facts = { ...this.#owner, from, length: line.length };
    if (typeof method === "string") {
      const asked = { method: method.slice(0, 100), agentSessionId: sessionOf(message["params"]) };
      const params = line.length <= this.#lengthMax ? { params: message["params"] } : {};
      if (id === undefined)
        this.#logger.debug("acp notification", { ...facts, ...asked, ...params });
      else {
        this.#await(direction, id, asked);
        this.#logger.debug("acp request", { ...facts, id, ...asked, ...params });
      }
    } else if ("result" in message || "error" in message) {
      const answered = this.#take(direction === "in" ? "out" : "in", id);
      this.#logger.debug("acp response", { ...facts, id, ...answered, ...outcomeOf(message) });
    }
  }

  #await(direction: "in" | "out", id: unknown, asked: Asked): void {
    const awaited = this.#awaited[direction];
    awaited.set(id, asked);
    evictOldest(awaited, AWAITED_MAX);
  }

  #take(direction: "in" | "out", id: unknown): Asked | undefined {
    const asked = this.#awaited[direction].get(id);
    this.#awaited[direction].delete(id);
    return asked;
  }
}

interface Asked {
  readonly method: string;
  /** The agent's session id. */
  readonly agentSessionId: string | undefined;
}

type RawRecord = Readonly<Record<string, unknown>>;

function read(line: string): RawRecord | null {
  const message = parsedJson(line);
  return isRecord(message) ? message : null;
}

function shownId(id: unknown): string | number | null | undefined {
  if (typeof id === "string") return id.slice(0, 200);
  return typeof id === "number" || id === null ? id : undefined;
}

function sessionOf(params: unknown): string | undefined {
  const { sessionId } = isRecord(params) ? params : {};
  return typeof sessionId === "string" ? sessionId.slice(0, 200) : undefined;
}

function outcomeOf({ error }: RawRecord): RawRecord {
  if (!isRecord(error)) return { outcome: "ok" };
  const { code, message } = error;
  const words = typeof message === "string" ? message.slice(0, 500) : undefined;
  return { outcome: "error", code: typeof code === "number" ? code : undefined, words };
}
