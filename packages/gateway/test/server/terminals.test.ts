import { afterEach, beforeEach, expect, test } from "vitest";
import { ScriptedGateway } from "../sessions/scripted-gateway.ts";
import { SignInClient } from "../sessions/sign-in-client.ts";
import { ask } from "../spec/http.ts";

/** Shows its input bytes and its size; `q` ends it and `f` makes it write 20 MB. */
const program = `
  const { stdin, stdout } = process;
  stdin.setRawMode(true);
  stdout.on("resize", () => stdout.write(\`<\${stdout.columns}x\${stdout.rows}>\`));
  stdin.on("data", (bytes) => {
    if (bytes.toString() === "q") process.exit(0);
    if (bytes.toString() === "f") return flood(0);
    stdout.write(bytes.toString("hex"));
  });
  function flood(count) {
    if (count === 20_000) return stdout.write("THE END");
    stdout.write(\`\${count}\${"x".repeat(998)}\\r\\n\`, () => flood(count + 1));
  }
  stdout.write("Code: ");`;

let gateway: ScriptedGateway;
let desk: SignInClient;
let terminalId: string;

beforeEach(async () => {
  const call = { command: process.execPath, args: ["-e", program] };
  const method = { id: "login", name: "Log in", _meta: { "terminal-auth": call } };
  const agent = { initialize: { authMethods: [method] } };
  const limits = { listDelayMs: 1, clientUnsentBytes: 64 * 1_024, signInOutputWindowMs: 1 };
  gateway = await ScriptedGateway.open({ agent }, limits);
  desk = await SignInClient.open(gateway, "agent");
});
afterEach(async () => {
  desk[Symbol.dispose]();
  await gateway[Symbol.asyncDispose]();
});

/** Starts to sign in, and views the terminal. */
async function open(): Promise<void> {
  const begun = await desk.inTerminal("login");
  terminalId = begun.terminalId;
  await desk.sees(terminalId, "Code: ");
}

const shown = ({ client }: SignInClient) =>
  client.frames.filter(({ type }) => type === "terminal").map((frame) => frame["text"] as string);

test("the reply comes first, then the screen, then new output; keys arrive in order", async () => {
  await open();
  const other = await SignInClient.open(gateway, "agent");
  using _ = other;
  await other.attach(terminalId);
  await other.sees(terminalId, "Code: ");
  const types = other.client.types().filter((type) => ["reply", "terminal"].includes(type));
  expect(types).toEqual(["reply", "terminal"]);
  for (const text of ["a", "\u0003", "\u001B[A", "\0"]) void other.type(terminalId, text);
  await other.resize(terminalId, 100, 40);
  await other.sees(terminalId, "61031b5b4100");
  await other.sees(terminalId, "<100x40>");
  await desk.sees(terminalId, "61031b5b4100");
});

test("a client that does not read is sent no more, and gets the screen again when it reads", async () => {
  await open();
  const quick = desk;
  using slow = await SignInClient.open(gateway, "agent");
  await slow.attach(terminalId);
  slow.client.socket.pause();
  await quick.type(terminalId, "f");
  await quick.client.until((frame) => String(frame["text"]).endsWith("THE END"));
  slow.client.socket.resume();
  await slow.client.until((frame) => String(frame["text"]).endsWith("THE END"));
  const texts = shown(slow);
  expect(texts.join("").length).toBeLessThan(20_000 * 1_000 * 0.9);
  const anew = texts.findLast((text) => text.startsWith("\u001Bc"));
  expect(anew?.slice(2, 1_002)).toMatch(/^\d+x{994,}$/);
});

test("over HTTP, clients that may sign in can read the screen and type", async () => {
  await open();
  const address = `/terminals/${terminalId}`;
  const look = async (query: string) => (await ask(gateway, "GET", address + query)).json;
  const send = async (path: string, body: unknown) =>
    (await ask(gateway, "POST", `${address}/${path}`, body)).status;
  const first = (await look("")) as { text: string; next: number };
  expect(first.text).toContain("Code: ");
  expect(await look(`?after=${first.next}`)).toEqual({ text: "", next: first.next });
  const waited = look(`?after=${first.next}&wait=60000`);
  expect(await send("input", { text: "12" })).toBe(204);
  expect(await waited).toMatchObject({ text: expect.stringMatching(/^31/) as string });
  expect(await send("size", { columns: 100, rows: 40 })).toBe(204);
  await desk.sees(terminalId, "<100x40>");
  expect(await send("input", { text: "" })).toBe(422);
  expect(await send("size", { columns: 0, rows: 40 })).toBe(422);
  expect((await ask(gateway, "GET", "/terminals/other")).status).toBe(404);
  const { next } = (await look("")) as { next: number };
  const last = look(`?after=${next}&wait=60000`);
  await desk.type(terminalId, "q");
  expect(await last).toEqual({ text: "", next });
});
