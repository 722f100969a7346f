import { once } from "node:events";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TerminalScreen } from "../../src/agents/terminal-screen.ts";
import type { SignInTerminal } from "../../src/doors/services.ts";
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
  const client = await world.connect();
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
  const slow = await world.connect();
  const quick = await world.connect();
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
