import type { Commands } from "./commands.ts";
import type { SignInTerminal } from "./contract.ts";
import type { Connection } from "./connection.ts";
import { Listeners } from "./listeners.ts";

/** The escape sequence that clears the screen. */
const resetScreen = "\u001Bc";

/** The maximum length of one input message. */
const pieceLength = 16_384;

/**
 * The screen of one sign-in, attached while it has listeners. After a reconnect the gateway sends the whole screen,
 * so it is cleared first. The last `terminalLength` characters are kept for late listeners.
 */
export class ListenedTerminal implements SignInTerminal {
  readonly #terminalId: string;
  readonly #line: Connection;
  readonly #commands: Commands;
  readonly #keptLength: number;
  readonly #listeners = new Listeners<[text: string]>();
  #text = "";
  #isAttached = false;
  #isFresh = false;
  #unsent = "";
  #sending: Promise<void> | null = null;

  constructor(terminalId: string, line: Connection, commands: Commands, keptLength: number) {
    this.#terminalId = terminalId;
    this.#line = line;
    this.#commands = commands;
    this.#keptLength = keptLength;
  }

  get isHeard(): boolean {
    return this.#listeners.size > 0;
  }

  onOutput(listener: (text: string) => void): () => void {
    const remove = this.#listeners.add(listener);
    if (!this.#isAttached) this.attach();
    else if (this.#text !== "") listener(this.#text);
    return () => {
      remove();
      // A listener that subscribes again immediately, as React does, must not cause a second attach.
      queueMicrotask(() => this.#detachIfUnheard());
    };
  }

  /** Sends input in order. Input that arrives during a request goes into the next one. */
  write(text: string): Promise<void> {
    this.#unsent += text;
    this.#sending ??= this.#sendTyped().finally(() => {
      this.#sending = null;
    });
    return this.#sending;
  }

  async resize(columns: number, rows: number): Promise<void> {
    const fields = { terminalId: this.#terminalId, columns, rows };
    await this.#commands.quick("terminal-resize", fields);
  }

  /** Also called on every new connection. */
  attach(): void {
    this.#isAttached = true;
    this.#isFresh = true;
    this.#send("terminal-attach");
  }

  hear(text: string): void {
    if (!this.isHeard) return;
    const isAgain = this.#isFresh && this.#text !== "";
    this.#isFresh = false;
    const output = isAgain ? `${resetScreen}${text}` : text;
    this.#text = (isAgain ? output : this.#text + output).slice(-this.#keptLength);
    this.#listeners.tell(output);
  }

  async #sendTyped(): Promise<void> {
    try {
      while (this.#unsent !== "") {
        const text = this.#unsent.slice(0, pieceLength);
        this.#unsent = this.#unsent.slice(pieceLength);
        await this.#commands.quick("terminal-input", { terminalId: this.#terminalId, text });
      }
    } finally {
      this.#unsent = "";
    }
  }

  #detachIfUnheard(): void {
    if (this.isHeard || !this.#isAttached) return;
    this.#isAttached = false;
    this.#text = "";
    this.#send("terminal-detach");
  }

  /** Ignore errors: a terminal that has ended cannot be attached, and `agents` has its result. */
  #send(type: "terminal-attach" | "terminal-detach"): void {
    if (!this.#line.isOnline) return;
    this.#commands.quick(type, { terminalId: this.#terminalId }).catch(() => {});
  }
}
