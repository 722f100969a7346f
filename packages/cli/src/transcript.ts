import {
  blocksText,
  confinementWords,
  emptyView,
  executionText,
  foldWithChanges,
  idleExitText,
  isExecutionKnown,
  isOpenToolCall,
  personName,
  readUpdate,
  trimView,
  waitingText,
  type AskExplained,
  type AskItem,
  type AskOpened,
  type AskSettled,
  type Change,
  type ItemChange,
  type NamedPlan,
  type SessionEvent,
  type TerminalOpened,
  type ToolCallItem,
  type TurnEnded,
  type UnknownEvent,
  type Update,
  type UpdateReading,
} from "@landline/protocol";
import { askDetails, askReason } from "./ask-details.ts";
import type { Output } from "./output.ts";

export interface TranscriptOptions {
  /** Print only the agent's messages. */
  readonly quiet?: boolean;
  /** Names of the gateway's clients, by id. */
  readonly people?: Readonly<Record<string, string>>;
  /** Whether a person can answer the agent's requests. */
  readonly isAsking?: boolean;
  /** Whether a prompt was typed here, so that it need not be shown. */
  readonly isOwnPrompt?: (promptId: string) => boolean;
}

/** The output depends only on the latest and the open items. */
const itemsKept = 50;

/**
 * Prints a conversation on a terminal, event by event: the event itself, and its changes to the view. Of child sessions
 * it prints only tool calls.
 */
export class Transcript {
  readonly #output: Output;
  readonly #options: TranscriptOptions;
  #view = emptyView();
  #voice: "agent" | "thought" | null = null;
  /** The key of the message that was printed last. */
  #message: string | null = null;

  constructor(output: Output, options: TranscriptOptions = {}) {
    this.#output = output;
    this.#options = options;
  }

  show(event: SessionEvent | UnknownEvent): void {
    const changes = this.#fold(event);
    if (!isKnown(event)) return;
    switch (event.kind) {
      case "update":
        return this.#update(event, changes);
      case "prompt-queued":
        if (!this.#options.isOwnPrompt?.(event.promptId))
          this.#note(`> ${blocksText(event.content)}`, "bold");
        return;
      case "prompt-withdrawn":
        return this.#note("(a waiting prompt was withdrawn)", "dim");
      case "turn-changed":
        if (event.state === "stalled")
          this.#note("The agent does not respond; press Ctrl-C to cancel the turn.", "yellow");
        return;
      case "turn-ended":
        return this.#turnEnded(event);
      case "ask-opened":
        return this.#asked(event, changes);
      case "ask-explained":
        return this.#explained(event);
      case "ask-settled":
        return this.#settled(event, changes);
      case "terminal-opened":
        return this.#note(`$ ${commandText(event)}`, "dim");
      case "terminal-restarted":
        return this.#note(
          event.confinement === null
            ? "  the command runs again, outside the sandbox"
            : "  the command runs again in the sandbox, with what was allowed",
          "dim",
        );
      case "file-written":
        return this.#note(`✎ ${event.path}${placeText(event)}`, "dim");
      case "agent-waiting":
        return this.#note(waitingText(event), "yellow");
      case "agent-exited":
        if (event.because) return this.#note(idleExitText[event.because], "dim");
        // An agent that was asked to end has exited normally.
        if (event.code === 0) return;
        return this.#note(`The agent ended (${event.signal ?? event.code ?? "lost"}).`, "yellow");
      case "error":
        return this.#important([`! ${event.message}`, ...helpLines(event.help)].join("\n"));
      default:
        return;
    }
  }

  /** Ends a line that was left open. */
  end(): void {
    this.#voice = null;
    this.#output.endLine();
    this.#output.endNote();
  }

  #fold(event: SessionEvent | UnknownEvent): readonly Change[] {
    // A repeated sequence number belongs to another log.
    const before = event.seq > this.#view.head ? this.#view : emptyView();
    const { view, changes } = foldWithChanges(before, [event]);
    this.#view = view.items.length > itemsKept * 4 ? trimView(view, itemsKept) : view;
    return changes;
  }

  #update(event: Update, changes: readonly Change[]): void {
    const reading = readUpdate(event.update);
    if (reading.kind === "tool-call") return this.#toolCall(reading, changes);
    if (event.child !== undefined) return;
    switch (reading.kind) {
      case "message-chunk": {
        const text = blocksText(reading.update["content"]);
        if (reading.voice === "agent") this.#say(text, changes.find(isOfItem)?.item.key ?? null);
        else if (reading.voice === "thought") this.#think(text);
        return;
      }
      case "plan":
        return this.#plan(reading.entries);
      case "named-plan":
        return this.#namedPlan(reading.plan);
      case "notice":
        return this.#notice(reading);
      case "plan-removed":
      case "commands":
      case "mode":
      case "config-options":
      case "session-info":
      case "usage":
      case "compaction":
      case "compaction-chunk":
      case "subagent":
      case "session-message":
      case "session-message-chunk":
      case "unknown":
        return;
      default:
        reading satisfies never;
    }
  }

  /** Separates two consecutive messages by an empty line, whatever their white space. */
  #say(text: string, message: string | null): void {
    if (message !== this.#message) {
      this.#output.endLine();
      if (this.#voice === "agent") this.#output.text("\n");
    }
    this.#message = message;
    this.#voice = "agent";
    this.#output.text(text);
  }

  #think(text: string): void {
    if (this.#options.quiet === true) return;
    if (this.#voice !== "thought") this.end();
    this.#voice = "thought";
    this.#output.noteText(text, "dim");
  }

  #toolCall({ source, update }: Reading<"tool-call">, changes: readonly Change[]): void {
    const call = callIn(changes);
    if (source === "call") this.#toolStarted(call?.item);
    if (update["status"] === "completed" || update["status"] === "failed") this.#toolEnded(call);
  }

  #toolStarted(call: ToolCallItem | undefined): void {
    if (call === undefined) return;
    const kind = call.kind === "other" ? "" : ` (${call.kind})`;
    this.#note(`● ${nameOf(call)}${kind}`, "cyan");
  }

  /** Shows a repeated end only once. */
  #toolEnded(call: CallChange | undefined): void {
    if (call === undefined || (call.before !== null && !isOpenToolCall(call.before))) return;
    const hasFailed = call.item.status === "failed";
    this.#note(`${hasFailed ? "✗" : "✓"} ${nameOf(call.item)}`, hasFailed ? "red" : "green");
    if (isExecutionKnown(call.item))
      this.#note(`  ${executedAs(call.item, this.#options.people ?? {})}`, "dim");
  }

  #plan(entries: Reading<"plan">["entries"]): void {
    const lines = entries.map(({ content, status }) => {
      const mark = status === "completed" ? "x" : status === "in_progress" ? ">" : " ";
      return `  [${mark}] ${oneLine(content)}`;
    });
    if (lines.length > 0) this.#note(`Plan:\n${lines.join("\n")}`, "dim");
  }

  #namedPlan(plan: NamedPlan): void {
    if (plan.type === "items") this.#plan(plan.entries);
    else if (plan.type === "file") this.#note(`Plan: ${oneLine(plan.uri)}`, "dim");
    else this.#note(`Plan:\n${plan.content.trimEnd()}`, "dim");
  }

  #notice({ severity, title, description }: Reading<"notice">): void {
    const text = description ? `${oneLine(title)}: ${description.trimEnd()}` : oneLine(title);
    if (severity === "error") this.#important(`! ${text}`);
    else this.#note(`! ${text}`, severity === "warning" ? "yellow" : "dim");
  }

  #asked(event: AskOpened, changes: readonly Change[]): void {
    const title = callIn(changes)?.item.title;
    this.#question(`? ${askText(event, title ? oneLine(title) : null)}`, "yellow");
    for (const { text, style } of askDetails(event)) this.#question(text, style);
  }

  /** The gateway and the built-in agent give the same reasons in the same text. Each is shown once. */
  #explained({ askId, reasons }: AskExplained): void {
    const said = askReason(this.#callOfAsk(askId)?.content).toLowerCase();
    const left = reasons.filter((reason) => !said.includes(reason.toLowerCase()));
    const because = left.length === 0 ? "" : `, because ${left.join("; ")}`;
    this.#question(`  No rule allows it${because}.`, "yellow");
  }

  #settled(event: AskSettled, changes: readonly Change[]): void {
    const ask = changes.filter(isOfItem).find(({ item }) => item.type === "ask")?.item;
    this.#note(`  ${settledText(event, ask as AskItem | undefined)}`, "dim");
  }

  #callOfAsk(askId: string): ToolCallItem | undefined {
    const open = this.#view.openAsks.find((ask) => ask.askId === askId);
    const { subagents } = this.#view;
    const thread = subagents.find(({ key }) => key === open?.subagent) ?? this.#view;
    const ask = thread.items.find(({ key }) => key === open?.item);
    const id = ask?.type === "ask" && ask.ask === "permission" ? ask.toolCallId : null;
    return thread.items.findLast(
      (item): item is ToolCallItem => item.type === "tool-call" && item.toolCallId === id,
    );
  }

  #turnEnded({ stopReason, error }: TurnEnded): void {
    this.end();
    if (stopReason === "end_turn") return;
    const because = error === undefined ? "" : `: ${error.message}`;
    this.#important(`The turn ended with ${stopReason}${because}`);
  }

  /** A question is shown even with `--quiet` to the person who is to answer it. */
  #question(text: string, style: Parameters<Output["note"]>[1]): void {
    if (this.#options.isAsking === true) this.#told(text, style);
    else this.#note(text, style);
  }

  #note(text: string, style: Parameters<Output["note"]>[1]): void {
    if (this.#options.quiet !== true) this.#told(text, style);
  }

  #told(text: string, style: Parameters<Output["note"]>[1]): void {
    if (this.#voice === "thought") this.end();
    this.#voice = null;
    this.#output.note(text, style);
  }

  /** Shown even with `--quiet`. */
  #important(text: string): void {
    this.end();
    this.#output.note(text, "red");
  }
}

type Reading<Kind extends UpdateReading["kind"]> = Extract<UpdateReading, { readonly kind: Kind }>;

type CallChange = ItemChange & {
  readonly item: ToolCallItem;
  readonly before: ToolCallItem | null;
};

function isOfItem(change: Change): change is ItemChange {
  return change.of === "item";
}

/** The tool call of an update or a request. */
function callIn(changes: readonly Change[]): CallChange | undefined {
  return changes
    .filter(isOfItem)
    .find((change): change is CallChange => change.item.type === "tool-call");
}

/** Names the editor in which it was done. */
function placeText({ editor }: { readonly editor?: string }): string {
  return editor === undefined ? "" : ` (in ${oneLine(editor)})`;
}

function nameOf({ title, name, toolCallId }: ToolCallItem): string {
  return oneLine(title || name || toolCallId);
}

/** "Run by codex · not confined by Landline · not asked". */
function executedAs(call: ToolCallItem, people: Readonly<Record<string, string>>): string {
  const text = executionText(call, { person: (id) => personName(id, people) ?? id });
  return text.replaceAll(/\s+/g, " ");
}

const kinds: ReadonlySet<string> = new Set<SessionEvent["kind"]>([
  "update",
  "prompt-queued",
  "prompt-withdrawn",
  "turn-changed",
  "turn-ended",
  "ask-opened",
  "ask-explained",
  "ask-settled",
  "terminal-opened",
  "terminal-restarted",
  "file-written",
  "agent-waiting",
  "agent-exited",
  "error",
]);

function isKnown(event: SessionEvent | UnknownEvent): event is SessionEvent {
  return kinds.has(event.kind);
}

/** The command line, and its confinement if it has one. */
function commandText({ command, args, confinement, editor }: TerminalOpened): string {
  const line = [command, ...args].join(" ");
  if (editor !== undefined) return `${line}  · in ${oneLine(editor)}, not confined by Landline`;
  return confinement ? `${line}  · ${confinementWords(confinement)}` : line;
}

/** `known` is the earlier title of the call, used if the request has none. */
function askText(ask: AskOpened, known: string | null): string {
  if (ask.ask === "question") return `The agent asks: ${ask.request.message}`;
  const { title = known, kind, rawInput } = ask.toolCall;
  const command = (rawInput as { command?: unknown } | null | undefined)?.command;
  const line = Array.isArray(command) ? command.join(" ") : command;
  const isSaid = typeof line === "string" && title?.startsWith(line) === true;
  const words = typeof line === "string" && !isSaid ? `: ${line}` : "";
  return `Permission for ${title ?? kind ?? "a tool"}${words}`;
}

function settledText({ outcome, by, note }: AskSettled, ask: AskItem | undefined): string {
  const what =
    "action" in outcome
      ? outcome.action
      : outcome.outcome === "selected"
        ? optionName(ask, outcome.optionId)
        : outcome.outcome;
  const said = typeof note === "string" ? ` (${oneLine(note)})` : "";
  if ("client" in by) return `answered: ${what}${said}`;
  return "rule" in by ? `answered by a rule: ${what}` : `${what} (${by.gateway})`;
}

/** The name of the chosen option, or its id if the request is unknown. */
function optionName(ask: AskItem | undefined, optionId: string): string {
  const options = ask?.ask === "permission" ? ask.options : [];
  const name = options.find((option) => option.optionId === optionId)?.name;
  return typeof name === "string" && name.trim() !== "" ? oneLine(name) : optionId;
}

function helpLines(help: string | undefined): string[] {
  return help === undefined ? [] : [`  ${help}`];
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim().slice(0, 200);
}
