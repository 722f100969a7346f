import type {
  ClientCapabilities,
  SessionConfigOption,
  SessionUpdate,
  ToolCallContent,
} from "@agentclientprotocol/sdk";
import { shownCost } from "../core/cost.ts";
import { validToolView } from "./valid-tool-view.ts";
import type { AgentEvent, PromptSent, ToolCalled, ToolEnded, TurnEnded } from "../core/record.ts";

/** What the updates depend on besides the events. */
export interface ProjectionContext {
  /** False while a session is replayed from its records. */
  readonly live: boolean;
  readonly capabilities: ClientCapabilities;
  /** The complete current list. */
  configOptions(): SessionConfigOption[];
}

/**
 * The only producer of session updates, live and replayed: they are a function of the events. Streamed text
 * is not sent again with its record; on replay, where nothing was streamed, the record sends all of it. Live,
 * the user's own prompts are not sent, because the client has them.
 */
export class Projector {
  readonly #screen: ProjectionContext;
  /** Characters already sent, by part. */
  readonly #said = new Map<string, number>();
  /** Tool calls that were announced and have not ended. */
  readonly #open = new Set<string>();

  constructor(context: ProjectionContext) {
    this.#screen = context;
  }

  updates(event: AgentEvent): SessionUpdate[] {
    switch (event.kind) {
      case "prompt-sent":
        return this.#screen.live ? [] : userChunks(event);
      case "text-streamed":
        return this.#say("agent_message_chunk", event.partId, event.delta);
      case "thought-streamed":
        return this.#say("agent_thought_chunk", event.partId, event.delta);
      case "text-added":
        return this.#sayRest("agent_message_chunk", event.partId, event.text);
      case "thought-added":
        return this.#sayRest("agent_thought_chunk", event.partId, event.text);
      case "tool-announced":
        return this.#announce(event.callId, event.tool);
      case "tool-called":
        return this.#call(event);
      case "tool-running":
        return [
          { sessionUpdate: "tool_call_update", toolCallId: event.callId, status: "in_progress" },
        ];
      case "tool-progressed":
        return [
          {
            sessionUpdate: "tool_call_update",
            toolCallId: event.callId,
            status: "in_progress",
            ...validToolView(event.view),
          },
        ];
      case "tool-withdrawn":
        this.#open.delete(event.callId);
        return [{ sessionUpdate: "tool_call_update", toolCallId: event.callId, status: "failed" }];
      case "tool-ended":
        return this.#end(event);
      case "plan-changed":
        return [{ sessionUpdate: "plan", entries: event.entries }];
      case "options-changed":
        return this.#options(event.mode);
      case "title-changed":
        return [{ sessionUpdate: "session_info_update", title: event.title }];
      case "context-measured": {
        const { used, size, cost } = event;
        return [
          { sessionUpdate: "usage_update", used, size, ...(cost && { cost: shownCost(cost) }) },
        ];
      }
      case "notice-given":
        return this.#notice(event.severity, event.title, event.description);
      case "attachments-refused": {
        const { length } = event.attachments;
        const what = length === 1 ? "An attachment was" : `${length} attachments were`;
        return this.#notice("warning", `${what} refused, and left out from here on`, event.problem);
      }
      case "retry-scheduled": {
        const seconds = Math.ceil(event.delayMs / 1_000);
        return this.#notice(
          "warning",
          `The model did not answer; trying again in ${seconds} s`,
          event.reason,
        );
      }
      case "compaction-changed":
        return this.#compaction(event.compactionId, event.status, event.error);
      case "compacted":
        return this.#compacted(event.compactionId, event.summary);
      case "turn-ended":
        return this.#screen.live ? [] : this.#failure(event);
      // Steps, rules and files produce no updates.
      default:
        return [];
    }
  }

  #say(
    sessionUpdate: "agent_message_chunk" | "agent_thought_chunk",
    partId: string,
    text: string,
  ): SessionUpdate[] {
    if (text === "") return [];
    this.#said.set(partId, (this.#said.get(partId) ?? 0) + text.length);
    return [{ sessionUpdate, messageId: partId, content: { type: "text", text } }];
  }

  #sayRest(
    kind: "agent_message_chunk" | "agent_thought_chunk",
    partId: string,
    text: string,
  ): SessionUpdate[] {
    const updates = this.#say(kind, partId, text.slice(this.#said.get(partId) ?? 0));
    this.#said.delete(partId);
    return updates;
  }

  #announce(toolCallId: string, tool: string): SessionUpdate[] {
    this.#open.add(toolCallId);
    return [
      {
        sessionUpdate: "tool_call",
        toolCallId,
        title: tool,
        name: tool,
        status: "pending",
        rawInput: {},
      },
    ];
  }

  #call(event: ToolCalled): SessionUpdate[] {
    const sessionUpdate = this.#open.has(event.callId) ? "tool_call_update" : "tool_call";
    this.#open.add(event.callId);
    const { callId: toolCallId, tool: name, input: rawInput } = event;
    const view = { title: name, ...validToolView(event.view) };
    return [{ sessionUpdate, toolCallId, name, ...view, status: "pending", rawInput }];
  }

  #end(event: ToolEnded): SessionUpdate[] {
    if (!this.#open.delete(event.callId)) return [];
    const { callId: toolCallId, status, rawOutput, execution } = event;
    return [
      {
        sessionUpdate: "tool_call_update",
        toolCallId,
        status,
        ...validToolView({ ...event, kind: undefined, content: this.#content(event) }),
        rawOutput,
        ...(execution && { _meta: { landline: { execution } } }),
      },
    ];
  }

  /** A client keeps showing a released terminal. On replay there is none, so the text is sent. */
  #content(event: ToolEnded): ToolCallContent[] {
    if (!this.#screen.live || event.terminalId === undefined) return event.content;
    return [{ type: "terminal", terminalId: event.terminalId }];
  }

  #options(mode: string | undefined): SessionUpdate[] {
    // The response to `session/load` carries the current options; old values are not replayed.
    if (!this.#screen.live) return [];
    const configOptions = this.#screen.configOptions();
    const option: SessionUpdate = { sessionUpdate: "config_option_update", configOptions };
    if (mode === undefined) return [option];
    return [{ sessionUpdate: "current_mode_update", currentModeId: mode }, option];
  }

  #notice(
    severity: "info" | "warning" | "error",
    title: string,
    description?: string,
  ): SessionUpdate[] {
    if (this.#screen.capabilities.session?.notices) {
      return [
        {
          sessionUpdate: "notice",
          severity,
          title,
          ...(description !== undefined && { description }),
        },
      ];
    }
    const text = description === undefined ? title : `${title}: ${description}`;
    return [messageLine(text)];
  }

  #compaction(compactionId: string, status: "started" | "failed", error?: string): SessionUpdate[] {
    if (this.#screen.capabilities.session?.compaction) {
      const named = status === "started" ? "in_progress" : "failed";
      return [
        {
          sessionUpdate: "compaction_update",
          compactionId,
          status: named,
          ...(error !== undefined && { error }),
        },
      ];
    }
    if (status === "failed")
      return [messageLine(`The conversation could not be summarised: ${error ?? "unknown"}`)];
    return [messageLine("The conversation is long; summarising it to make room.")];
  }

  #compacted(compactionId: string, summary: string): SessionUpdate[] {
    if (!this.#screen.capabilities.session?.compaction) return [];
    const content = { type: "text" as const, text: summary };
    return [
      { sessionUpdate: "compaction_update", compactionId, status: "completed", summary: [content] },
    ];
  }

  #failure(event: TurnEnded): SessionUpdate[] {
    if (event.stopReason !== "failed") return [];
    return this.#notice("error", "This turn failed", event.error);
  }
}

function userChunks(event: PromptSent): SessionUpdate[] {
  return event.content.map((content) => ({
    sessionUpdate: "user_message_chunk",
    messageId: event.promptId,
    content,
  }));
}

/** For clients that do not support notices: a separate line in the conversation. */
function messageLine(text: string): SessionUpdate {
  return {
    sessionUpdate: "agent_message_chunk",
    content: { type: "text", text: `\n\n_${text}_\n\n` },
  };
}
