import type { SessionUpdate } from "@agentclientprotocol/sdk";
import type { AgentEvent, SessionRecord } from "../core/record.ts";
import type { Session } from "../core/session.ts";
import { SubagentUpdates } from "./subagent-updates.ts";
import type { Client } from "./acp-client.ts";
import { configOptions } from "./config-options.ts";
import { Projector } from "./projector.ts";
import { SessionNotifications } from "./session-notifications.ts";

/** Sends the events of sessions to the client as updates: each event once, in order. */
export class SessionUpdates {
  readonly #client: Client;
  readonly #live = new Map<string, Projector>();
  readonly #watches = new Map<string, SessionNotifications>();
  readonly #children: SubagentUpdates;

  constructor(client: Client) {
    this.#client = client;
    this.#children = new SubagentUpdates(client);
  }

  /** The listener of all sessions. */
  readonly listen = (session: Session, event: AgentEvent): void => {
    if (session.parts.parent) return this.#children.show(session, event);
    if (event.kind === "project-reopened") return this.#reopened(session);
    this.#send(session.sessionId, this.#projectorOf(session).updates(event));
  };

  /** Replays a session from its records. */
  replay(session: Session, records: Iterable<SessionRecord>): void {
    const projector = this.#projector(session, false);
    for (const record of records) this.#send(session.sessionId, projector.updates(record));
  }

  /** Called before the response that names the session. */
  introduce(session: Session): void {
    this.forget(session.sessionId);
    this.#watch(session);
  }

  forget(sessionId: string): void {
    this.#watches.get(sessionId)?.[Symbol.dispose]();
    this.#watches.delete(sessionId);
    this.#live.delete(sessionId);
  }

  /** The project's configuration was read again, so modes, models and commands may have changed. */
  #reopened(session: Session): void {
    const options = configOptions(session);
    this.#send(session.sessionId, [
      { sessionUpdate: "config_option_update", configOptions: options },
    ]);
    this.#watch(session);
  }

  #watch(session: Session): void {
    const { sessionId } = session;
    this.#watches.get(sessionId)?.[Symbol.dispose]();
    const watch = new SessionNotifications(
      session,
      (update) => this.#client.update(sessionId, update),
      (event) => this.listen(session, event),
    );
    this.#watches.set(sessionId, watch);
  }

  #projectorOf(session: Session): Projector {
    const known = this.#live.get(session.sessionId);
    if (known) return known;
    const projector = this.#projector(session, true);
    this.#live.set(session.sessionId, projector);
    return projector;
  }

  #projector(session: Session, live: boolean): Projector {
    return new Projector({
      live,
      capabilities: this.#client.capabilities,
      configOptions: () => configOptions(session),
    });
  }

  #send(sessionId: string, updates: SessionUpdate[]): void {
    for (const update of updates) this.#client.update(sessionId, update);
  }
}
