import { setTimeout as delay } from "node:timers/promises";
import {
  transports,
  type TransportName,
  type Frame,
  type Line,
  type Place,
  type Sink,
} from "./transports.ts";

/**
 * A client in this process: it follows a session over one transport, and resumes at its cursor after a disconnect.
 * Events that a dialect sends in several frames count with the last of them; if that can't be seen, with the first
 * frame of the next event.
 */
export class Follower implements Sink, AsyncDisposable {
  readonly transport: TransportName;
  readonly frames: Frame[] = [];
  readonly faults: string[] = [];
  readonly #place: Place;
  readonly #after: number;
  readonly #following: Promise<void>;
  #line: Line | null = null;
  #isOver = false;
  /** How often it was connected. */
  lives = 0;

  constructor(transport: TransportName, place: Place, after = 0) {
    this.transport = transport;
    this.#place = place;
    this.#after = after;
    this.#following = this.#follow();
  }

  get cursor(): number {
    return this.frames.at(-1)?.seq ?? this.#after;
  }

  take(frames: readonly Frame[]): void {
    this.frames.push(...frames);
  }

  fault(what: string): void {
    this.faults.push(what);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    this.#line?.end();
    await this.#following;
  }

  async #follow(): Promise<void> {
    while (!this.#isOver) {
      this.lives++;
      this.#line = transports[this.transport](this.#place, this);
      await this.#line.ended;
      this.#dropUnfinished();
      if (!this.#isOver) await delay(20);
    }
  }

  #dropUnfinished(): void {
    const last = this.frames.at(-1);
    const isUnfinished = this.transport === "bridge" && !this.#isOver;
    while (this.frames.length > 0) {
      const { seq, partial = false } = this.frames.at(-1)!;
      if (!partial && !(isUnfinished && seq === last?.seq)) return;
      this.frames.pop();
    }
  }
}
