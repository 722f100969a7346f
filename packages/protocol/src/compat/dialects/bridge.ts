import type { SessionModeState } from "@agentclientprotocol/sdk";
import type { UnknownEvent } from "../../decode.ts";
import { type LandlineError, toProblem } from "../../errors.ts";
import type { AskOpened, SessionEvent } from "../../events.ts";
import { isRecord } from "../../record.ts";
import type {
  BridgeBody,
  BridgeFrame,
  BridgeRefusal,
  BridgeStamp,
  SessionReady,
} from "./bridge-frame.ts";
import type { SessionView } from "../../view.ts";
import { defined, fieldsOf, project, type Projections } from "./projection.ts";
import { blocksText, blockText, textOf, toolContentText } from "../../block-text.ts";
import { stringOf } from "../../raw-value.ts";
import { readUpdate, type ToolCallFields, type UpdateReading } from "../../update-reading.ts";
import {
  chunkParts,
  infoFields,
  toolSteps,
  updateFields,
  type ChunkReading,
  type ReadingOf,
} from "./update-parts.ts";

/**
 * Projects an event of the log to frames of seed 001, without state. A frame therefore contains only what its event
 * contains: the end of a tool call has a name only if the agent repeats it, and `turn_complete` ends every open tool
 * call.
 */
export function toBridge(
  sessionId: string,
  event: SessionEvent | UnknownEvent,
): readonly BridgeFrame[] {
  const stamp: BridgeStamp = { seq: event.seq, sessionId, timestamp: event.at };
  const bodies = project(projections, event) ?? [{ type: "unknown_event", raw: event } as const];
  return bodies.map((body) => Object.assign({}, body, stamp));
}

/** The answer to `new_session` and `load_session`. */
export function bridgeReady(
  sessionId: string,
  view: Pick<SessionView, "head" | "session" | "modes" | "configOptions" | "models">,
  timestamp: number,
): SessionReady {
  const { head: seq, modes, configOptions, models } = view;
  const { agent, cwd, title } = view.session;
  const options = { modes, configOptions, models };
  return { type: "session_ready", seq, sessionId, timestamp, agent, cwd, title, ...options };
}

/** The frame for a message that cannot be executed. */
export function bridgeRefusal(
  error: LandlineError,
  timestamp: number,
  sessionId?: string,
): BridgeRefusal {
  return {
    ...toProblem(error),
    type: "error",
    timestamp,
    ...(sessionId === undefined ? {} : { sessionId }),
  };
}

const projections: Projections<BridgeBody> = {
  "session-opened": (event) => [{ ...fieldsOf(event), type: "session_opened" }],
  "session-changed": (event) => [{ ...fieldsOf(event), type: "session_changed" }],
  "session-closed": (event) => [{ ...fieldsOf(event), type: "session_closed" }],
  "agent-waiting": (event) => [{ ...fieldsOf(event), type: "agent_waiting" }],
  "agent-started": (event) => [{ ...fieldsOf(event), type: "agent_started" }],
  "agent-exited": (event) => [{ ...fieldsOf(event), type: "agent_exited" }],
  // For developers of agents, not for chats. `landline.v1` and the log have it.
  "agent-noise": () => [],
  "options-changed": (event) => [
    { ...fieldsOf(event), type: "options_changed" },
    ...modeChanged(event.modes),
  ],
  "prompt-queued": ({ promptId, content, by }) => [
    { type: "user_message", promptId, content: blocksText(content), blocks: content, by },
  ],
  "prompt-changed": ({ promptId, content, by }) => [
    { type: "user_message_changed", promptId, content: blocksText(content), blocks: content, by },
  ],
  "prompt-withdrawn": (event) => [{ ...fieldsOf(event), type: "user_message_withdrawn" }],
  "prompt-moved": (event) => [{ ...fieldsOf(event), type: "user_message_moved" }],
  "turn-started": (event) => [{ ...fieldsOf(event), type: "turn_started" }],
  "turn-changed": (event) => [{ ...fieldsOf(event), type: "turn_changed" }],
  "turn-ended": (event) => [{ ...fieldsOf(event), type: "turn_complete" }],
  update: ({ update, child }) => {
    const bodies = bodiesOf(readUpdate(update));
    // Keep subagent text separate, because the hook joins consecutive text.
    return child === undefined
      ? bodies
      : bodies.map((frame) => ({ type: "child_update", child, frame }));
  },
  "ask-opened": (event) => [requestOf(event)],
  "ask-explained": ({ askId, reasons }) => [
    { type: "permission_explained", requestId: askId, reasons },
  ],
  "ask-settled": ({ askId, outcome, by, note }) => [
    {
      type: isRecord(outcome) && "action" in outcome ? "question_settled" : "permission_settled",
      requestId: askId,
      outcome,
      by,
      ...defined({ note }),
    },
  ],
  "file-read": (event) => [{ ...fieldsOf(event), type: "file_read" }],
  "file-written": (event) => [{ ...fieldsOf(event), type: "file_written" }],
  "terminal-opened": (event) => [{ ...fieldsOf(event), type: "terminal_opened" }],
  "terminal-restarted": (event) => [{ ...fieldsOf(event), type: "terminal_restarted" }],
  "terminal-output": ({ terminalId, text }) => [
    { type: "terminal_output", terminalId, content: textOf(text) },
  ],
  "terminal-exited": (event) => [{ ...fieldsOf(event), type: "terminal_exited" }],
  error: (event) => [{ ...fieldsOf(event), type: "error" }],
};

function requestOf(event: AskOpened): BridgeBody {
  const child = defined({ child: event.child });
  return event.ask === "permission"
    ? {
        type: "permission_request",
        requestId: event.askId,
        toolCall: event.toolCall,
        options: event.options,
        ...child,
      }
    : { type: "question_request", requestId: event.askId, request: event.request, ...child };
}

function modeChanged(modes: SessionModeState | null | undefined): readonly BridgeBody[] {
  const modeId = stringOf(modes?.currentModeId);
  return modeId === null ? [] : [{ type: "mode_changed", modeId }];
}

function bodiesOf(reading: UpdateReading): readonly BridgeBody[] {
  switch (reading.kind) {
    case "message-chunk":
      return [chunk(reading)];
    case "tool-call":
      return toolSteps(reading).map(({ step, call }) => toolFrames[step](call));
    case "plan":
      return [{ type: "plan_created", entries: reading.entries }];
    case "named-plan": {
      const { type: _type, ...plan } = reading.plan;
      return [{ type: "plan_created", entries: [], ...plan }];
    }
    case "plan-removed":
      return [{ type: "plan_removed", planId: reading.planId }];
    case "commands":
      return [{ type: "commands_changed", commands: reading.commands }];
    case "mode":
      return [{ type: "mode_changed", modeId: reading.modeId }];
    case "config-options":
      return [{ type: "options_changed", configOptions: reading.configOptions }];
    case "session-info":
      return [{ type: "session_changed", ...infoFields(reading) }];
    case "usage":
      return [{ type: "usage_changed", usage: updateFields(reading) }];
    case "notice":
      return [{ type: "notice", notice: updateFields(reading) }];
    case "compaction":
      return [{ type: "compaction_changed", compaction: updateFields(reading) }];
    case "compaction-chunk": {
      const { compactionId, update } = reading;
      return [{ type: "compaction_chunk", compactionId, content: blockText(update["content"]) }];
    }
    case "subagent":
      return [{ type: "subagent_changed", subagent: updateFields(reading) }];
    case "session-message":
      return [{ type: "session_message_changed", message: updateFields(reading) }];
    case "session-message-chunk": {
      const { messageId, update } = reading;
      return [{ type: "session_message_chunk", messageId, content: blockText(update["content"]) }];
    }
    default:
      // No other kind remains: the types require a case for each.
      reading satisfies ReadingOf<"unknown">;
      return [{ type: "unknown_update", raw: reading.update }];
  }
}

const chunkTypes = {
  agent: "message_chunk",
  thought: "thought_chunk",
  user: "user_message_chunk",
} as const;

function chunk(reading: ChunkReading): BridgeBody {
  const { text, block, messageId } = chunkParts(reading);
  return { type: chunkTypes[reading.voice], content: text, ...defined({ block, messageId }) };
}

const toolFrames = { started: toolStarted, changed: toolUpdated, ended: toolCompleted } as const;

function toolStarted(call: ToolCallFields): BridgeBody {
  return {
    type: "tool_call_started",
    toolCallId: call.toolCallId,
    toolName: call.name ?? call.toolCallId,
    arguments: call.input ?? {},
    kind: call.toolKind ?? "other",
    title: call.title ?? call.name ?? call.toolCallId,
    status: call.status ?? "pending",
    locations: call.locations ?? [],
  };
}

function toolUpdated(call: ToolCallFields): BridgeBody {
  return {
    type: "tool_call_updated",
    toolCallId: call.toolCallId,
    ...defined({
      toolName: call.name,
      arguments: call.input,
      kind: call.toolKind,
      title: call.title,
      status: call.status,
      locations: call.locations,
      toolContent: call.content,
    }),
  };
}

function toolCompleted(call: ToolCallFields): BridgeBody {
  return {
    type: "tool_call_completed",
    toolCallId: call.toolCallId,
    result: call.output ?? (toolContentText(call.content) || null),
    status: call.status === "failed" ? "error" : "completed",
    ...defined({ toolName: call.name, toolContent: call.content }),
  };
}
