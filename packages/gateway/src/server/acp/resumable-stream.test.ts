import type { ServerResponse } from "node:http";
import { Writable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { test as property, fc } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { ResumableStream } from "./resumable-stream.ts";

const limits = {
  acpIdleMs: 1_000,
  acpReplayBytes: 1_000_000,
  clientUnsentBytes: 1_000,
  serverCloseMs: 1_000,
  streamRetryMs: 1,
};

/** A response whose client receives the first `most` characters of what is written. */
class CutResponse extends Writable {
  text = "";
  isReading = true;
  readonly #most: number;
  #read: (() => void) | null = null;

  constructor(most = Number.POSITIVE_INFINITY) {
    super({ decodeStrings: false, highWaterMark: 256 });
    this.#most = most;
  }

  writeHead(): void {}

  override _write(chunk: string, _encoding: string, done: () => void): void {
    const take = () => {
      this.text = (this.text + chunk).slice(0, this.#most);
      // Node does not flush synchronously either.
      process.nextTick(done);
    };
    if (this.isReading) take();
    else this.#read = take;
  }

  read(): void {
    this.isReading = true;
    this.#read?.();
    this.#read = null;
  }

  get outgoing(): ServerResponse {
    return this as unknown as ServerResponse;
  }

  /** The data of the complete events, and the last id. */
  get received(): { readonly data: readonly string[]; readonly lastId: string | undefined } {
    const blocks = this.text.split("\n\n").slice(0, -1);
    const field = (block: string, name: string) =>
      new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1];
    return {
      data: blocks.flatMap((block) => field(block, "data") ?? []),
      lastId: blocks.flatMap((block) => field(block, "id") ?? []).at(-1),
    };
  }
}

const steps = fc.array(
  fc.record({
    /** Cursors of the messages that are sent; null for a request or a response. */
    messages: fc.array(fc.option(fc.nat(30)), { maxLength: 12 }),
    /** How much of the response the client receives before it is cut off. */
    most: fc.nat(600),
  }),
  { minLength: 1, maxLength: 12 },
);

describe("a stream that is cut off again and again", () => {
  property.prop([steps])("delivers every message once and in order", async (cuts) => {
    const stream = new ResumableStream(limits);
    const client = new ReconnectingClient(stream);
    const sent: string[] = [];
    for (const { messages, most } of cuts) {
      const response = client.connect(most);
      for (const cursor of messages) {
        const message = JSON.stringify({ number: sent.length, cursor });
        sent.push(message);
        stream.push(message, cursor);
        stream.flush();
      }
      await setImmediate();
      client.lose(response);
    }
    const last = client.connect(Number.POSITIVE_INFINITY);
    await stream.whenSent();
    client.lose(last);
    expect(client.data).toEqual(sent);
  });

  property.prop([steps])("refuses an id whose messages are not kept", async (cuts) => {
    const stream = new ResumableStream({ ...limits, acpReplayBytes: 150 });
    const client = new ReconnectingClient(stream);
    const sent: string[] = [];
    for (const { messages, most } of cuts) {
      const response = client.connect(most);
      if (client.isRefused) break;
      for (const cursor of messages) {
        sent.push(JSON.stringify({ number: sent.length }));
        stream.push(sent.at(-1) ?? "", cursor);
      }
      stream.flush();
      await setImmediate();
      client.lose(response);
    }
    expect(client.data).toEqual(sent.slice(0, client.data.length));
  });
});

/** Names the last id that it has received whenever it connects. */
class ReconnectingClient {
  readonly data: string[] = [];
  isRefused = false;
  readonly #stream: ResumableStream;
  #lastId = "0";

  constructor(stream: ResumableStream) {
    this.#stream = stream;
  }

  connect(most: number): CutResponse {
    const response = new CutResponse(most);
    this.isRefused = !this.#stream.open(response.outgoing, {}, this.#lastId);
    return response;
  }

  lose(response: CutResponse): void {
    response.destroy();
    const { data, lastId } = response.received;
    this.data.push(...data);
    this.#lastId = lastId ?? this.#lastId;
  }
}

test("the id of an update is its cursor", async () => {
  const stream = new ResumableStream(limits);
  const response = new CutResponse();
  stream.open(response.outgoing, {});
  stream.push("1", 7);
  stream.push("2", 7);
  stream.push("3", null);
  stream.push("4", 9);
  // After another session/load.
  stream.push("5", 7);
  stream.flush();
  await stream.whenSent();
  const ids = [...response.text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id);
  expect(ids).toEqual(["0", "7", "7.1", "7.2", "9", "7.3"]);
});

test("a client that names no id gets what was not sent yet, and the newest receiver counts", async () => {
  const stream = new ResumableStream(limits);
  const first = new CutResponse();
  stream.open(first.outgoing, {});
  stream.push("1", 1);
  stream.flush();
  await stream.whenSent();
  const second = new CutResponse();
  stream.open(second.outgoing, {});
  expect(first.destroyed).toBe(true);
  stream.push("2", 2);
  stream.flush();
  await stream.whenSent();
  expect(first.received.data).toEqual(["1"]);
  expect(second.received.data).toEqual(["2"]);
});

test("updates stop while the client does not read, and continue when it does", async () => {
  const stream = new ResumableStream(limits);
  const push = () => stream.push("x".repeat(400), null);
  for (let count = 0; !stream.isHeld; count++) {
    expect(count).toBeLessThan(10);
    push();
  }
  let isWritable = false;
  const writable = stream.whenWritable().then(() => (isWritable = true));
  const response = new CutResponse();
  response.isReading = false;
  stream.open(response.outgoing, {});
  await setImmediate();
  expect(isWritable).toBe(false);
  response.read();
  await writable;
  expect(stream.isHeld).toBe(false);
});

test("a receiver that does not read is cut off, and its messages are kept", async () => {
  const stream = new ResumableStream(limits);
  const response = new CutResponse();
  response.isReading = false;
  stream.open(response.outgoing, {});
  stream.push("1", 1);
  stream.flush();
  stream.beat(0);
  expect(response.destroyed).toBe(false);
  stream.beat(2_000);
  expect(response.destroyed).toBe(true);
  const next = new CutResponse();
  stream.open(next.outgoing, {});
  await stream.whenSent();
  expect(next.received.data).toEqual(["1"]);
});

test("a quiet stream has comments", async () => {
  const stream = new ResumableStream(limits);
  const response = new CutResponse();
  stream.open(response.outgoing, {});
  await setImmediate();
  const before = response.text;
  stream.beat(0);
  stream.beat(1);
  expect(response.text).toBe(`${before}:\n\n`);
});
