import { jsonFrame } from "./framing.ts";
import type { FrameWriter, Waiter } from "./frame-writer.ts";
import type { SignInTerminal } from "./services.ts";

/** The terminals of sign-ins that one socket looks at, each once. */
export class TerminalViews implements Disposable {
  readonly #writer: FrameWriter;
  readonly #views = new Map<string, TerminalView>();

  constructor(writer: FrameWriter) {
    this.#writer = writer;
  }

  /** Sends what is on its screen, then what comes. From its start again, if it was looked at already. */
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
 * One socket that looks at one terminal: a position, not a queue. While the socket is full, nothing is sent;
 * when it has drained, it gets what it missed, or the screen anew when that is forgotten.
 */
class TerminalView implements Waiter, Disposable {
  readonly #terminalId: string;
  readonly #screen: SignInTerminal["screen"];
  readonly #writer: FrameWriter;
  readonly #watch: Disposable;
  readonly #seen: () => void;
  #position: number;
  #isOver = false;

  /** `seen` is called when all was sent that there will ever be. */
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

  /** Nothing more comes. What was not sent yet still is. */
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
