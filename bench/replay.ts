import * as path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { decodeLine } from "@landline/protocol";
import { fileLogs } from "../packages/gateway/src/log/file-logs.ts";
import type { LogChunk } from "../packages/gateway/src/log/log.ts";
import { figureOf, speedRatio, startMeter, watchLoop, type Figure, type Suite } from "./figure.ts";
import { barePipe } from "./pipe.ts";
import { startCountingClient } from "./helper-processes.ts";
import { trafficDrafts } from "./traffic.ts";

const COUNT = 100_000;
const BATCH = 200;
const UNSENT_BYTES_MAX = 1_048_576;

/** A session of 100,000 events, as a log and as a table for the naive variant. */
async function prepare(folder: string): Promise<void> {
  const logs = fileLogs(path.join(folder, "sessions"));
  const log = await logs.create("bench");
  const database = new DatabaseSync(path.join(folder, "naive.sqlite"));
  database.exec("CREATE TABLE events (seq INTEGER PRIMARY KEY, line TEXT NOT NULL); BEGIN");
  const insert = database.prepare("INSERT INTO events VALUES (?, ?)");
  for (let at = 0; at < COUNT; at += BATCH) {
    const { first, bytes } = log.append(trafficDrafts(at, BATCH, false));
    const lines = bytes.toString().trimEnd().split("\n");
    for (const [index, line] of lines.entries()) insert.run(first + index, line);
  }
  database.exec("COMMIT");
  database.close();
  await logs.close();
}

const opening = Buffer.from('{"type":"events","sessionId":"bench","events":[');

/** The WebSocket frame of `landline.v1` for a chunk: its lines unchanged, separated by commas. */
function frame({ bytes }: LogChunk): Buffer {
  const length = opening.length + bytes.length + 1;
  const framed = Buffer.allocUnsafe(10 + length);
  framed[0] = 0x81;
  framed[1] = 127;
  framed.writeBigUInt64BE(BigInt(length), 2);
  opening.copy(framed, 10);
  const start = 10 + opening.length;
  bytes.copy(framed, start);
  for (let at = framed.indexOf(10, start); at !== -1; at = framed.indexOf(10, at + 1))
    framed[at] = 44;
  framed.write("]}", start + bytes.length - 1);
  return framed;
}

async function fromLog(folder: string): Promise<Figure> {
  const logs = fileLogs(path.join(folder, "sessions"));
  const log = await logs.open("bench");
  const { socket, counted } = await startCountingClient();
  const sent = Promise.withResolvers<void>();
  const meter = startMeter();
  const loop = await watchLoop();
  // Refills at half: waiting for "drain" would leave the socket idle while the log is read.
  const more = () => {
    if (socket.writableLength < UNSENT_BYTES_MAX / 2) tail.resume();
  };
  const tail = log.tail(0, {
    write: (chunk) => {
      socket.write(frame(chunk), more);
      if (chunk.last === COUNT) sent.resolve();
      return socket.writableLength < UNSENT_BYTES_MAX;
    },
    end: () => {},
  });
  socket.on("drain", () => tail.resume());
  await sent.promise;
  socket.end();
  const { events, gaps } = await counted;
  return {
    ...meter.stop(COUNT, gaps + Math.abs(COUNT - events)),
    longestBlockMs: await loop.stop(),
  };
}

/** Select all, parse, stringify and send each event in its own frame, as a WebSocket library does. */
async function naive(folder: string): Promise<Figure> {
  const database = new DatabaseSync(path.join(folder, "naive.sqlite"));
  const { socket, counted } = await startCountingClient();
  const meter = startMeter();
  const loop = await watchLoop();
  for (const row of database.prepare("SELECT line FROM events ORDER BY seq").all()) {
    const payload = Buffer.from(JSON.stringify(JSON.parse(String(row["line"]))));
    const header = Buffer.from([0x81, 126, payload.length >> 8, payload.length & 0xff]);
    socket.cork();
    socket.write(header);
    socket.write(payload);
    socket.uncork();
  }
  socket.end();
  const { events, gaps } = await counted;
  return {
    ...meter.stop(COUNT, gaps + Math.abs(COUNT - events)),
    longestBlockMs: await loop.stop(),
  };
}

async function append(batch: number, folder: string): Promise<Figure> {
  const logs = fileLogs(path.join(folder, "appended"));
  const log = await logs.create(crypto.randomUUID());
  const drafts = trafficDrafts(0, batch, false);
  const meter = startMeter();
  for (let at = 0; at < COUNT; at += batch) log.append(drafts);
  const figure = meter.stop(COUNT, Math.abs(COUNT - log.head));
  await logs.delete(log.sessionId);
  return figure;
}

async function readAndDecode(folder: string): Promise<Figure> {
  const log = await fileLogs(path.join(folder, "sessions")).open("bench");
  const meter = startMeter();
  let next = 1;
  let gaps = 0;
  for await (const { bytes } of log.read(0)) {
    for (const line of bytes.toString().trimEnd().split("\n"))
      if (decodeLine(line).seq !== next++) gaps++;
  }
  return meter.stop(COUNT, gaps + Math.abs(COUNT + 1 - next));
}

export const replay: Suite = {
  name: "replay",
  about: `${COUNT} events: appending them, and sending them again to a client that counts`,
  prepare,
  variants: {
    "bare pipe + JSON.parse": () => barePipe(COUNT, "lines", String(COUNT), "plain", "60000"),
    "replay from the log": fromLog,
    "naive: SELECT all, parse, stringify, send": naive,
    "read and decode": readAndDecode,
    "append, 1 at a time": (folder) => append(1, folder),
    "append, 10 at a time": (folder) => append(10, folder),
    "append, 100 at a time": (folder) => append(100, folder),
  },
  claims: [
    {
      text: "replay ÷ JSON.parse limit, events a second (target 6)",
      value: (figures) => speedRatio(figures, "replay from the log", "bare pipe + JSON.parse"),
      atLeast: 1,
    },
    {
      text: "replay ÷ naive, events a second (target 6)",
      value: (figures) =>
        speedRatio(figures, "replay from the log", "naive: SELECT all, parse, stringify, send"),
      atLeast: 10,
    },
    {
      text: "longest block of a replay, ms (target 6)",
      value: (figures) => figureOf(figures, "replay from the log").longestBlockMs ?? 0,
      atMost: 10,
    },
  ],
};
