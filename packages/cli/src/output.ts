import type { Writable } from "node:stream";
import { styleText } from "node:util";

type Style = Parameters<typeof styleText>[0];

export interface TerminalStream extends Writable {
  readonly isTTY?: boolean;
}

/**
 * The output of a command. Answers and data go to stdout and messages to stderr, so that `landline run … > file` stores
 * only the answer. On a terminal, a message never starts in the middle of a line, and control characters of an agent
 * are removed.
 */
export class Output {
  readonly #stdout: TerminalStream;
  readonly #stderr: TerminalStream;
  #isLineOpen = false;
  #isNoteOpen = false;

  constructor(stdout: TerminalStream = process.stdout, stderr: TerminalStream = process.stderr) {
    this.#stdout = stdout;
    this.#stderr = stderr;
  }

  get isTerminal(): boolean {
    return this.#stdout.isTTY === true;
  }

  /** A chunk of an answer, unchanged. */
  text(text: string): void {
    if (text === "") return;
    this.endNote();
    const shown = this.isTerminal ? withoutControls(text) : text;
    this.#stdout.write(shown);
    this.#isLineOpen = !shown.endsWith("\n");
  }

  /** A line of data for people. */
  line(text: string): void {
    this.endLine();
    this.text(`${text}\n`);
  }

  /** A line of data for programs. */
  json(value: unknown): void {
    this.rawLine(JSON.stringify(value));
  }

  /** A line that is already JSON. */
  rawLine(line: string): void {
    this.#stdout.write(`${line}\n`);
  }

  /** Ends the line of an answer without a trailing newline. */
  endLine(): void {
    if (this.#isLineOpen) this.#stdout.write("\n");
    this.#isLineOpen = false;
  }

  note(text: string, style?: Style): void {
    this.noteText(`${text}\n`, style);
  }

  /** A chunk of a message beside the answer. */
  noteText(text: string, style?: Style): void {
    if (text === "") return;
    if (this.#isLineOpen && this.isTerminal && this.#stderr.isTTY === true) this.endLine();
    const shown = this.#stderr.isTTY === true ? withoutControls(text) : text;
    this.#stderr.write(this.#painted(shown, style));
    this.#isNoteOpen = !shown.endsWith("\n");
  }

  /** For tables on stdout. */
  paint(text: string, style: Style): string {
    return styleText(style, text, { stream: this.#stdout });
  }

  /** Ends the line of a message that was written in chunks. */
  endNote(): void {
    if (this.#isNoteOpen) this.#stderr.write("\n");
    this.#isNoteOpen = false;
  }

  #painted(text: string, style: Style | undefined): string {
    return style === undefined ? text : styleText(style, text, { stream: this.#stderr });
  }
}

// Everything below a space but tab and line feed, delete, the second control block, and the marks that
// change the direction of what follows.
// oxlint-disable-next-line eslint/no-control-regex -- Control characters are what it is about.
const controls = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g;

export function withoutControls(text: string): string {
  return text.replaceAll(controls, "");
}
