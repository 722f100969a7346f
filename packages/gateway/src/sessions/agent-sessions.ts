import { createHash } from "node:crypto";
import type { ListSessionsResponse } from "@agentclientprotocol/sdk";
import { LandlineError, type Limits, type Output } from "@landline/protocol";
import type { AgentEntry, AgentHost, RunningAgent } from "../agents/agent.ts";
import type { IndexDatabase } from "../index/index-database.ts";
import { ignoreAll, withSignInAgent } from "../sign-in/sign-in-agent.ts";
import type { SignIns } from "../sign-in/sign-ins.ts";
import type { Logger } from "../telemetry/logger.ts";
import type { AgentSlots, SlotHolder } from "./agent-slots.ts";

export interface AgentSessionsOptions {
  readonly agents: AgentHost;
  readonly catalog: { get(id: string): AgentEntry };
  readonly limits: Limits;
  readonly signIns: SignIns;
  readonly indexDatabase: Pick<IndexDatabase, "sessionsOfAgent">;
  readonly logger: Pick<Logger, "warn">;
  readonly slots: AgentSlots;
  /** Resolves when the index has caught up. */
  readonly indexed: () => Promise<void>;
}

export interface AgentSessionsQuery {
  readonly cwd?: string | undefined;
  readonly cursor?: string | undefined;
}

type Page = Output<"list-agent-sessions">;

/** The sessions that agents store themselves, including those opened elsewhere. An agent is started for each call. */
export class AgentSessions {
  readonly #options: AgentSessionsOptions;
  readonly #closing = new AbortController();
  /** One deletion after the other: each needs a process. */
  #deletions: Promise<void> = Promise.resolve();

  constructor(options: AgentSessionsOptions) {
    this.#options = options;
  }

  /** Throws `tool-disabled` if the agent cannot list its sessions, and `agent-busy` if no further agent may run. */
  async list(agentId: string, { cwd, cursor }: AgentSessionsQuery): Promise<Page> {
    const { catalog, indexed, indexDatabase, limits, signIns } = this.#options;
    const entry = catalog.get(agentId);
    const { sessions, nextCursor } = await this.#using(entry, refuse, async (agent) => {
      if (!agent.capabilities.sessionCapabilities?.list) throw cannotList(entry);
      const params = { ...(cwd !== undefined && { cwd }), ...(cursor !== undefined && { cursor }) };
      const timeoutMs = limits.sessionNewMs;
      const answer = agent.connection.request("session/list", params, { timeoutMs });
      return (await answer) as ListSessionsResponse;
    }).catch((error: unknown) => {
      throw signIns.explained(entry, error, "opening");
    });
    const listed = sessions.slice(0, limits.pageRows);
    await indexed();
    const known = indexDatabase.sessionsOfAgent(
      entry.id,
      listed.map(({ sessionId }) => sessionId),
    );
    return {
      sessions: listed.map(({ sessionId, cwd: folder, title, updatedAt }) => ({
        agentSessionId: sessionId,
        sessionId: known.get(sessionId) ?? null,
        cwd: folder,
        title: usableTitle(title, limits),
        updatedAt: usableDate(updatedAt),
      })),
      nextCursor: nextCursor ?? null,
    };
  }

  /** Deletes a session in the agent, in the background. A failure is logged: the session here is deleted anyway. */
  delete(agentId: string, agentSessionId: string): void {
    this.#deletions = this.#deletions.then(() => this.#deleteOne(agentId, agentSessionId));
  }

  async #deleteOne(agentId: string, sessionId: string): Promise<void> {
    const { catalog, limits, logger } = this.#options;
    try {
      await this.#using(catalog.get(agentId), wait, ({ connection }) =>
        connection.request("session/delete", { sessionId }, { timeoutMs: limits.sessionNewMs }),
      );
    } catch (error) {
      if (!this.#closing.signal.aborted)
        logger.warn("An agent did not delete its session.", { agent: agentId, error });
    }
  }

  /** Ends all agents that were started here. */
  async close(): Promise<void> {
    this.#closing.abort(new LandlineError("session-closed"));
    await this.#deletions;
  }

  async #using<Result>(
    entry: AgentEntry,
    waits: SlotHolder["waits"],
    use: (agent: RunningAgent) => Promise<Result>,
  ): Promise<Result> {
    const { agents, limits, signIns, slots } = this.#options;
    const { signal } = this.#closing;
    const holder = { idleSince: null, canComeBack: false, waits, endIdle: () => {} };
    using _slot = await slots.take(holder, signal);
    return await withSignInAgent(
      { entry, agents, limits, signal, handlers: ignoreAll },
      (agent) => {
        signIns.introduced(entry.id, agent);
        return use(agent);
      },
    );
  }
}

const wait: SlotHolder["waits"] = () => {};

const refuse: SlotHolder["waits"] = (running) => {
  throw new LandlineError("agent-busy", {
    message: `${running} agents are running and in use, which is the limit.`,
    help: "Try again when one of them is idle, or raise maxAgents in the config file.",
  });
};

/**
 * The id of the session here that continues a session of the agent. It is the same each time, so that a session is
 * continued once, and so that lists can name it before.
 */
export function continuedSessionId(agentId: string, agentSessionId: string): string {
  const hash = createHash("sha256")
    .update(JSON.stringify([agentId, agentSessionId]))
    .digest("hex");
  // The form of a UUID of version 8, which is for such ids.
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `8${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ].join("-");
}

/** Agents may send anything. What is listed here can be passed to `open`. */
function usableTitle(title: unknown, { titleLength }: Limits): string | null {
  if (typeof title !== "string") return null;
  const line = title
    .replaceAll(/\p{Cc}+/gu, " ")
    .trim()
    .slice(0, titleLength)
    .toWellFormed();
  return line === "" ? null : line;
}

function usableDate(date: unknown): string | null {
  return typeof date === "string" && !Number.isNaN(Date.parse(date)) ? date : null;
}

function cannotList({ id, name }: AgentEntry): LandlineError {
  return new LandlineError("tool-disabled", {
    message: `${name} does not list its sessions.`,
    help: "Open a new session with it.",
    data: { agent: id },
  });
}
