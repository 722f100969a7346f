import type {
  ClientCapabilities,
  SessionConfigOption,
  SessionUpdate,
  ToolCallContent,
} from "@agentclientprotocol/sdk";
import { shownCost } from "../core/cost.ts";
import { shownView } from "./valid-tool-view.ts";
import type { AgentEvent, PromptSent, ToolCalled, ToolEnded, TurnEnded } from "../core/record.ts";

/** What a projection depends on besides its events. */
export interface Screen {
  /** False when a session is shown again from its records. */
  readonly live: boolean;
  readonly capabilities: ClientCapabilities;
  /** The complete list as it is now. */
  configOptions(): SessionConfigOption[];
}

/**
 * The only maker of updates, live and replayed: what a client sees of a session is a function of its
 * events. Text that was streamed is not said again when its record comes; text that was not (a replay)
 * is said then, whole. Live, the person's own prompts are not sent: their client has them.
 */
export class Projector {
  readonly #screen: Screen;
  /** Characters of each part that the client has. */
  readonly #said = new Map<string, number>();
  /** Calls that the client knows and that have not ended. */
  readonly #open = new Set<string>();

  constructor(screen: Screen) {
    this.#screen = screen;
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
            ...shownView(event.view),
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
      // Steps, rules and files have no face of their own.
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
    const view = { title: name, ...shownView(event.view) };
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
        ...shownView({ ...event, kind: undefined, content: this.#content(event) }),
        rawOutput,
        ...(execution && { _meta: { landline: { execution } } }),
      },
    ];
  }

  /** A client keeps showing a terminal that was let go; after a reload it has none, and gets the text. */
  #content(event: ToolEnded): ToolCallContent[] {
    if (!this.#screen.live || event.terminalId === undefined) return event.content;
    return [{ type: "terminal", terminalId: event.terminalId }];
  }

  #options(mode: string | undefined): SessionUpdate[] {
    // What a session has now comes with the response to load; what it had then helps nobody.
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
    return [line(text)];
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
      return [line(`The conversation could not be summarised: ${error ?? "unknown"}`)];
    return [line("The conversation is long; summarising it to make room.")];
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

/** For clients that know no notices: a line of its own in the conversation. */
function line(text: string): SessionUpdate {
  return {
    sessionUpdate: "agent_message_chunk",
    content: { type: "text", text: `\n\n_${text}_\n\n` },
  };
}
