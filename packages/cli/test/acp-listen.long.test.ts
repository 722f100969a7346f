import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Readable, Writable } from "node:stream";
import { ndJsonStream } from "@agentclientprotocol/sdk";
import { Persona } from "@landline/testing";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Home } from "./landline.ts";

let home: Home;
beforeEach(async () => {
  home = await Home.make();
});
afterEach(() => home[Symbol.asyncDispose]());

interface Place {
  readonly host: string;
  readonly port: number;
}

const dial = ({ host, port }: Place): Socket =>
  connect({ host, port }).on("error", () => undefined);

function client(socket: Socket): Persona {
  const persona = new Persona("full");
  persona.connect(
    ndJsonStream(
      Writable.toWeb(socket) as WritableStream<Uint8Array>,
      Readable.toWeb(socket) as ReadableStream<Uint8Array>,
    ),
  );
  return persona;
}

it("serves ACP clients over TCP, each with a token of the gateway", async () => {
  const { token } = await home.serve();
  const running = home.start(["acp", "--agent", "scripted", "--listen", "127.0.0.1:0"]);
  const place = JSON.parse(await running.printed("stdout", "\n")) as Place;
  const first = client(dial(place));
  await first.initialize({ "landline/token": token });
  const { sessionId } = await first.open(home.folder);
  expect(await first.prompt(sessionId, "hello")).toMatchObject({ stopReason: "end_turn" });
  const socket = dial(place);
  socket.write(`${JSON.stringify({ token })}\n`);
  const second = client(socket);
  await second.initialize();
  await second.load(sessionId, home.folder);
  expect(JSON.stringify(second.wire.updates(sessionId))).toContain("yourself.");
  const ended = once(socket, "close");
  running.child.kill("SIGTERM");
  expect(await running.ended).toMatchObject({ code: 0, stderr: "" });
  await ended;
});

it("refuses clients without a token of the gateway, and addresses of the network without the flag", async () => {
  await home.serve();
  const running = home.start(["acp", "--listen", "127.0.0.1:0"]);
  const place = JSON.parse(await running.printed("stdout", "\n")) as Place;
  const initialize = {
    jsonrpc: "2.0",
    id: 7,
    method: "initialize",
    params: { protocolVersion: 1 },
  };
  for (const line of [initialize, { token: "wrong" }]) {
    const socket = dial(place);
    let heard = "";
    socket.on("data", (chunk: Buffer) => (heard += chunk.toString()));
    socket.write(`${JSON.stringify(line)}\n`);
    await once(socket, "close");
    expect(JSON.parse(heard)).toMatchObject({
      error: { message: expect.stringMatching(/token/i) as string },
    });
  }
  const refused = await home.landline("acp", "--listen", "0.0.0.0:0");
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain("--insecure-lan");
  expect(refused.stdout).toBe("");
});
