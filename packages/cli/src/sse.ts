import { LandlineError } from "@landline/protocol";

export interface SseEvent {
  readonly id: string | null;
  readonly event: string;
  readonly data: string;
}

/**
 * Server-sent events from text in pieces of any size: every whole event once, in order; the last one, when
 * it is cut, is left out. A line that grows past the bound is an error, as the gateway sends none.
 */
export class SseParser {
  readonly #lengthMax: number;
  #pieces: string[] = [];
  #length = 0;
  #id: string | null = null;
  #event = "";
  #data: string[] = [];

  constructor(lengthMax: number) {
    this.#lengthMax = lengthMax;
  }

  push(text: string): SseEvent[] {
    const events: SseEvent[] = [];
    let start = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
      this.#keep(text.slice(start, end));
      const line = this.#pieces.join("");
      this.#pieces = [];
      this.#length = 0;
      start = end + 1;
      const event = this.#take(line.endsWith("\r") ? line.slice(0, -1) : line);
      if (event) events.push(event);
    }
    this.#keep(text.slice(start));
    return events;
  }

  #keep(piece: string): void {
    if (piece === "") return;
    this.#pieces.push(piece);
    this.#length += piece.length;
    if (this.#length > this.#lengthMax)
      throw new LandlineError("message-too-large", {
        message: "The gateway sent a line that is longer than any event may be.",
      });
  }

  #take(line: string): SseEvent | null {
    if (line === "") return this.#finish();
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "id") this.#id = value;
    else if (field === "event") this.#event = value;
    else if (field === "data") this.#data.push(value);
    return null;
  }

  #finish(): SseEvent | null {
    const event = { id: this.#id, event: this.#event || "message", data: this.#data.join("\n") };
    const isEmpty = this.#data.length === 0;
    this.#id = null;
    this.#event = "";
    this.#data = [];
    return isEmpty ? null : event;
  }
}
