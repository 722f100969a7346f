import type { McpServer } from "@agentclientprotocol/sdk";
import {
  decodeLine,
  emptyView,
  fold,
  type SessionOpened,
  type SessionView,
} from "@landline/protocol";
import type { Logs, SessionLog } from "../log/log.ts";
import type { StoredMcpServers } from "./stored-mcp-servers.ts";

export interface NewLog {
  readonly log: SessionLog;
  /** The view of the first event. */
  readonly view: SessionView;
}

/** Creates the logs of new sessions completely or not at all. */
export class NewLogs {
  readonly #logs: Logs;
  readonly #servers: StoredMcpServers;
  /** Sessions whose log exists but is still empty. */
  readonly #making = new Set<string>();

  constructor(logs: Logs, servers: StoredMcpServers) {
    this.#logs = logs;
    this.#servers = servers;
  }

  /** `servers`: null if the request has none. `fill` appends the initial events after `session-opened`. */
  async make(
    sessionId: string,
    opened: SessionOpened,
    servers: readonly McpServer[] | null,
    fill?: (log: SessionLog) => Promise<void>,
  ): Promise<NewLog> {
    this.#making.add(sessionId);
    try {
      const log = await this.#logs.create(sessionId);
      try {
        if (servers) await this.#servers.keep(sessionId, servers);
        const { bytes } = log.append([opened]);
        const view = fold(emptyView(), [decodeLine(bytes.toString("utf8").trimEnd())]);
        await fill?.(log);
        return { log, view };
      } catch (error) {
        await this.#logs.delete(sessionId);
        throw error;
      }
    } finally {
      this.#making.delete(sessionId);
    }
  }

  /** Deletes empty logs. A gateway that was killed before the first event never announced these sessions. */
  async eraseEmpty(
    isKnown: (sessionId: string) => boolean,
    onErased: (sessionId: string) => void,
  ): Promise<void> {
    for (const sessionId of await this.#logs.list()) {
      if (isKnown(sessionId) || this.#making.has(sessionId)) continue;
      const log = await this.#logs.open(sessionId).catch(() => null);
      if (log?.head !== 0 || this.#making.has(sessionId)) continue;
      await this.#logs.delete(sessionId);
      onErased(sessionId);
    }
  }
}
