import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { LandlineError, limitsOf } from "@landline/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { GatewayClient } from "./client.ts";

/** A gateway that says what a test wants it to say. */
type Answer = (request: IncomingMessage, response: ServerResponse) => void;

let answer: Answer;
let asked: { method: string; url: string; token: string | undefined; body: string }[];
let server: ReturnType<typeof createServer>;
let client: GatewayClient;

const limits = limitsOf("default", {
  commandRetryMs: 1,
  commandRetryMsMax: 2,
  commandTries: 3,
  commandSilenceMs: 200,
  commandReplyMs: 500,
});

beforeEach(async () => {
  asked = [];
  server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (chunk: string) => (body += chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      asked.push({ method, url, token: headers.authorization, body });
      answer(request, response);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  client = new GatewayClient({ url: `http://127.0.0.1:${port}/base`, token: "t0ken" }, limits);
});

afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, "close");
});

const failure = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => error as LandlineError,
  );

describe("a request", () => {
  it("carries the token and the body, and brings the answer", async () => {
    answer = (_request, response) => response.end('{"promptId":"p"}');
    expect(await client.post("/api/x", { content: "hi" })).toEqual({ promptId: "p" });
    expect(asked).toEqual([
      { method: "POST", url: "/base/api/x", token: "Bearer t0ken", body: '{"content":"hi"}' },
    ]);
  });

  it("fails with what the gateway said", async () => {
    answer = (_request, response) => {
      response.writeHead(404);
      response.end('{"code":"session-not-found","message":"No.","help":"Look.","sessionId":"s"}');
    };
    const error = await failure(client.get("/api/sessions/s"));
    expect(error).toBeInstanceOf(LandlineError);
    expect(error).toMatchObject({
      code: "session-not-found",
      message: "No.",
      help: "Look.",
      data: { sessionId: "s" },
    });
  });

  it.each(["<html>Bad gateway</html>", '{"code":"made-up"}', "[]", "null", ""])(
    "that %j answers was not answered by Landline",
    async (body) => {
      answer = (_request, response) => response.writeHead(502).end(body);
      expect(await failure(client.get("/api/health"))).toMatchObject({
        code: "connection-lost",
        message: expect.stringContaining("HTTP 502"),
      });
    },
  );

  it("that nobody answers is over in time", async () => {
    answer = () => {};
    expect(await failure(client.get("/api/health"))).toMatchObject({
      code: "timeout",
      message: expect.stringContaining("did not answer in 0.5 s"),
    });
  });

  it("to nobody says so", async () => {
    const gone = createServer().listen(0, "127.0.0.1");
    await once(gone, "listening");
    const { port } = gone.address() as AddressInfo;
    gone.close();
    await once(gone, "close");
    const nobody = new GatewayClient({ url: `http://127.0.0.1:${port}`, token: "t" }, limits);
    expect(await failure(nobody.get("/"))).toMatchObject({
      code: "connection-lost",
      message: `The gateway at http://127.0.0.1:${port} can't be reached (ECONNREFUSED).`,
    });
  });

  it("is not sent on to another place with the token", async () => {
    answer = (_request, response) =>
      response.writeHead(302, { location: "http://127.0.0.1:1/" }).end();
    expect(await failure(client.get("/"))).toMatchObject({ code: "connection-lost" });
  });
});

describe("a stream of events", () => {
  const event = (seq: number) => `id: ${seq}\nevent: update\ndata: {"seq":${seq}}\n\n`;
  const open = (response: ServerResponse) =>
    response.writeHead(200, { "content-type": "text/event-stream" });

  async function take(count: number, after = 0): Promise<number[]> {
    const seen: number[] = [];
    const { signal } = new AbortController();
    for await (const { seq } of client.events({ sessionId: "s", after, signal })) {
      seen.push(seq);
      if (seen.length === count) break;
    }
    return seen;
  }

  it("goes on after the last event when it breaks, wherever that is", async () => {
    let opened = 0;
    answer = (request, response) => {
      const after = Number(new URL(request.url ?? "", "http://x").searchParams.get("after"));
      opened += 1;
      open(response);
      response.write("event: ping\ndata: {}\n\n" + event(after + 1) + event(after + 2));
      // Half an event, then the line drops.
      if (opened % 2 === 0) response.write(event(after + 3).slice(0, 12), () => response.destroy());
      else response.end();
    };
    expect(await take(9, 3)).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12]);
    expect(asked.map(({ url }) => url)).toEqual([
      "/base/api/sessions/s/events?after=3",
      "/base/api/sessions/s/events?after=5",
      "/base/api/sessions/s/events?after=7",
      "/base/api/sessions/s/events?after=9",
      "/base/api/sessions/s/events?after=11",
    ]);
  });

  it("is made again when it goes silent", async () => {
    answer = (_request, response) => {
      open(response);
      if (asked.length === 1) response.flushHeaders();
      else response.write(event(1));
    };
    expect(await take(1)).toEqual([1]);
    expect(asked).toHaveLength(2);
  });

  it("gives up after so many tries in vain", async () => {
    answer = (_request, response) => response.destroy();
    expect(await failure(take(1))).toMatchObject({ code: "connection-lost" });
    expect(asked).toHaveLength(limits.commandTries + 1);
  });

  it("is not tried again when the gateway refuses it", async () => {
    answer = (_request, response) => response.writeHead(401).end('{"code":"unauthorized"}');
    expect(await failure(take(1))).toMatchObject({ code: "unauthorized" });
    expect(asked).toHaveLength(1);
  });

  it("that ends with a problem fails with it", async () => {
    answer = (_request, response) => {
      open(response);
      response.end('event: problem\ndata: {"code":"log-damaged","message":"Line 3."}\n\n');
    };
    expect(await failure(take(1))).toMatchObject({ code: "log-damaged", message: "Line 3." });
  });

  it("starts over after a gap, and says so", async () => {
    answer = (_request, response) => {
      open(response);
      response.write('id: 0\nevent: gap\ndata: {"type":"gap"}\n\n' + event(1));
    };
    let gaps = 0;
    const { signal } = new AbortController();
    for await (const { seq } of client.events({
      sessionId: "s",
      after: 9,
      signal,
      onGap: () => (gaps += 1),
    })) {
      expect(seq).toBe(1);
      break;
    }
    expect(gaps).toBe(1);
  });

  it("ends without an error when nobody wants it any more", async () => {
    const leaving = new AbortController();
    answer = (_request, response) => {
      open(response);
      response.write(event(1));
    };
    const seen: number[] = [];
    for await (const { seq } of client.events({
      sessionId: "s",
      after: 0,
      signal: leaving.signal,
    })) {
      seen.push(seq);
      leaving.abort();
    }
    expect(seen).toEqual([1]);
  });
});
