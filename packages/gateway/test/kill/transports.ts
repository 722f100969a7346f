import * as http from "node:http";
import { WebSocket } from "ws";

/** A session at a gateway, as a client knows it. */
export interface Place {
  readonly port: number;
  readonly token: string;
  readonly sessionId: string;
}

/** The receiver of a transport. Every frame has a number; those of landline.v1 and SSE are its lines. */
export interface Sink {
  /** The cursor of the next connection. */
  readonly cursor: number;
  take(frames: readonly Frame[]): void;
  /** The transport can't serve the cursor: that must never happen. */
  fault(what: string): void;
}

export interface Frame {
  readonly seq: number;
  /** As received. */
  readonly text: string;
  /** A part of an event whose last part has not arrived. */
  readonly partial?: boolean;
}

/** One connection: it follows the session from the sink's cursor until it ends. */
export interface Line {
  readonly ended: Promise<void>;
  end(): void;
  /** Over a WebSocket: the reply, or a rejection if the connection ends before. */
  ask?(type: string, fields: object): Promise<Readonly<Record<string, unknown>>>;
}

export type Transport = (place: Place, sink: Sink) => Line;

export const transportNames = ["landline", "bridge", "sse", "codeopen", "pages"] as const;
export type TransportName = (typeof transportNames)[number];

export const transports: Readonly<Record<TransportName, Transport>> = {
  landline: overLandline,
  bridge: overBridge,
  sse: (place, sink) => overSse(place, sink, ""),
  codeopen: (place, sink) => overSse(place, sink, "&dialect=codeopen"),
  pages: overPages,
};

function overLandline(place: Place, sink: Sink): Line {
  const { sessionId } = place;
  const opening = `{"type":"events","sessionId":"${sessionId}","events":[`;
  const waiting = new Map<number, PromiseWithResolvers<Readonly<Record<string, unknown>>>>();
  let count = 0;
  const socket = openSocket(place, "landline.v1", (text) => {
    if (text.startsWith(opening)) return sink.take(linesIn(text.slice(opening.length, -2)));
    const frame = JSON.parse(text) as Readonly<Record<string, unknown>>;
    if (frame["type"] === "gap" || frame["from"] === "snapshot") sink.fault(text);
    if (frame["type"] === "reply") waiting.get(frame["id"] as number)?.resolve(frame);
  });
  const ask = (type: string, fields: object) => {
    const reply = Promise.withResolvers<Readonly<Record<string, unknown>>>();
    if (socket.webSocket.readyState !== WebSocket.OPEN) reply.reject(new Error("The line is cut."));
    else {
      waiting.set(++count, reply);
      socket.webSocket.send(JSON.stringify({ id: count, type, ...fields }));
    }
    return reply.promise;
  };
  socket.webSocket.on("close", () => {
    for (const { reject } of waiting.values()) reject(new Error("The line is cut."));
  });
  socket.webSocket.on("open", () => {
    ask("attach", { sessionId, after: sink.cursor }).then(
      ({ error }) => error !== undefined && refused(sink, error),
      () => {},
    );
  });
  return { ended: socket.ended, end: socket.end, ask };
}

function overBridge(place: Place, sink: Sink): Line {
  const { sessionId } = place;
  const socket = openSocket(place, "bridge.v1", (text) => {
    const frame = JSON.parse(text) as { type: string; seq?: number; code?: string };
    if (frame.type === "session_ready") return;
    if (frame.seq !== undefined) sink.take([{ seq: frame.seq, text }]);
    else refused(sink, frame);
  });
  socket.webSocket.on("open", () =>
    socket.webSocket.send(JSON.stringify({ type: "load_session", sessionId, after: sink.cursor })),
  );
  return socket;
}

/** A gateway that stops refuses requests; only lost events are an error. */
function refused(sink: Sink, error: unknown): void {
  const { code } = error as { code?: string };
  if (code === "cursor-ahead" || code === "session-not-found") sink.fault(JSON.stringify(error));
}

function openSocket({ port, token }: Place, protocol: string, receive: (text: string) => void) {
  const webSocket = new WebSocket(`ws://127.0.0.1:${port}/ws?token=${token}`, [protocol]);
  const ended = Promise.withResolvers<void>();
  webSocket.on("error", () => {});
  webSocket.on("close", () => ended.resolve());
  webSocket.on("message", (data: Buffer) => receive(data.toString()));
  return { webSocket, ended: ended.promise, end: () => webSocket.terminate() };
}

function overSse(place: Place, sink: Sink, more: string): Line {
  let unread = "";
  const headers = { accept: "text/event-stream", "last-event-id": String(sink.cursor) };
  return request(place, `events?after=0${more}`, headers, (piece) => {
    const blocks = (unread + piece).split("\n\n");
    unread = blocks.pop() ?? "";
    sink.take(blocks.flatMap((block) => frameOf(block, sink)));
  });
}

function frameOf(block: string, sink: Sink): Frame[] {
  const fields = new Map(
    block.split("\n").map((line) => {
      const colon = line.indexOf(": ");
      return [line.slice(0, colon), line.slice(colon + 2)] as const;
    }),
  );
  const text = fields.get("data");
  const id = fields.get("id");
  const event = fields.get("event");
  if (event === "gap") sink.fault(block);
  if (text === undefined || event === "gap" || event === "ping" || event === "problem") return [];
  if (id !== undefined) return [{ seq: Number(id), text }];
  return [{ seq: (JSON.parse(text) as { seq: number }).seq, text, partial: true }];
}

/** One page after the other, each with a wait. */
function overPages(place: Place, sink: Sink): Line {
  let current: Line | null = null;
  const over = new AbortController();
  const ended = (async () => {
    while (!over.signal.aborted) {
      let body = "";
      const address = `events?after=${sink.cursor}&wait=5000&limit=100`;
      current = request(place, address, { accept: "application/json" }, (piece) => (body += piece));
      await current.ended;
      const page = /^\{"events":\[(.*)\],"head":\d+\}$/s.exec(body);
      if (page === null) {
        if (body.includes("cursor-ahead")) sink.fault(body);
        return;
      }
      sink.take(linesIn(page[1] ?? ""));
    }
  })();
  const end = () => {
    over.abort();
    current?.end();
  };
  return { ended, end };
}

/** A list of events as received, split into the lines of the log. */
function linesIn(list: string): Frame[] {
  if (list === "") return [];
  return list.split(/,(?=\{"seq":\d+,"at":\d+,"kind":")/).map((text) => {
    return { seq: Number(/^\{"seq":(\d+),/.exec(text)?.[1]), text };
  });
}

function request(
  { port, token, sessionId }: Place,
  address: string,
  headers: Readonly<Record<string, string>>,
  receive: (piece: string) => void,
): Line {
  const ended = Promise.withResolvers<void>();
  const outgoing = http.get({
    port,
    host: "127.0.0.1",
    path: `/api/sessions/${sessionId}/${address}`,
    agent: false,
    headers: { ...headers, authorization: `Bearer ${token}` },
  });
  outgoing.on("response", (incoming) => {
    incoming.setEncoding("utf8");
    incoming.on("data", (piece: string) => {
      if (incoming.statusCode === 200 || address.includes("wait=")) receive(piece);
    });
    incoming.on("error", () => {});
  });
  outgoing.on("error", () => {});
  outgoing.on("close", () => ended.resolve());
  return { ended: ended.promise, end: () => outgoing.destroy() };
}

/** Status of the reply, or null if there was none. */
export function post(place: Place, address: string, body: object): Promise<number | null> {
  const reply = Promise.withResolvers<number | null>();
  const outgoing = http.request({
    port: place.port,
    host: "127.0.0.1",
    method: "POST",
    path: `/api/sessions/${place.sessionId}/${address}`,
    agent: false,
    headers: { authorization: `Bearer ${place.token}`, "content-type": "application/json" },
  });
  outgoing.on("response", (incoming) => {
    incoming.resume();
    incoming.on("error", () => {});
    reply.resolve(incoming.statusCode ?? null);
  });
  outgoing.on("error", () => {});
  outgoing.on("close", () => reply.resolve(null));
  outgoing.end(JSON.stringify(body));
  return reply.promise;
}
