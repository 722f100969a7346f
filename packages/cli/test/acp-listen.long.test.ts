import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { Readable, Writable } from "node:stream";
import { ndJsonStream } from "@agentclientprotocol/sdk";
import { Persona } from "@landline/testing";
import { afterEach, beforeEach, expect, it } from "vitest";
import { count, says } from "./acp-editor.ts";
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

/** A gateway with a token that stays valid when it restarts. */
async function served() {
  const { stdout } = await home.landline("token", "new", "editor", "--json");
  const { token, id } = JSON.parse(stdout) as { readonly token: string; readonly id: string };
  const { running } = await home.serve();
  return { gateway: running, token, id };
}

async function listening(...args: string[]) {
  const running = home.start(["acp", "--listen", "127.0.0.1:0", ...args]);
  return { running, place: JSON.parse(await running.printed("stdout", "\n")) as Place };
}

it("keeps a client when the gateway is killed, and loses and repeats nothing", async () => {
  const { gateway, token } = await served();
  const { running, place } = await listening();
  const persona = client(dial(place));
  await persona.initialize({ "landline/token": token });
  const { sessionId } = await persona.open(home.folder);
  expect(await persona.prompt(sessionId, "hello")).toMatchObject({ stopReason: "end_turn" });
  const ended = persona.prompt(sessionId, "wait").catch((error: unknown) => error);
  await persona.wire.until(says("Working"));
  gateway.child.kill("SIGKILL");
  expect(await ended).toMatchObject({ data: { reason: "turn-interrupted" } });
  expect(await persona.prompt(sessionId, "hello")).toMatchObject({ stopReason: "end_turn" });
  expect(count(persona, says('"yourself."'))).toBe(2);
  expect(count(persona, says("Working"))).toBe(1);
  expect(count(persona, says("user_message_chunk"))).toBe(0);
  expect(persona.wire.faults()).toEqual([]);
  running.child.kill("SIGTERM");
  expect(await running.ended).toMatchObject({ code: 0 });
  const { pid } = (await home.gatewayFile()) as { readonly pid: number };
  process.kill(pid, "SIGTERM");
});

it("ends the connection of a client whose token was revoked", async () => {
  const { token, id } = await served();
  const { place } = await listening();
  const socket = dial(place);
  const persona = client(socket);
  await persona.initialize({ "landline/token": token });
  const { sessionId } = await persona.open(home.folder);
  const ended = persona.prompt(sessionId, "wait").catch((error: unknown) => error);
  await persona.wire.until(says("Working"));
  const closed = once(socket, "close");
  expect(await home.landline("token", "revoke", id)).toMatchObject({ code: 0 });
  expect(await ended).toMatchObject({ message: expect.stringMatching(/token/i) as string });
  await closed;
});

it("attaches clients to a session", async () => {
  const { token } = await served();
  const first = await listening();
  const persona = client(dial(first.place));
  await persona.initialize({ "landline/token": token });
  const { sessionId } = await persona.open(home.folder);
  await persona.prompt(sessionId, "hello");
  const { place } = await listening("--attach", "last");
  const second = client(dial(place));
  await second.initialize({ "landline/token": token });
  expect(await second.open(home.folder)).toMatchObject({ sessionId });
  await second.wire.until(says("yourself."));
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

it("answers a message that the gateway would not read, and stays connected", async () => {
  const file = home.path("config.json");
  const config = JSON.parse(await readFile(file, "utf8")) as object;
  const limits = { lineBytes: 200_000, socketMessageBytes: 250_000 };
  await writeFile(file, JSON.stringify({ ...config, limits }));
  const { token } = await home.serve();
  const running = home.start(["acp", "--agent", "scripted", "--listen", "127.0.0.1:0"]);
  const place = JSON.parse(await running.printed("stdout", "\n")) as Place;
  const persona = client(dial(place));
  await persona.initialize({ "landline/token": token });
  const { sessionId } = await persona.open(home.folder);
  await expect(persona.prompt(sessionId, "x".repeat(300_000))).rejects.toMatchObject({
    data: { reason: "message-too-large" },
  });
  expect(await persona.prompt(sessionId, "hello")).toMatchObject({ stopReason: "end_turn" });
});
