import { once } from "node:events";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TerminalScreen } from "../../src/agents/terminal-screen.ts";
import type { SignInTerminal } from "../../src/server/services.ts";
import { openTestDoors } from "./door-services.ts";
import { startWorld, type TestClient, type World } from "./socket-world.ts";

let world: World;
let screen: TerminalScreen;
let typed: string[];
const ended = Promise.withResolvers<void>();

beforeEach(async () => {
  world = await startWorld({ clientUnsentBytes: 64 * 1_024 });
  screen = new TerminalScreen(100_000);
  typed = [];
  const terminal: SignInTerminal = {
    screen,
    ended: ended.promise,
    type: (text) => typed.push(text),
    resize: (columns, rows) => typed.push(`${columns}x${rows}`),
  };
  world.agents.terminals.set("t", terminal);
});
afterEach(() => world[Symbol.asyncDispose]());

const shown = (client: TestClient) =>
  client.frames.filter(({ type }) => type === "terminal").map((frame) => frame["text"] as string);

test("the reply comes first, then the screen, then what comes; keys arrive in order", async () => {
  screen.add("so far\r\n");
  const client = await world.connect({ token: "admin" });
  await client.ask("terminal-attach", { terminalId: "t" });
  screen.add("more");
  await client.until((frame) => frame["text"] === "more");
  expect(client.types().filter((type) => type !== "agents")).toEqual([
    "reply",
    "terminal",
    "terminal",
  ]);
  expect(shown(client)).toEqual(["so far\r\n", "more"]);
  const keys = ["a", "\u0003", "\u001B[A", "\0"];
  for (const text of keys) void client.ask("terminal-input", { terminalId: "t", text });
  await client.ask("terminal-resize", { terminalId: "t", columns: 100, rows: 40 });
  expect(typed).toEqual([...keys, "100x40"]);
});

test("one that does not read is not sent more, and gets the screen anew when it reads again", async () => {
  const slow = await world.connect({ token: "admin" });
  const quick = await world.connect({ token: "admin" });
  for (const client of [slow, quick]) await client.ask("terminal-attach", { terminalId: "t" });
  slow.socket.pause();
  const line = `${"x".repeat(998)}\r\n`;
  let count = 0;
  // More than the system holds for a socket that is not read from.
  while (count < 20_000) {
    for (let some = 0; some < 50; some++) screen.add(`${count++}${line}`);
    await once(quick.socket, "message");
  }
  slow.socket.resume();
  screen.add("THE END");
  await slow.until((frame) => String(frame["text"]).endsWith("THE END"));
  const texts = shown(slow);
  expect(texts.join("").length).toBeLessThan(count * 1_000 * 0.9);
  const anew = texts.findLast((text) => text.startsWith("\u001Bc"));
  expect(anew?.slice(2)).toMatch(/^\d+x{998}\r\n/);
  expect(shown(quick).join("")).toMatch(/THE END$/);
});

test("over HTTP, the screen is asked for and typed into, by who may sign in", async () => {
  const terminals = world.agents.terminals;
  await using doors = await openTestDoors({ terminals });
  const look = async (query: string) => (await doors.ask(`/api/terminals/t${query}`)).json();
  const send = async (path: string, body: unknown) =>
    (await doors.ask(`/api/terminals/t/${path}`, { method: "POST", body })).status;
  screen.add("Code: ");
  expect(await look("")).toEqual({ text: "Code: ", next: 6 });
  expect(await look("?after=6")).toEqual({ text: "", next: 6 });
  const waited = look("?after=6&wait=60000");
  expect(await send("input", { text: "12" })).toBe(204);
  expect(await send("size", { columns: 100, rows: 40 })).toBe(204);
  expect(typed).toEqual(["12", "100x40"]);
  screen.add("12\r\n");
  expect(await waited).toEqual({ text: "12\r\n", next: 10 });
  screen.add("x".repeat(200_000));
  expect(await look("?after=6")).toMatchObject({ text: expect.stringContaining("\u001Bcxxx") });
  expect(await send("input", { text: "" })).toBe(422);
  expect(await send("size", { columns: 0, rows: 40 })).toBe(422);
  const { token } = await doors.tokens.create({ name: "Watcher", role: "watch" });
  const headers = { authorization: `Bearer ${token}` };
  expect((await doors.ask("/api/terminals/t", { headers })).status).toBe(403);
  expect((await doors.ask("/api/terminals/other")).status).toBe(404);
});

test("over HTTP, who waits is answered when the program ends", async () => {
  const over = Promise.withResolvers<void>();
  const terminal = { screen, ended: over.promise, type: () => {}, resize: () => {} };
  await using doors = await openTestDoors({ terminals: new Map([["t", terminal]]) });
  const waited = doors.ask("/api/terminals/t?after=0&wait=60000");
  over.resolve();
  expect(await (await waited).json()).toEqual({ text: "", next: 0 });
});
