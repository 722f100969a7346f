import type { SessionUpdate } from "@agentclientprotocol/sdk";
import type { AgentEvent, TurnEnded } from "../core/record.ts";
import type { Session } from "../core/session.ts";
import type { Client } from "./acp-client.ts";
import { configOptions } from "./config-options.ts";
import { Projector } from "./projector.ts";

/** The client capability that asks for the tool calls of subagents on the root session. */
export const CHILD_UPDATES = "landline/child-updates";

type How = "parent-only" | "on-root" | "own-session";

/**
 * Shows subagents to the client. Every client sees the progress of the parent's `task` call. With
 * CHILD_UPDATES the subagent's tool calls appear on the root session; with ACP's subagents, everything
 * appears under the subagent's own session id.
 */
export class SubagentUpdates {
  readonly #client: Client;
  readonly #projectors = new Map<string, Projector>();

  constructor(client: Client) {
    this.#client = client;
  }

  show(child: Session, event: AgentEvent): void {
    const how = this.#how();
    if (!this.#projectors.has(child.sessionId)) this.#begin(child, how);
    const updates = how === "parent-only" ? [] : this.#projectorOf(child).updates(event);
    for (const update of updates) {
      if (how === "own-session") this.#client.update(child.sessionId, update);
      else this.#onRoot(child, update);
    }
    if (event.kind !== "turn-ended") return;
    this.#projectors.delete(child.sessionId);
    if (how === "own-session") this.#announce(child, idle(event.stopReason));
  }

  /** Names the subagent's session on its `task` call, so that a client can load it. */
  #begin(child: Session, how: How): void {
    this.#projectorOf(child);
    if (how === "own-session") this.#announce(child, { state: "running" });
    const { taskCallId, parent } = child.parts;
    if (taskCallId === null || parent !== child.root) return;
    this.#client.update(parent.sessionId, {
      sessionUpdate: "tool_call_update",
      toolCallId: taskCallId,
      _meta: { subagent: { sessionId: child.sessionId, type: child.definition.id } },
    });
  }

  #how(): How {
    const { capabilities } = this.#client;
    if ("subagents" in capabilities && capabilities.subagents) return "own-session";
    return capabilities._meta?.[CHILD_UPDATES] ? "on-root" : "parent-only";
  }

  #onRoot(child: Session, update: SessionUpdate): void {
    if (update.sessionUpdate !== "tool_call" && update.sessionUpdate !== "tool_call_update") return;
    const parentToolCallId = child.parts.taskCallId ?? "";
    this.#client.update(child.root.sessionId, {
      ...update,
      toolCallId: `${parentToolCallId}/${update.toolCallId}`,
      _meta: { ...update._meta, parentToolCallId },
    });
  }

  /** Sends ACP's unstable `subagent_update`, which the stable types lack, on the parent session. */
  #announce(child: Session, state: object): void {
    const update = {
      sessionUpdate: "subagent_update",
      sessionId: child.sessionId,
      title: child.state.title ?? child.definition.name,
      description: child.definition.description,
      state,
      cwd: child.workspace.cwd,
      _meta: { parentToolCallId: child.parts.taskCallId },
    };
    const parent = child.parts.parent ?? child.root;
    this.#client.update(parent.sessionId, update as unknown as SessionUpdate);
  }

  #projectorOf(child: Session): Projector {
    const known = this.#projectors.get(child.sessionId);
    if (known) return known;
    const projector = new Projector({
      live: true,
      capabilities: this.#client.capabilities,
      configOptions: () => configOptions(child),
    });
    this.#projectors.set(child.sessionId, projector);
    return projector;
  }
}

function idle(stopReason: TurnEnded["stopReason"]): object {
  return { state: "idle", ...(stopReason !== "failed" && { stopReason }) };
}
