import { ByteTail } from "@landline/system/byte-tail";
import { evictOldest } from "@landline/system/evict-oldest";
import { isRecord } from "@landline/system/json";
import { commandsToV1, optionsToV1 } from "./session-options.ts";
import { itemToV1 } from "./tool-content.ts";
import { fieldsOf, listOf, textOf, type Fields } from "./translator.ts";

/** Tool calls, terminals and messages that can still change. An agent that exceeds this loses the oldest. */
const KEPT_MAX = 1_000;
/** Longer output is cut at its start. */
const OUTPUT_BYTES = 100_000;
const MESSAGE_LENGTH = 1_000_000;

interface KnownCall {
  /** Items of version 2. */
  content: readonly Fields[];
}

interface KnownTerminal {
  output: ByteTail;
  /** The number of bytes that were received, and that were received when the output was last sent. */
  received: number;
  sent: number;
  readonly calls: Set<string>;
}

/**
 * Converts the updates of one session of an agent that speaks version 2. Version 2 has entities that are patched;
 * version 1 has chunks that are appended, so what was sent is kept here.
 */
export class AgentUpdates {
  readonly #calls = new Map<string, KnownCall>();
  readonly #terminals = new Map<string, KnownTerminal>();
  /** The text that was sent of each message. */
  readonly #messages = new Map<string, string>();
  readonly #plans = new Map<string, readonly Fields[]>();
  /**
   * Whether the agent replays the session. It echoes live prompts too, which the gateway has logged already, so user
   * messages are converted only in a replay.
   */
  isReplaying = false;

  convert(update: Fields): readonly Fields[] {
    const kind = textOf(update["sessionUpdate"]) ?? "";
    switch (kind) {
      case "user_message_chunk":
      case "agent_message_chunk":
      case "agent_thought_chunk":
        return this.#chunk(kind, update);
      case "user_message":
      case "agent_message":
      case "agent_thought":
        return this.#message(kind, update);
      case "tool_call_update":
        return this.#toolCall(update);
      case "tool_call_content_chunk":
        return this.#contentChunk(update);
      case "terminal_update":
        return this.#terminal(update);
      case "terminal_output_chunk":
        return this.#output(update);
      case "plan_update":
        return this.#plan(fieldsOf(update["plan"]));
      case "available_commands_update":
        return [{ ...update, availableCommands: commandsToV1(update["availableCommands"]) }];
      case "config_option_update":
        return [{ ...update, configOptions: optionsToV1(update["configOptions"]) }];
      default:
        return [update];
    }
  }

  /** Converts the tool call of a permission request. */
  toolCall(call: Fields): Fields {
    return this.#patch(textOf(call["toolCallId"]) ?? "", call);
  }

  /** Sends the rest of the output of running terminals. */
  turnEnded(): readonly Fields[] {
    return [...this.#terminals.values()].flatMap((terminal) => this.#shown(terminal, true));
  }

  #chunk(kind: string, update: Fields): readonly Fields[] {
    if (kind === "user_message_chunk" && !this.isReplaying) return [];
    const messageId = textOf(update["messageId"]);
    if (messageId !== undefined) this.#sent(messageId, textIn(update["content"]));
    return [update];
  }

  #message(kind: string, { messageId, content, _meta }: Fields): readonly Fields[] {
    if (kind === "user_message" && !this.isReplaying) return [];
    const id = textOf(messageId) ?? "";
    const sent = this.#messages.get(id);
    const blocks = listOf(content);
    const text = blocks.map(textIn).join("");
    const chunk = (block: Fields, ofMessage = id) => ({
      sessionUpdate: `${kind}_chunk`,
      messageId: ofMessage,
      content: block,
      ...(_meta !== undefined && { _meta }),
    });
    if (content === undefined || text === sent) return [];
    if (sent === undefined || sent === "") {
      this.#sent(id, text);
      return blocks.map((block) => chunk(block));
    }
    this.#messages.delete(id);
    this.#sent(id, text);
    if (text.startsWith(sent) && blocks.every(({ type }) => type === "text"))
      return [chunk({ type: "text", text: text.slice(sent.length) })];
    // Version 1 cannot take back what was said.
    const notice = "The agent replaced an earlier message.";
    return [
      { sessionUpdate: "notice", severity: "info", title: notice },
      ...blocks.map((block) => chunk(block, `${id}-replaced`)),
    ];
  }

  #sent(messageId: string, text: string): void {
    const sent = this.#messages.get(messageId) ?? "";
    // Of a longer message, it is no longer known whether an update extends or replaces it.
    this.#messages.set(messageId, (sent + text).slice(0, MESSAGE_LENGTH));
    evictOldest(this.#messages, KEPT_MAX);
  }

  #toolCall(update: Fields): readonly Fields[] {
    const toolCallId = textOf(update["toolCallId"]) ?? "";
    const isNew = !this.#calls.has(toolCallId);
    const patch = this.#patch(toolCallId, update);
    if (!isNew) return [patch];
    const title = textOf(patch["title"]) ?? textOf(patch["name"]) ?? "Tool call";
    return [{ ...patch, sessionUpdate: "tool_call", title }];
  }

  #patch(toolCallId: string, update: Fields): Fields {
    const call = this.#calls.get(toolCallId) ?? { content: [] };
    const { content, capabilities: _controls, status, ...rest } = update;
    if (content !== undefined) call.content = listOf(content);
    this.#calls.set(toolCallId, call);
    evictOldest(this.#calls, KEPT_MAX);
    const known = statusToV1(status);
    return {
      ...rest,
      ...(known !== undefined && { status: known }),
      ...(content !== undefined && { content: this.#content(toolCallId, call) }),
    };
  }

  #contentChunk({ toolCallId, content }: Fields): readonly Fields[] {
    const id = textOf(toolCallId) ?? "";
    const call = this.#calls.get(id);
    const items = [...(call?.content ?? []), fieldsOf(content)];
    return this.#toolCall({ sessionUpdate: "tool_call_update", toolCallId: id, content: items });
  }

  #content(toolCallId: string, { content }: KnownCall): readonly Fields[] {
    return content.flatMap((item) => {
      const terminalId = textOf(item["terminalId"]);
      if (item["type"] !== "terminal" || terminalId === undefined) return itemToV1(item);
      const terminal = this.#terminalOf(terminalId);
      terminal.calls.add(toolCallId);
      terminal.sent = terminal.received;
      const { text } = terminal.output.read({ ended: false });
      return [{ type: "content", content: { type: "text", text } }];
    });
  }

  /** Terminals of version 2 belong to the agent. Their output becomes text of the tool calls that show them. */
  #terminal({ terminalId, output, exitStatus }: Fields): readonly Fields[] {
    const terminal = this.#terminalOf(textOf(terminalId) ?? "");
    if (output !== undefined) {
      terminal.output = new ByteTail(OUTPUT_BYTES);
      receive(terminal, fieldsOf(output)["data"]);
      terminal.sent = -1;
    }
    return this.#shown(terminal, isRecord(exitStatus) || output !== undefined);
  }

  #output({ terminalId, data }: Fields): readonly Fields[] {
    const terminal = this.#terminalOf(textOf(terminalId) ?? "");
    receive(terminal, data);
    return this.#shown(terminal, false);
  }

  /** Version 1 replaces content as a whole: it is sent when it grew by a quarter, so the total stays linear. */
  #shown(terminal: KnownTerminal, isWhole: boolean): readonly Fields[] {
    const { received, sent, calls } = terminal;
    const isDue = isWhole ? received !== sent : received >= sent * 1.25;
    if (!isDue) return [];
    return [...calls].flatMap((toolCallId) => {
      const call = this.#calls.get(toolCallId);
      if (!call) return [];
      const content = this.#content(toolCallId, call);
      return [{ sessionUpdate: "tool_call_update", toolCallId, content }];
    });
  }

  #terminalOf(terminalId: string): KnownTerminal {
    const known = this.#terminals.get(terminalId);
    if (known) return known;
    const output = new ByteTail(OUTPUT_BYTES);
    const added = { output, received: 0, sent: 0, calls: new Set<string>() };
    this.#terminals.set(terminalId, added);
    evictOldest(this.#terminals, KEPT_MAX);
    return added;
  }

  /** Version 1 has one plan. */
  #plan({ type, planId, entries }: Fields): readonly Fields[] {
    if (type !== "items") {
      const title = `The agent sent a plan of the type ${textOf(type) ?? "unknown"}, which cannot be shown.`;
      return [{ sessionUpdate: "notice", severity: "info", title }];
    }
    this.#plans.set(textOf(planId) ?? "", listOf(entries).map(entryToV1));
    evictOldest(this.#plans, KEPT_MAX);
    return [{ sessionUpdate: "plan", entries: [...this.#plans.values()].flat() }];
  }
}

/** Version 1 cannot say that an entry was cancelled. */
function entryToV1(entry: Fields): Fields {
  return entry["status"] === "cancelled" ? { ...entry, status: "completed" } : entry;
}

function statusToV1(status: unknown): string | undefined {
  switch (status) {
    case "paused":
      return "in_progress";
    case "cancelled":
      return "failed";
    case null:
      return "pending";
    case "pending":
    case "in_progress":
    case "completed":
    case "failed":
      return status;
    default:
      return undefined;
  }
}

function textIn(block: unknown): string {
  const { type, text } = fieldsOf(block);
  return type === "text" && typeof text === "string" ? text : "";
}

function receive(terminal: KnownTerminal, data: unknown): void {
  const bytes = Buffer.from(textOf(data) ?? "", "base64");
  terminal.output.push(bytes);
  terminal.received += bytes.length;
}
