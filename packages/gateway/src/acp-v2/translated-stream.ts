import { Duplex, type Readable, type Writable } from "node:stream";
import { LandlineError, toRpcError } from "@landline/protocol";
import { parsedJson } from "@landline/system/json";
import { LineSplitter, type OversizedLine } from "@landline/system/line-splitter";
import { readMessageId } from "@landline/system/oversized-message";
import type { Ends, Translator } from "./translator.ts";

interface Peer {
  readonly input: Readable;
  readonly output: Writable;
}

/**
 * The gateway's end of a connection to a peer that speaks version 2: a stream of lines of version 1. Lines that are not
 * JSON pass unchanged, so the connection counts them.
 */
export class TranslatedStream extends Duplex {
  readonly #peer: Peer;
  readonly #translator: Translator;
  readonly #splitter: LineSplitter;

  constructor(peer: Peer, lineBytes: number, translatorOf: (ends: Ends) => Translator) {
    super({ decodeStrings: false });
    this.#peer = peer;
    this.#translator = translatorOf({
      toPeer: (message) => void peer.output.write(`${JSON.stringify(message)}\n`),
      toGateway: (message) => this.#pass(JSON.stringify(message)),
    });
    this.#splitter = new LineSplitter(lineBytes, {
      line: (line) => {
        const message = this.#translator.isPassThrough ? undefined : parsedJson(line);
        if (message === undefined) this.#pass(line);
        else this.#translator.fromPeer(message);
      },
      invalidLine: (text) => this.#pass(text),
      oversizedLine: (line) => this.#oversized(line, lineBytes),
    });
    const { input, output } = peer;
    input.on("data", (chunk: Buffer) => this.#splitter.push(chunk));
    input.on("end", () => {
      this.#splitter.end();
      this.push(null);
    });
    input.on("error", (error) => this.destroy(error));
    // Lines that the gateway has not read yet are still read.
    input.on("close", () => {
      if (!input.readableEnded) this.push(null);
    });
    output.on("error", () => {});
  }

  #oversized(line: OversizedLine, lineBytes: number): void {
    const message = readMessageId(line);
    // The head alone is not JSON, so the connection counts it as noise.
    this.#pass(line.head);
    if (!message) return;
    const error = toRpcError(
      new LandlineError("message-too-large", {
        message: `A message has at most ${lineBytes} bytes.`,
      }),
    );
    const answer = { jsonrpc: "2.0", id: message.id, error };
    if (message.type === "request") this.#peer.output.write(`${JSON.stringify(answer)}\n`);
    else this.#translator.fromPeer(answer);
  }

  #pass(line: string): void {
    if (!this.push(`${line}\n`)) this.#peer.input.pause();
  }

  override _read(): void {
    this.#peer.input.resume();
  }

  override _write(text: string, _encoding: string, done: () => void): void {
    const { output } = this.#peer;
    if (this.#translator.isPassThrough) output.write(text);
    else
      for (const line of text.split("\n"))
        if (line !== "") this.#translator.fromGateway(parsedJson(line));
    if (!output.writableNeedDrain || output.destroyed) {
      done();
      return;
    }
    const proceed = () => {
      output.off("drain", proceed).off("close", proceed);
      done();
    };
    output.on("drain", proceed).on("close", proceed);
  }

  override _final(done: () => void): void {
    this.#peer.output.end();
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#peer.input.destroy();
    this.#peer.output.destroy();
    done(error);
  }
}
