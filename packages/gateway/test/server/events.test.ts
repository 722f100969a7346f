import { once } from "node:events";
import type { Socket } from "node:net";
import { decodeEvent, emptyView, fold } from "@landline/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { SseClient } from "./sse-client.ts";
import {
  TestGateway,
  Writes,
  type LoggedSession,
  type TestGatewayOptions,
} from "./test-gateway.ts";

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each[Symbol.asyncDispose]();
});

interface Line {
  readonly gateway: TestGateway;
  readonly session: LoggedSession;
  readonly follow: (query?: string, headers?: Readonly<Record<string, string>>) => SseClient;
}

async function openLine(options: TestGatewayOptions = {}): Promise<Line> {
  const gateway = await TestGateway.start(options);
  opened.push(gateway);
  const session = await gateway.recorded();
  const follow = (query = "", headers = {}) =>
    new SseClient(gateway.port, `/api/sessions/${session.id}/events${query}`, {
      authorization: `Bearer ${gateway.token}`,
      ...headers,
    });
  return { gateway, session, follow };
}

/** Resolves when a client starts to follow the log. */
function followed({ log }: LoggedSession): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const follow = log.tail.bind(log);
  log.tail = (...given) => {
    log.tail = follow;
    resolve();
    return follow(...given);
  };
  return promise;
}

const range = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

describe("an event stream", () => {
  it("sends the log from the start and then new events, with number, kind and the line itself", async () => {
    const { session, follow } = await openLine();
    const client = follow();
    await client.until(() => client.events.length === 1);
    session.says("hello\r\nworld");
    await client.until(() => client.events.length === 2);
    expect(client.head).toMatch(/^HTTP\/1\.1 200 /);
    expect(client.head.toLowerCase()).toContain("content-type: text/event-stream");
    expect(client.events[1]).toMatchObject({ id: "2", event: "update" });
    expect(JSON.parse(client.events[1]!.data)).toMatchObject({
      seq: 2,
      kind: "update",
      update: { content: { text: "hello\r\nworld" } },
    });
    client.close();
  });

  it("can be read by fetch, to its end", async () => {
    const { session, gateway } = await openLine();
    const answer = await fetch(`${gateway.url}/api/sessions/${session.id}/events`, {
      headers: { authorization: `Bearer ${gateway.token}` },
    });
    session.says("hello");
    let text = "";
    let closing: Promise<void> | undefined;
    for await (const part of answer.body!.pipeThrough(new TextDecoderStream())) {
      text += part;
      if (/^id: 2$/m.test(text)) closing ??= gateway.close();
    }
    await closing;
    expect(text.match(/^id: \d+$/gm)).toEqual(["id: 1", "id: 2"]);
  });

  it("answers HEAD without opening a stream", async () => {
    const { gateway, session } = await openLine();
    const answer = await gateway.ask(`/api/sessions/${session.id}/events`, { method: "HEAD" });
    expect(answer.headers.get("content-type")).toContain("text/event-stream");
    expect(await gateway.metric('landline_clients{transport="sse"}')).toBe(0);
  });

  it("is not broken by a carriage return that an agent used as white space", async () => {
    const { session, follow } = await openLine();
    session.append({ kind: "update", raw: '{"sessionUpdate":\r"x",\r"text":"a\\rb"}' });
    const client = follow("?after=1");
    await client.until(() => client.events.length === 1);
    expect(JSON.parse(client.events[0]!.data)).toMatchObject({
      update: { sessionUpdate: "x", text: "a\rb" },
    });
    client.close();
  });

  it("continues after Last-Event-ID, which has precedence over ?after=", async () => {
    const { session, follow } = await openLine();
    for (const text of ["a", "b", "c", "d"]) session.says(text);
    const client = follow("?after=1", { "last-event-id": "3" });
    await client.until(() => client.events.length === 2);
    expect(client.numbers).toEqual([4, 5]);
    client.close();
  });

  it("reports a gap if the cursor is ahead, then starts over", async () => {
    const { session, follow } = await openLine();
    session.says("a");
    const client = follow("", { "last-event-id": "900" });
    await client.until(() => client.events.length === 3);
    expect(client.events[0]).toMatchObject({ id: "0", event: "gap" });
    expect(JSON.parse(client.events[0]!.data)).toEqual({
      type: "gap",
      sessionId: session.id,
      head: 2,
    });
    expect(client.numbers).toEqual([1, 2]);
    client.close();
  });

  it("uses the names of seed 002 on request", async () => {
    const { session, follow } = await openLine();
    session.says("hello");
    const client = follow("?dialect=codeopen");
    await client.until(() => client.events.length === 2);
    expect(client.events[1]).toMatchObject({ id: "2", event: "message.part.updated" });
    expect(JSON.parse(client.events[1]!.data)).toMatchObject({
      seq: 2,
      sessionId: session.id,
      content: { text: "hello" },
    });
    client.close();
  });

  it("sends heartbeats as events, only if there was nothing else", async () => {
    const { follow } = await openLine({ limits: { heartbeatMs: 20 } });
    const client = follow();
    await client.until(() => client.events.filter(({ event }) => event === "ping").length >= 3);
    expect(client.events.find(({ event }) => event === "ping")).toEqual({
      id: null,
      event: "ping",
      data: "{}",
    });
    client.close();
  });

  it("ends when the session is deleted, the token revoked, or the server closed", async () => {
    const { gateway, follow } = await openLine();
    const erased = await gateway.recorded();
    const ofErased = new SseClient(gateway.port, `/api/sessions/${erased.id}/events`, {
      authorization: `Bearer ${gateway.token}`,
    });
    const phone = await gateway.tokenOf("watch");
    const ofPhone = follow("", { authorization: `Bearer ${phone.token}` });
    const ofFirst = follow();
    for (const client of [ofErased, ofPhone, ofFirst]) {
      await client.until(() => client.events.length === 1);
    }
    await gateway.sessions.delete(erased.id, "tester");
    await ofErased.untilEnd();
    await gateway.revoke(phone);
    await ofPhone.untilEnd();
    expect(ofFirst.ended).toBe(false);
    await gateway.close();
    await ofFirst.untilEnd();
  });

  it("releases everything when its client disconnects", async () => {
    const { gateway, follow } = await openLine();
    const clients = range(1, 20).map(() => follow());
    for (const client of clients) await client.until(() => client.events.length === 1);
    const open = () => gateway.metric('landline_clients{transport="sse"}');
    expect(await open()).toBe(20);
    for (const client of clients) client.close();
    await expect.poll(open).toBe(0);
  });

  it("is refused above the limit of a token", async () => {
    const { follow } = await openLine({ limits: { streamsPerToken: 2 } });
    const [one, two] = [follow(), follow()];
    for (const client of [one, two]) await client.until(() => client.events.length === 1);
    const three = follow("", { connection: "close" });
    await three.untilEnd();
    expect(three.head).toMatch(/^HTTP\/1\.1 429 /);
    expect(three.head.toLowerCase()).toContain("retry-after:");
    one.close();
    two.close();
  });
});

describe("reconnecting", () => {
  it("receives each event once, wherever the connection was cut", async () => {
    const { session, follow } = await openLine();
    const total = 2_000;
    const clients = range(1, 10).map((each) => ({
      each,
      numbers: [] as number[],
      lines: [] as string[],
    }));
    const appending = (async () => {
      for (let seq = 2; seq <= total; seq++) {
        session.says(`text ${seq}`);
        if (seq % 7 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    await Promise.all(
      clients.map(async (client) => {
        let cut = client.each * 13;
        while ((client.numbers.at(-1) ?? 0) < total) {
          const last = client.numbers.at(-1);
          const stream = follow("", last === undefined ? {} : { "last-event-id": String(last) });
          const wanted = Math.min(total, (last ?? 0) + cut);
          await stream.until(() => (stream.numbers.at(-1) ?? 0) >= wanted);
          stream.close();
          for (const { id, data } of stream.events) {
            if (id === null) continue;
            client.numbers.push(Number(id));
            client.lines.push(data);
          }
          cut = ((cut * 31) % 400) + 1;
        }
      }),
    );
    await appending;
    const expected = await session.view();
    for (const { numbers, lines } of clients) {
      expect(numbers).toEqual(range(1, total));
      expect(
        fold(
          emptyView(),
          lines.map((line) => decodeEvent(JSON.parse(line))),
        ),
      ).toEqual(expected);
    }
  });
});

describe("a client that does not read", () => {
  it("keeps its cursor, does not slow others, and receives everything when it reads again", async () => {
    const limits = { clientUnsentBytes: 64 * 1_024 };
    const { session, follow } = await openLine({ limits });
    const slow = follow();
    await slow.until(() => slow.events.length === 1);
    slow.socket.pause();
    const live = follow();
    const text = "x".repeat(4_000);
    const total = 5_000;
    // Lines of the log are shared; only memory for the slow client is counted.
    for (let seq = 2; seq <= total; seq++) {
      session.says(text);
      if (seq % 50 === 0) await live.until(() => (live.numbers.at(-1) ?? 0) >= seq);
    }
    expect(live.numbers).toEqual(range(1, total));
    expect(slow.numbers).toEqual([1]);
    slow.socket.resume();
    await slow.until(() => slow.numbers.at(-1) === total);
    expect(slow.numbers).toEqual(range(1, total));
    live.close();
    slow.close();
  });

  it("is disconnected when its token is revoked", async () => {
    const { gateway, session, follow } = await openLine({ limits: { serverCloseMs: 100 } });
    const phone = await gateway.tokenOf("watch");
    const connected = Promise.withResolvers<Socket>();
    gateway.onConnection = connected.resolve;
    const slow = follow("", { authorization: `Bearer ${phone.token}` });
    const atGateway = await connected.promise;
    await slow.until(() => slow.events.length === 1);
    slow.socket.pause();
    for (let count = 0; count < 4_000; count++) session.says("x".repeat(4_000));
    const cut = once(atGateway, "close");
    await gateway.revoke(phone);
    await cut;
    expect(atGateway.destroyed).toBe(true);
    slow.close();
  });

  it("has a bounded number of unsent bytes", async () => {
    const clientUnsentBytes = 64 * 1_024;
    const { gateway, session, follow } = await openLine({ limits: { clientUnsentBytes } });
    const writes = new Writes(gateway);
    const slow = follow();
    await slow.until(() => slow.events.length === 1);
    slow.socket.pause();
    for (let count = 0; count < 4_000; count++) {
      session.says("x".repeat(4_000));
      if (count % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await writes.untilUnsent(clientUnsentBytes / 2);
    // One chunk may exceed the limit, and none after it.
    expect(writes.mostUnsent).toBeLessThan(clientUnsentBytes + 2 * 256 * 1_024);
    expect(writes.counts[0]).toBeLessThan(3_000);
    slow.close();
  });
});

describe("pages", () => {
  const json = { accept: "application/json" };

  it("are after a number, before a number, and limited in size", async () => {
    const { gateway, session } = await openLine();
    for (const each of range(2, 50)) session.says(`${each}`);
    const page = async (query: string) => {
      const answer = await gateway.ask(`/api/sessions/${session.id}/events${query}`, {
        headers: json,
      });
      const { events, head } = (await answer.json()) as { events: { seq: number }[]; head: number };
      return { numbers: events.map(({ seq }) => seq), head };
    };
    expect(await page("")).toEqual({ numbers: range(1, 50), head: 50 });
    expect(await page("?after=45")).toEqual({ numbers: range(46, 50), head: 50 });
    expect(await page("?after=10&limit=3")).toEqual({ numbers: [11, 12, 13], head: 50 });
    expect(await page("?before=10&limit=3")).toEqual({ numbers: [7, 8, 9], head: 50 });
    expect(await page("?before=1")).toEqual({ numbers: [], head: 50 });
    expect(await page("?after=50")).toEqual({ numbers: [], head: 50 });
  });

  it("are refused for invalid cursors, and report the head if one is ahead", async () => {
    const { gateway, session } = await openLine();
    const path = `/api/sessions/${session.id}/events`;
    for (const query of [
      "?after=-1",
      "?after=x",
      "?after=1.5",
      "?limit=0",
      "?before=9e9",
      "?after=1&before=2",
    ]) {
      const answer = await gateway.ask(path + query, { headers: json });
      expect([query, answer.status]).toEqual([query, 422]);
    }
    const ahead = await gateway.ask(`${path}?after=99`, { headers: json });
    expect(ahead.status).toBe(409);
    expect(await ahead.json()).toMatchObject({ code: "cursor-ahead", head: 1 });
    const stream = await gateway.ask(`${path}?dialect=klingon`);
    expect(stream.status).toBe(422);
  });

  it("have a bounded size", async () => {
    const { gateway, session } = await openLine({ limits: { pageBytes: 1_000 } });
    for (let count = 0; count < 20; count++) session.says("x".repeat(300));
    const answer = await gateway.ask(`/api/sessions/${session.id}/events`, { headers: json });
    const text = await answer.text();
    expect(text.length).toBeLessThan(1_200);
    expect((JSON.parse(text) as { events: unknown[] }).events.length).toBeGreaterThan(0);
  });

  it("stop waiting when their client disconnects", async () => {
    const { gateway, session } = await openLine();
    const { log } = session;
    const follow = log.tail.bind(log);
    let waiting = 0;
    log.tail = (...given) => {
      const tail = follow(...given);
      waiting++;
      const leave = tail[Symbol.dispose].bind(tail);
      tail[Symbol.dispose] = () => {
        waiting--;
        leave();
      };
      return tail;
    };
    const leaving = new AbortController();
    const address = `${gateway.url}/api/sessions/${session.id}/events?after=1&wait=60000`;
    const headers = { ...json, authorization: `Bearer ${gateway.token}` };
    const answer = fetch(address, { headers, signal: leaving.signal });
    await expect.poll(() => waiting).toBe(1);
    leaving.abort();
    await expect(answer).rejects.toThrow("aborted");
    await expect.poll(() => waiting).toBe(0);
  });

  it("wait for an event on request, up to the timeout", async () => {
    const { gateway, session } = await openLine();
    const path = `/api/sessions/${session.id}/events`;
    const waiting = gateway.ask(`${path}?after=1&wait=60000`, { headers: json });
    await followed(session);
    session.says("at last");
    expect(await (await waiting).json()).toMatchObject({ events: [{ seq: 2 }], head: 2 });
    const short = await gateway.ask(`${path}?after=2&wait=10`, { headers: json });
    expect(await short.json()).toEqual({ events: [], head: 2 });
    const cut = gateway.ask(`${path}?after=2&wait=60000`, { headers: json });
    await followed(session);
    await gateway.close();
    expect((await cut).status).toBe(200);
  });
});
