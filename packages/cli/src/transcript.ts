import {
  blocksText,
  confinementWords,
  idleExitWords,
  readUpdate,
  waitingWords,
  type AskExplained,
  type AskOpened,
  type AskSettled,
  type SessionEvent,
  type TerminalOpened,
  type ToolReading,
  type TurnEnded,
  type UnknownEvent,
  type Update,
} from "@landline/protocol";
import { askDetails, askReason } from "./ask-details.ts";
import type { Output } from "./output.ts";

export interface TranscriptOptions {
  /** Only what the agent says. */
  readonly quiet?: boolean;
  /** Whether somebody is here to answer what the agent asks. */
  readonly isAsking?: boolean;
  /** A prompt that need not be shown to the one who typed it. */
  readonly isOwnPrompt?: (promptId: string) => boolean;
}

/** A conversation as lines of a terminal, event by event. Updates of child sessions are left out but for their tools. */
export class Transcript {
  readonly #output: Output;
  readonly #options: TranscriptOptions;
  readonly #titles = new Map<string, string>();
  /** The asks that are open. */
  readonly #asks = new Map<string, AskOpened>();
  #voice: "agent" | "thought" | null = null;
  #messageId: string | undefined;

  constructor(output: Output, options: TranscriptOptions = {}) {
    this.#output = output;
    this.#options = options;
  }

  show(event: SessionEvent | UnknownEvent): void {
    if (!isKnown(event)) return;
    switch (event.kind) {
      case "update":
        return this.#update(event);
      case "prompt-queued":
        if (!this.#options.isOwnPrompt?.(event.promptId))
          this.#note(`> ${blocksText(event.content)}`, "bold");
        return;
      case "prompt-withdrawn":
        return this.#note("(a waiting prompt was withdrawn)", "dim");
      case "turn-changed":
        if (event.state === "stalled")
          this.#note("The agent has gone silent; Ctrl-C cancels the turn.", "yellow");
        return;
      case "turn-ended":
        return this.#turnEnded(event);
      case "ask-opened":
        return this.#asked(event);
      case "ask-explained":
        return this.#explained(event);
      case "ask-settled":
        return this.#settled(event);
      case "terminal-opened":
        return this.#note(`$ ${commandText(event)}`, "dim");
      case "terminal-restarted":
        return this.#note(
          event.confinement === null
            ? "  the command runs again, outside of the sandbox"
            : "  the command runs again in the sandbox, with what was allowed",
          "dim",
        );
      case "file-written":
        return this.#note(`✎ ${event.path}`, "dim");
      case "agent-waiting":
        return this.#note(waitingWords(event), "yellow");
      case "agent-exited":
        if (event.because) return this.#note(idleExitWords[event.because], "dim");
        // One that was told to end has ended well.
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

  #update(event: Update): void {
    for (const reading of readUpdate(event.update)) {
      if (reading.kind === "message") {
        if (event.child !== undefined) continue;
        if (reading.voice === "agent") this.#say(reading.text, reading.messageId);
        else if (reading.voice === "thought") this.#think(reading.text);
      } else if (reading.kind === "tool-started") this.#toolStarted(reading.call);
      else if (reading.kind === "tool-ended") this.#toolEnded(reading.call);
      else if (reading.kind === "tool-changed") this.#toolChanged(reading.call);
      else if (reading.kind === "plan") this.#plan(reading.entries);
    }
  }

  /** Two messages in a row are two paragraphs, however their texts end and begin. */
  #say(text: string, messageId: string | undefined): void {
    if (messageId !== this.#messageId) {
      this.#output.endLine();
      if (this.#voice === "agent") this.#output.text("\n");
    }
    this.#messageId = messageId;
    this.#voice = "agent";
    this.#output.text(text);
  }

  #think(text: string): void {
    if (this.#options.quiet === true) return;
    if (this.#voice !== "thought") this.end();
    this.#voice = "thought";
    this.#output.noteText(text, "dim");
  }

  #toolStarted({ toolCallId, title, name, toolKind }: ToolReading): void {
    const words = oneLine(title ?? name ?? toolCallId);
    this.#titles.set(toolCallId, words);
    this.#note(`● ${words}${toolKind === undefined ? "" : ` (${toolKind})`}`, "cyan");
  }

  /** Agents often name a call before they know what it is about. */
  #toolChanged({ toolCallId, title }: ToolReading): void {
    if (title !== undefined && this.#titles.has(toolCallId)) {
      this.#titles.set(toolCallId, oneLine(title));
    }
  }

  #toolEnded({ toolCallId, title, status }: ToolReading): void {
    const words = title === undefined ? this.#titles.get(toolCallId) : oneLine(title);
    this.#titles.delete(toolCallId);
    const hasFailed = status === "failed";
    this.#note(`${hasFailed ? "✗" : "✓"} ${words ?? toolCallId}`, hasFailed ? "red" : "green");
  }

  #plan(entries: readonly unknown[]): void {
    const lines = entries.map((entry) => {
      const { content, status } = (entry ?? {}) as Record<string, unknown>;
      const mark = status === "completed" ? "x" : status === "in_progress" ? ">" : " ";
      return `  [${mark}] ${typeof content === "string" ? oneLine(content) : ""}`;
    });
    if (lines.length > 0) this.#note(`Plan:\n${lines.join("\n")}`, "dim");
  }

  #asked(event: AskOpened): void {
    this.#asks.set(event.askId, event);
    const title = event.ask === "permission" && this.#titles.get(event.toolCall.toolCallId);
    this.#question(`? ${askText(event, title || null)}`, "yellow");
    for (const { text, style } of askDetails(event)) this.#question(text, style);
  }

  /** The gateway and the built-in agent give the same reasons in the same words: each is shown once. */
  #explained({ askId, reasons }: AskExplained): void {
    const ask = this.#asks.get(askId);
    const said = ask === undefined ? "" : askReason(ask).toLowerCase();
    const left = reasons.filter((reason) => !said.includes(reason.toLowerCase()));
    const because = left.length === 0 ? "" : `, because ${left.join("; ")}`;
    this.#question(`  No rule allows it${because}.`, "yellow");
  }

  #settled(event: AskSettled): void {
    const ask = this.#asks.get(event.askId);
    this.#asks.delete(event.askId);
    this.#note(`  ${settledText(event, ask)}`, "dim");
  }

  #turnEnded({ stopReason, error }: TurnEnded): void {
    this.end();
    if (stopReason === "end_turn") return;
    const because = error === undefined ? "" : `: ${error.message}`;
    this.#important(`The turn ended with ${stopReason}${because}`);
  }

  /** A question is shown to who is to answer it, even when all else is quiet. */
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

  /** Told even when all else is quiet. */
  #important(text: string): void {
    this.end();
    this.#output.note(text, "red");
  }
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

/** The line, and how it is confined where it is. */
function commandText({ command, args, confinement }: TerminalOpened): string {
  const line = [command, ...args].join(" ");
  return confinement ? `${line}  · ${confinementWords(confinement)}` : line;
}

/** `known`: what the call was called before, where the request does not say it. */
function askText(ask: AskOpened, known: string | null): string {
  if (ask.ask === "question") return `The agent asks: ${ask.request.message}`;
  const { title = known, kind, rawInput } = ask.toolCall;
  const command = (rawInput as { command?: unknown } | null | undefined)?.command;
  const line = Array.isArray(command) ? command.join(" ") : command;
  const isSaid = typeof line === "string" && title?.startsWith(line) === true;
  const words = typeof line === "string" && !isSaid ? `: ${line}` : "";
  return `Permission for ${title ?? kind ?? "a tool"}${words}`;
}

function settledText({ outcome, by, note }: AskSettled, ask: AskOpened | undefined): string {
  const what =
    "action" in outcome
      ? outcome.action
      : outcome.outcome === "selected"
        ? optionName(ask, outcome.optionId)
        : outcome.outcome;
  const said = typeof note === "string" ? ` (${oneLine(note)})` : "";
  if ("client" in by) return `answered: ${what}${said}`;
  return "rule" in by ? `answered by rule ${by.rule}: ${what}` : `${what} (${by.gateway})`;
}

/** The words of the option that was chosen; its id where the request was not seen. */
function optionName(ask: AskOpened | undefined, optionId: string): string {
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
