import type { ServerResponse } from "node:http";
import type { Limits } from "@landline/protocol";

type StreamLimits = Pick<
  Limits,
  "acpIdleMs" | "acpReplayBytes" | "clientUnsentBytes" | "serverCloseMs" | "streamRetryMs"
>;

interface Kept {
  readonly id: string;
  /** Its text as a server-sent event. */
  readonly text: string;
}

/** The id before the first message. */
const START = "0";

/**
 * The messages of one stream of server-sent events. Each has an id; after a disconnect, the stream continues behind the
 * id that the client names. A sent message is kept until the client acknowledges it in this way, as long as
 * `acpReplayBytes` suffice. The newest receiver replaces an earlier one, whose connection may be dead.
 */
export class ResumableStream {
  readonly #limits: StreamLimits;
  /** Sent messages, then waiting ones. */
  #kept: Kept[] = [];
  /** The id of the message before the first of `#kept`. */
  #before = START;
  #keptBytes = 0;
  /** How many of `#kept` were given to the receiver, and how many of those reached the system's buffers. */
  #given = 0;
  #sent = 0;
  #waitingBytes = 0;
  #receiver: Receiver | null = null;
  #cursor = 0;
  #highest = 0;
  #further = 0;
  #room: PromiseWithResolvers<void> | null = null;
  #isEnded = false;

  constructor(limits: StreamLimits) {
    this.#limits = limits;
  }

  get hasReceiver(): boolean {
    return this.#receiver !== null;
  }

  /** Whether nothing would be lost if the stream were removed. */
  get isIdle(): boolean {
    return this.#receiver === null && this.#sent === this.#kept.length;
  }

  /** Whether the client has to read before more updates are sent. */
  get isHeld(): boolean {
    return this.#waitingBytes > this.#limits.clientUnsentBytes;
  }

  /** Whether the client has to read before anything more is sent. */
  get isFull(): boolean {
    return this.#waitingBytes > this.#limits.clientUnsentBytes * 4;
  }

  /** Resolves when the client has read, or the stream ended. */
  whenWritable(): Promise<void> {
    if (!this.isHeld || this.#isEnded) return Promise.resolve();
    this.#room ??= Promise.withResolvers();
    return this.#room.promise;
  }

  /** Adds a message. `flush` sends it. `cursor`: the sequence number of the event that it was made of. */
  push(message: string, cursor: number | null): void {
    if (this.#isEnded) return;
    const id = this.#idOf(cursor);
    // In JSON a carriage return is white space, but in an event stream it ends a line.
    const data = message.includes("\r") ? message.replaceAll("\r", " ") : message;
    const kept = { id, text: `id: ${id}\ndata: ${data}\n\n` };
    this.#kept.push(kept);
    this.#keptBytes += kept.text.length;
    this.#waitingBytes += kept.text.length;
  }

  /** Gives waiting messages to the receiver, as many as it takes. */
  flush(): void {
    const receiver = this.#receiver;
    if (!receiver?.isReady || this.#given === this.#kept.length) return;
    const waiting = this.#kept.slice(this.#given);
    let bytes = 0;
    const taken = waiting.findIndex(({ text }) => (bytes += text.length) > WRITE_LENGTH) + 1;
    const given = taken === 0 ? waiting : waiting.slice(0, taken);
    this.#given += given.length;
    receiver.write(given.map(({ text }) => text).join(""), () => this.#wrote(receiver, given));
  }

  /**
   * Sends to this response what follows `lastEventId`, or what was not sent yet. Returns false, and does nothing, if the
   * messages after that id are not kept any more.
   */
  open(
    outgoing: ServerResponse,
    headers: Readonly<Record<string, string>>,
    lastEventId?: string,
  ): boolean {
    const isKnown = lastEventId === undefined || this.#acknowledge(lastEventId);
    if (!isKnown || this.#isEnded) return false;
    this.#receiver?.cut();
    this.#given = this.#sent;
    const receiver = new Receiver(outgoing, {
      drained: () => this.flush(),
      closed: () => this.#closed(receiver),
    });
    this.#receiver = receiver;
    // The end of the connection ends the stream.
    outgoing.useChunkedEncodingByDefault = false;
    outgoing.shouldKeepAlive = false;
    outgoing.writeHead(200, headers);
    const last = this.#kept[this.#given - 1]?.id ?? this.#before;
    receiver.write(`retry: ${this.#limits.streamRetryMs}\nid: ${last}\n\n`, () => {});
    this.flush();
    return true;
  }

  /** Sends a comment unless something was sent since the last call. Cuts off a receiver that has stopped reading. */
  beat(now: number): void {
    this.#receiver?.beat(now, this.#limits.acpIdleMs);
  }

  /** Resolves when everything so far was sent, or there is no receiver. */
  async whenSent(): Promise<void> {
    while (this.#receiver?.isOpen && this.#sent < this.#kept.length) await this.#receiver.wrote();
  }

  end(): void {
    this.#isEnded = true;
    this.#receiver?.end(this.#limits.serverCloseMs);
    this.#receiver = null;
    this.#release();
  }

  /** The cursor itself, or with a number if this is not the first message with that cursor. */
  #idOf(cursor: number | null): string {
    this.#cursor = cursor ?? this.#cursor;
    if (cursor === null || cursor <= this.#highest) return `${this.#cursor}.${++this.#further}`;
    this.#highest = cursor;
    return String(cursor);
  }

  #acknowledge(id: string): boolean {
    if (id === this.#before) {
      this.#rewind(0);
      return true;
    }
    const index = this.#kept.findLastIndex((kept) => kept.id === id);
    if (index < 0) return false;
    this.#rewind(index + 1);
    this.#drop(index + 1);
    return true;
  }

  /** Treats the first `count` messages as sent, and the others as waiting. */
  #rewind(count: number): void {
    this.#sent = count;
    this.#waitingBytes = this.#kept.slice(count).reduce((sum, { text }) => sum + text.length, 0);
  }

  #drop(count: number): void {
    const dropped = this.#kept.slice(0, count);
    this.#before = dropped.at(-1)?.id ?? this.#before;
    this.#kept = this.#kept.slice(count);
    for (const { text } of dropped) this.#keptBytes -= text.length;
    this.#sent -= count;
    this.#given = Math.max(this.#sent, this.#given - count);
  }

  #wrote(receiver: Receiver, given: readonly Kept[]): void {
    // After a newer receiver was opened, positions are those of that one.
    if (receiver !== this.#receiver) return;
    this.#sent += given.length;
    for (const { text } of given) this.#waitingBytes -= text.length;
    this.#forgetOld();
    if (this.#waitingBytes <= this.#limits.clientUnsentBytes / 2) this.#release();
    this.flush();
  }

  #forgetOld(): void {
    // Not with each message, because removing the first elements copies the others.
    if (this.#keptBytes < this.#limits.acpReplayBytes * 1.25) return;
    let count = 0;
    let bytes = this.#keptBytes;
    while (count < this.#sent && bytes > this.#limits.acpReplayBytes)
      bytes -= this.#kept[count++]?.text.length ?? 0;
    if (count > 0) this.#drop(count);
  }

  #closed(receiver: Receiver): void {
    if (receiver !== this.#receiver) return;
    this.#receiver = null;
    this.#given = this.#sent;
  }

  #release(): void {
    this.#room?.resolve();
    this.#room = null;
  }
}

/** Characters of one write, unless a single message is longer. */
const WRITE_LENGTH = 65_536;

/** The response that carries the stream. */
class Receiver {
  readonly #outgoing: ServerResponse;
  #isFresh = true;
  /** When sending last stopped making progress; null while it makes progress. */
  #stuckSince: number | null = null;
  #progress = Promise.withResolvers<void>();
  isOpen = true;
  isReady = true;

  constructor(outgoing: ServerResponse, on: { drained(): void; closed(): void }) {
    this.#outgoing = outgoing;
    outgoing.on("drain", () => {
      if (!this.isOpen) return;
      this.isReady = true;
      on.drained();
    });
    const closed = () => {
      this.#stop();
      on.closed();
    };
    outgoing.on("close", closed);
    outgoing.on("error", closed);
  }

  write(text: string, done: () => void): void {
    this.#isFresh = true;
    this.isReady = this.#outgoing.write(text, (error) => {
      if (error || !this.isOpen) return;
      this.#stuckSince = null;
      this.#advance();
      done();
    });
  }

  /** Resolves with the next successful write, or the end. */
  wrote(): Promise<void> {
    return this.#progress.promise;
  }

  beat(now: number, stuckMs: number): void {
    if (this.#outgoing.writableLength > 0) this.#stuckSince ??= now;
    if (this.#stuckSince !== null && now - this.#stuckSince > stuckMs) return this.cut();
    if (!this.#isFresh && this.isReady) this.write(":\n\n", () => {});
    this.#isFresh = false;
  }

  /** A client that does not read the rest is cut off. */
  end(withinMs: number): void {
    this.#stop();
    this.#outgoing.end();
    const cut = setTimeout(() => this.#outgoing.destroy(), withinMs).unref();
    this.#outgoing.once("close", () => clearTimeout(cut));
  }

  cut(): void {
    this.#stop();
    this.#outgoing.destroy();
  }

  #advance(): void {
    this.#progress.resolve();
    this.#progress = Promise.withResolvers();
  }

  #stop(): void {
    this.isOpen = false;
    this.isReady = false;
    this.#progress.resolve();
  }
}
