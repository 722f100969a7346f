import type { Commands } from "./commands.ts";
import type { SignInTerminal } from "./contract.ts";
import type { Connection } from "./connection.ts";
import { Listeners } from "./listeners.ts";

/** Clears the screen of any terminal: what follows is all that is on it. */
const resetScreen = "\u001Bc";

/** Of what is typed, so many characters are sent at once. */
const pieceLength = 16_384;

/**
 * The screen of one sign-in: attached while somebody listens. After a break the gateway sends all of the screen
 * again, so it is cleared before. Keeps the latest `terminalLength` characters for who comes late.
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
      // Whoever listens again at once, as React does, must not be sent the screen a second time.
      queueMicrotask(() => this.#detachIfUnheard());
    };
  }

  /** In order, also where each piece is a request of its own: what is typed meanwhile goes with the next. */
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

  /** On a new connection, too. */
  attach(): void {
    this.#isAttached = true;
    this.#isFresh = true;
    this.#send("terminal-attach");
  }

  hear(text: string): void {
    if (!this.isHeard) return;
    const isAgain = this.#isFresh && this.#text !== "";
    this.#isFresh = false;
    const told = isAgain ? `${resetScreen}${text}` : text;
    this.#text = (isAgain ? told : this.#text + told).slice(-this.#keptLength);
    this.#listeners.tell(told);
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

  /** A terminal that is over can't be attached to; `agents` says how it ended. */
  #send(type: "terminal-attach" | "terminal-detach"): void {
    if (!this.#line.isOnline) return;
    this.#commands.quick(type, { terminalId: this.#terminalId }).catch(() => {});
  }
}
