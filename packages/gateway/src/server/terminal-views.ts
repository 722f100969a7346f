import { jsonFrame } from "./framing.ts";
import type { FrameWriter, Waiter } from "./frame-writer.ts";
import type { SignInTerminal } from "./services.ts";

/** The sign-in terminals that one socket views, each once. */
export class TerminalViews implements Disposable {
  readonly #writer: FrameWriter;
  readonly #views = new Map<string, TerminalView>();

  constructor(writer: FrameWriter) {
    this.#writer = writer;
  }

  /** Sends the screen, then new output. Starts over if the socket already views it. */
  add(terminalId: string, terminal: SignInTerminal): void {
    this.remove(terminalId);
    const view: TerminalView = new TerminalView(terminalId, terminal, this.#writer, () => {
      if (this.#views.get(terminalId) === view) this.remove(terminalId);
    });
    this.#views.set(terminalId, view);
    void terminal.ended.then(() => view.end());
  }

  remove(terminalId: string): void {
    this.#views.get(terminalId)?.[Symbol.dispose]();
    this.#views.delete(terminalId);
  }

  [Symbol.dispose](): void {
    for (const view of this.#views.values()) view[Symbol.dispose]();
    this.#views.clear();
  }
}

/**
 * One socket that views one terminal by a position, without a queue. A full socket gets nothing; when it has drained,
 * it gets the missed output, or the whole screen if that was dropped.
 */
class TerminalView implements Waiter, Disposable {
  readonly #terminalId: string;
  readonly #screen: SignInTerminal["screen"];
  readonly #writer: FrameWriter;
  readonly #watch: Disposable;
  readonly #seen: () => void;
  #position: number;
  #isOver = false;

  /** `seen` is called when all output was sent. */
  constructor(
    terminalId: string,
    { screen }: SignInTerminal,
    writer: FrameWriter,
    seen: () => void,
  ) {
    this.#seen = seen;
    this.#terminalId = terminalId;
    this.#screen = screen;
    this.#writer = writer;
    this.#position = screen.end;
    this.#send(screen.whole());
    this.#watch = screen.watch(() => this.#tell());
  }

  resume(): "done" {
    this.#catchUp();
    if (this.#isOver) this.#seen();
    return "done";
  }

  /** Marks the end of the output. Unsent output is still sent. */
  end(): void {
    this.#isOver = true;
    if (this.#position === this.#screen.end) this.#seen();
  }

  [Symbol.dispose](): void {
    this.#watch[Symbol.dispose]();
    this.#writer.forget(this);
  }

  #tell(): void {
    if (this.#writer.isFull) this.#writer.await(this);
    else this.#catchUp();
  }

  #catchUp(): void {
    const text = this.#screen.since(this.#position);
    this.#position = this.#screen.end;
    if (text !== "") this.#send(text);
  }

  #send(text: string): void {
    this.#writer.send(jsonFrame({ type: "terminal", terminalId: this.#terminalId, text }));
  }
}
