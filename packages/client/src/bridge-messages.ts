import {
  isRecord,
  type Block,
  type Item,
  type PermissionItem,
  type SessionView,
  type ToolCallItem,
} from "@landline/protocol";
import type { OutgoingPrompt, SessionSnapshot } from "./contract.ts";
import { itemsOf, knownFrom } from "./merged-items.ts";

/** A message as in the hook of seed 001. */
export interface ChatMessage {
  readonly id: string;
  readonly role: "user" | "assistant";
  readonly content: string;
  readonly timestamp: number;
  readonly toolCalls?: readonly BridgeToolCall[];
}

export interface BridgeToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly status: "pending" | "completed" | "error";
}

/** An open permission request. `requestId` is the argument of `respondToPermission`. */
export interface PermissionRequest {
  readonly requestId: string;
  readonly sessionId: string;
  readonly toolCall: BridgeToolCall | null;
  readonly options: PermissionItem["options"];
}

export interface BridgeState {
  readonly messages: readonly ChatMessage[];
  /** The agent's text in the running turn. */
  readonly currentStreamingMessage: string;
  /** The tool calls of the running turn, or of the last one. */
  readonly pendingToolCalls: readonly BridgeToolCall[];
  readonly permissions: readonly PermissionRequest[];
}

/** Converts a session to messages: each prompt, and the agent's text of each turn. */
export function bridgeState({ sessionId, view, older, outgoing }: SessionSnapshot): BridgeState {
  const messages: ChatMessage[] = [];
  let turn = new Turn(null);
  const known = knownFrom({ older, view });
  for (const item of itemsOf({ older, view })) {
    // The items after this one are not loaded, so it would look like the answer to another prompt.
    if (item.type === "message" && item.first < known) continue;
    if (item.type !== "prompt") {
      turn.add(item);
      continue;
    }
    messages.push(...turn.messages());
    turn = new Turn({ id: item.promptId, content: item.content, at: item.at });
  }
  const isRunning = view !== null && view.turn.state !== "idle";
  messages.push(...(isRunning ? turn.question() : turn.messages()));
  for (const prompt of [...(view?.queue ?? []), ...outgoing]) messages.push(messageOf(prompt));
  return {
    messages,
    currentStreamingMessage: isRunning ? turn.text : "",
    pendingToolCalls: turn.toolCalls,
    permissions: view ? permissionsOf(sessionId, view) : [],
  };
}

interface Question {
  readonly id: string;
  readonly content: readonly Block[];
  readonly at: number;
}

/** A prompt and the items of its turn. */
class Turn {
  readonly #question: Question | null;
  readonly toolCalls: BridgeToolCall[] = [];
  text = "";
  #first: Item | null = null;

  constructor(question: Question | null) {
    this.#question = question;
  }

  add(item: Item): void {
    if (item.type === "tool-call") this.toolCalls.push(toolCallOf(item));
    else if (item.type !== "message" || item.role !== "agent") return;
    else this.text += (this.text === "" ? "" : "\n\n") + textOf(item.content);
    this.#first ??= item;
  }

  question(): readonly ChatMessage[] {
    if (!this.#question) return [];
    const { id, content, at } = this.#question;
    return [{ id, role: "user", content: textOf(content), timestamp: at }];
  }

  messages(): readonly ChatMessage[] {
    if (!this.#first) return this.question();
    const { key, at } = this.#first;
    const calls = this.toolCalls.length > 0 ? { toolCalls: this.toolCalls } : {};
    const answer = { id: key, role: "assistant", content: this.text, timestamp: at } as const;
    return [...this.question(), { ...answer, ...calls }];
  }
}

function messageOf({
  promptId,
  content,
  at,
}: Omit<OutgoingPrompt, "state" | "error">): ChatMessage {
  return { id: promptId, role: "user", content: textOf(content), timestamp: at };
}

function permissionsOf(sessionId: string, view: SessionView): readonly PermissionRequest[] {
  const open = new Set(view.openAsks.map(({ askId }) => askId));
  return [view, ...view.subagents].flatMap(({ items }) =>
    items
      .filter((item) => item.type === "ask" && item.ask === "permission" && open.has(item.askId))
      .map((item) => {
        const { askId, toolCallId, options } = item as PermissionItem;
        const call = items.findLast(
          (other) => other.type === "tool-call" && other.toolCallId === toolCallId,
        );
        const toolCall = call ? toolCallOf(call as ToolCallItem) : null;
        return { requestId: askId, sessionId, toolCall, options };
      }),
  );
}

function toolCallOf(item: ToolCallItem): BridgeToolCall {
  const { rawInput, rawOutput, status, ended } = item;
  const isFailed = status === "failed" || ended !== null;
  const isOver = status === "completed" || isFailed;
  return {
    id: item.toolCallId,
    name: item.name ?? item.title,
    arguments: isRecord(rawInput) ? rawInput : {},
    ...(isOver ? { result: rawOutput ?? item.content } : {}),
    status: isFailed ? "error" : isOver ? "completed" : "pending",
  };
}

/** Unchanged parts keep their identity, so only new ones are computed. */
const texts = new WeakMap<readonly Block[], string>();

function textOf(content: readonly Block[]): string {
  const known = texts.get(content);
  if (known !== undefined) return known;
  const text = content.map((block) => (block.type === "text" ? block.text : "")).join("");
  texts.set(content, text);
  return text;
}
