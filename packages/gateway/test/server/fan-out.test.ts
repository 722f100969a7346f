import { once } from "node:events";
import { connect as connectTcp, type Socket } from "node:net";
import { emptyView, fold, type SessionEvent, type SessionView } from "@landline/protocol";
import { describe, expect, test } from "vitest";
import type { ReceivedEvent, TestClient } from "./socket-client.ts";
import { TestGateway, Writes, type LoggedSession } from "./test-gateway.ts";

/**
 * A minimal WebSocket client that keeps the raw bytes. It answers every ping, because the gateway closes a connection
 * that does not.
 */
class RawClient {
  readonly socket: Socket;
  readonly frames: RawFrame[] = [];
  #bytes = Buffer.alloc(0);
  #parsedBytes = 0;

  /** `socket` is past its handshake. */
  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on("data", (data: Buffer) => this.#take(data));
  }

  static async connect(world: TestGateway): Promise<RawClient> {
    const { token } = await world.tokenOf("control");
    const socket = connectTcp(world.port, "127.0.0.1");
    socket.write(
      `GET /ws?token=${token} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n" +
        "Sec-WebSocket-Protocol: landline.v1\r\n\r\n",
    );
    let handshake = Buffer.alloc(0);
    while (!handshake.includes("\r\n\r\n")) {
      const [data] = (await once(socket, "data")) as [Buffer];
      handshake = Buffer.concat([handshake, data]);
    }
    const client = new RawClient(socket);
    client.#take(handshake.subarray(handshake.indexOf("\r\n\r\n") + 4));
    return client;
  }

  /** One masked frame, as a client sends it; a mask of zeros leaves the bytes unchanged. */
  send(opcode: number, payload: Buffer): void {
    const header = Buffer.from([0x80 | opcode, 0x80 | payload.length, 0, 0, 0, 0]);
    this.socket.write(Buffer.concat([header, payload]));
  }

  /** All bytes, once there are enough; fails if the gateway closes the connection before. */
  async received(isEnough: (bytes: Buffer) => boolean): Promise<Buffer> {
    while (!isEnough(this.#bytes)) await this.#moreData();
    return this.#bytes;
  }

  async receivedFrame(isWanted: (frame: RawFrame) => boolean): Promise<void> {
    while (!this.frames.some(isWanted)) await this.#moreData();
  }

  #take(data: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, data]);
    const { frames, end } = framesFrom(this.#bytes, this.#parsedBytes);
    this.#parsedBytes = end;
    this.frames.push(...frames);
    for (const { opcode, payload } of frames) {
      if (opcode === pingOpcode) this.send(pongOpcode, payload);
    }
  }

  async #moreData(): Promise<void> {
    const closed = new AbortController();
    const onClose = () => closed.abort(new Error("the gateway closed the connection"));
    this.socket.once("close", onClose);
    try {
      await once(this.socket, "data", { signal: closed.signal });
    } finally {
      this.socket.off("close", onClose);
    }
  }
}

interface RawFrame {
  readonly opcode: number;
  readonly payload: Buffer;
}

/** Every complete frame from a position on; throws for invalid bytes. */
function framesFrom(bytes: Buffer, position: number): { frames: readonly RawFrame[]; end: number } {
  const frames: RawFrame[] = [];
  let at = position;
  while (at + 2 <= bytes.length) {
    const first = bytes[at]!;
    if ((first & 0xf0) !== 0x80) throw new Error(`byte ${at} begins no whole frame: ${first}`);
    let length = bytes[at + 1]!;
    if (length > 127) throw new Error("a server masks nothing");
    let start = at + 2;
    if (start + lengthBytes(length) > bytes.length) break;
    if (length === 126) {
      length = bytes.readUInt16BE(start);
      start += 2;
    } else if (length === 127) {
      length = Number(bytes.readBigUInt64BE(start));
      start += 8;
    }
    if (start + length > bytes.length) break;
    frames.push({ opcode: first & 0x0f, payload: bytes.subarray(start, start + length) });
    at = start + length;
  }
  return { frames, end: at };
}

/** The number of bytes after the second one that contain the length. */
function lengthBytes(length: number): number {
  if (length < 126) return 0;
  return length === 126 ? 2 : 8;
}

const textOpcode = 1;
const pingOpcode = 9;
const pongOpcode = 10;

const numbersFrom = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

describe("fan-out", () => {
  test("all followers receive the same bytes", async () => {
    await using world = await TestGateway.start();
    const session = await world.recorded();
    const clients = await Promise.all([1, 2, 3, 4, 5].map(() => RawClient.connect(world)));
    const attach = Buffer.from(
      JSON.stringify({ id: 1, type: "attach", sessionId: session.id, after: 1 }),
    );
    for (const client of clients) client.send(textOpcode, attach);
    for (const client of clients) await client.received((bytes) => bytes.includes('"reply"'));
    for (let count = 0; count < 200; count++) {
      session.says("é".repeat(count * count));
      if (count % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    session.says("the end");
    const streams = await Promise.all(
      clients.map((client) => client.received((bytes) => bytes.includes('the end"}}}]}'))),
    );
    for (const stream of streams) expect(stream.equals(streams[0]!)).toBe(true);
    const events = framesFrom(streams[0]!, 0)
      .frames.map(({ payload }) => JSON.parse(payload.toString()) as { events?: ReceivedEvent[] })
      .flatMap((frame) => frame.events ?? []);
    expect(events.map(({ seq }) => seq)).toEqual(numbersFrom(2, 202));
  });

  test("one append is one write for each socket", async () => {
    await using world = await TestGateway.start();
    const session = await world.recorded();
    await world.tokenOf("control");
    const { counts } = new Writes(world);
    const clients = await Promise.all([world.connect(), world.connect()]);
    for (const client of clients) {
      await client.ask("attach", { sessionId: session.id });
      await client.reach(session.id, 1);
    }
    const before = [...counts];
    const noise = { kind: "agent-noise", lines: [], count: 1, reason: "x" } as const;
    session.append(...Array.from({ length: 50 }, () => noise));
    for (const client of clients) await client.reach(session.id, 51);
    expect(counts.map((count, index) => count - before[index]!)).toEqual([1, 1]);
  });

  test("frames of events, replies and control frames never mix", async () => {
    await using world = await TestGateway.start({ limits: { socketQuietMs: 100 } });
    const session = await world.recorded();
    const client = await RawClient.connect(world);
    const send = (message: unknown) =>
      client.send(textOpcode, Buffer.from(JSON.stringify(message)));
    send({ id: "attach", type: "attach", sessionId: session.id });
    const rounds = 300;
    for (let round = 0; round < rounds; round++) {
      // Long enough for each kind of header, and for a socket that accepts only a part at once.
      session.says("x".repeat([1, 200, 70_000][round % 3]!));
      client.send(pingOpcode, Buffer.from(`ping ${round}`));
      send({ id: round, type: "detach", sessionId: "nothing" });
      // Until the gateway has sent its own ping between its other frames.
      if (round === 150) await client.receivedFrame(({ opcode }) => opcode === pingOpcode);
    }
    session.says("the end");
    await client.received(
      (all) => all.includes('"id":299,') && all.includes("the end") && all.includes("ping 299"),
    );
    const { frames } = client;
    const pongs = frames.filter(({ opcode }) => opcode === pongOpcode);
    expect(pongs.map(({ payload }) => payload.toString())).toContain("ping 299");
    expect(frames.some(({ opcode }) => opcode === pingOpcode)).toBe(true);
    const messages = frames
      .filter(({ opcode }) => opcode === textOpcode)
      .map(({ payload }) => JSON.parse(payload.toString()) as Record<string, unknown>);
    const replies = messages.filter(({ type }) => type === "reply").map(({ id }) => id);
    expect(replies.filter((id) => typeof id === "number")).toEqual(numbersFrom(0, rounds - 1));
    const events = messages.flatMap((frame) => (frame["events"] ?? []) as ReceivedEvent[]);
    expect(events.map(({ seq }) => seq)).toEqual(numbersFrom(1, rounds + 2));
  });
});

describe("reconnecting", () => {
  test("50 clients that are disconnected at random and reattach each see every event once", async () => {
    await using world = await TestGateway.start({
      limits: { readBytes: 2_000, clientUnsentBytes: 20_000 },
    });
    const session = await world.recorded();
    const last = 1_500;
    const clients = Array.from({ length: 50 }, (_, index) => follow(world, session, index, last));
    for (let seq = 2; seq <= last; seq++) {
      if (seq % 50 === 0) session.append({ kind: "error", code: "timeout", message: `${seq}` });
      else session.says(`${seq} `);
      if (seq % 7 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    const results = await Promise.all(clients);
    const wanted = JSON.stringify(await session.view());
    expect(results.some(({ cuts }) => cuts > 0)).toBe(true);
    for (const { view, seen } of results) {
      expect(seen).toEqual(numbersFrom(1, last));
      expect(JSON.stringify(view)).toBe(wanted);
    }
  });

  /** Reads some events, disconnects at any point, and reconnects with its last number. */
  async function follow(world: TestGateway, session: LoggedSession, index: number, last: number) {
    let view: SessionView = emptyView();
    const seen: number[] = [];
    const random = randomFrom(index + 1);
    let cuts = 0;
    while (view.head < last) {
      const client = await world.connect();
      client.send({ id: 1, type: "attach", sessionId: session.id, after: view.head });
      const enough = view.head + 1 + Math.floor(random() * 400);
      await client.nextFrame();
      while (headOf(client, session.id) < Math.min(enough, last)) await client.nextFrame();
      client.leave();
      const events = client.events(session.id);
      seen.push(...events.map(({ seq }) => seq));
      view = fold(view, events as unknown as SessionEvent[]);
      cuts += 1;
    }
    return { view, seen, cuts: cuts - 1 };
  }
});

function headOf(client: TestClient, sessionId: string): number {
  return client.events(sessionId).at(-1)?.seq ?? 0;
}

/** The same on every run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

describe("a client that stops reading", () => {
  test("uses bounded memory, does not slow others, and receives everything when it reads again", async () => {
    const clientUnsentBytes = 200_000;
    await using world = await TestGateway.start({
      limits: { clientUnsentBytes, readBytes: 50_000 },
    });
    await world.tokenOf("control");
    const writes = new Writes(world);
    const sessions = [await world.recorded(), await world.recorded(), await world.recorded()];
    const slow = await world.connect();
    const quick = await world.connect();
    for (const { id } of sessions) {
      await slow.ask("attach", { sessionId: id });
      await quick.ask("attach", { sessionId: id });
    }
    slow.socket.pause();
    const rounds = 400;
    const text = "x".repeat(20_000);
    for (let round = 2; round <= rounds; round++) {
      for (const session of sessions) session.says(text);
      if (round % 5 === 0) await quick.reach(sessions[2]!.id, round);
    }
    for (const { id } of sessions) await quick.reach(id, rounds);
    // The bound, and what one append or one read may add to it.
    await writes.untilUnsent(clientUnsentBytes);
    expect(writes.mostUnsent).toBeLessThan(clientUnsentBytes + 3 * 25_000 + 60_000);
    slow.socket.resume();
    for (const { id } of sessions) {
      await slow.reach(id, rounds);
      expect(slow.events(id).map(({ seq }) => seq)).toEqual(numbersFrom(1, rounds));
    }
    // And it is live again.
    sessions[0]!.says("live");
    await slow.reach(sessions[0]!.id, rounds + 1);
  });

  test("receives the latest state of the lists when it has drained", async () => {
    await using world = await TestGateway.start({ limits: { clientUnsentBytes: 50_000 } });
    const session = await world.recorded();
    await world.tokenOf("control");
    const writes = new Writes(world);
    const slow = await world.connect();
    await slow.ask("attach", { sessionId: session.id });
    slow.socket.pause();
    const text = "x".repeat(100_000);
    for (let round = 0; round < 200; round++) session.says(text);
    await writes.untilUnsent(50_000);
    const quick = await world.connect();
    for (const title of ["one", "two", "three"]) {
      await session.session.rename(title, "tester");
      await quick.until((frame) => JSON.stringify(frame).includes(`"title":"${title}"`));
    }
    slow.socket.resume();
    const isTold = ({ type }: { type: string }) => type === "sessions";
    expect(await slow.until(isTold)).toMatchObject({ sessions: [{ title: "three" }] });
    await slow.reach(session.id, 201);
  });
});
