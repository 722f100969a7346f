import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import type { SessionEvent } from "@landline/protocol";
import { Persona } from "@landline/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { asks, count, leave, says, silent, startEditor } from "./acp-editor.ts";
import { CutProxy } from "./cut-proxy.ts";
import { Home, type Running } from "./landline.ts";
import { MessageProxy } from "./message-proxy.ts";

let home: Home;
beforeEach(async () => {
  home = await Home.make();
});
afterEach(() => home[Symbol.asyncDispose]());

const editor = (persona: Persona, ...args: string[]) => startEditor(home, persona, ...args);

/** Starts the gateway with other limits, behind a proxy. */
async function serveCut(limits: object = {}) {
  await withLimits(limits);
  const { url, token } = await home.serve();
  const proxy = await CutProxy.open(Number(new URL(url).port));
  return { proxy, link: `http://127.0.0.1:${proxy.port}/#token=${token}` };
}

async function withLimits(limits: object): Promise<void> {
  const file = home.path("config.json");
  const config = JSON.parse(await readFile(file, "utf8")) as object;
  await writeFile(file, JSON.stringify({ ...config, limits }));
}

/** The steps of all cancels in a session. */
async function cancelsOf(sessionId: string) {
  const { stdout } = await home.landline("export", sessionId, "--format", "json");
  const { events } = JSON.parse(stdout) as { readonly events: readonly SessionEvent[] };
  return events.flatMap((event) => (event.kind === "turn-changed" ? [event.rung] : []));
}

const times = (running: Running, text: string) => running.stderr.split(text).length - 1;

/** Resolves when the text was printed once more than before. */
async function again(running: Running, text: string, before: number): Promise<void> {
  while (times(running, text) <= before) await once(running.child.stderr, "data");
}

describe("a cancelled prompt", () => {
  it("whose turn ended meanwhile cancels no turn of another client", async () => {
    const link = await serveCut();
    await using proxy = link.proxy;
    const cut = new Persona("full");
    const first = await editor(cut, "--gateway", link.link);
    const { sessionId } = await cut.open(home.folder);
    const ended = cut.prompt(sessionId, "wait");
    await cut.wire.until(says("Working"));
    proxy.cut();
    await first.running.printed("stderr", "was lost");
    await cut.cancel(sessionId);

    const other = silent();
    const chosen = Promise.withResolvers<string>();
    other.decide = () => chosen.promise;
    const second = await editor(other);
    await other.load(sessionId, home.folder);
    await other.cancel(sessionId);
    const asked = other.prompt(sessionId, "ask");
    await other.wire.until(asks);

    proxy.mend();
    expect(await ended).toMatchObject({ stopReason: "cancelled" });
    // A request that is handled after a cancel would be.
    await cut.agent.request("session/list", {});
    // Of the first turn, by the other client.
    expect(await cancelsOf(sessionId)).toEqual(["cancel"]);
    chosen.resolve("allow");
    expect(await asked).toMatchObject({ stopReason: "end_turn" });
    expect(count(other, says("It was allowed."))).toBe(1);
    await leave(first);
    await leave(second);
  });

  it("is cancelled once, however often the connection is lost", async () => {
    const turn = { match: "stubborn", steps: [{ say: "Working" }], end: "never" };
    const turns = [{ ...turn, cancel: { habit: "ignore" } }];
    const scenario = { about: "An agent that ignores a cancel.", turns };
    await writeFile(home.path("scenario.json"), JSON.stringify(scenario));
    const link = await serveCut({ cancelRequestMs: 3_600_000 });
    await using proxy = link.proxy;
    const persona = new Persona("full");
    const started = await editor(persona, "--gateway", link.link);
    const { sessionId } = await persona.open(home.folder);
    persona.prompt(sessionId, "stubborn").catch(() => {});
    await persona.wire.until(says("Working"));
    await persona.cancel(sessionId);
    for (let reconnects = 0; reconnects < 3; reconnects++) {
      // The cancel was handled before.
      await persona.agent.request("session/list", {});
      proxy.cut();
      await again(started.running, "was lost", reconnects);
      proxy.mend();
      await again(started.running, "again.", reconnects);
    }
    await persona.agent.request("session/list", {});
    expect(await cancelsOf(sessionId)).toEqual(["cancel"]);
    started.running.child.stdin.end();
    await started.running.ended;
  });
});

const lineOf = (id: number, method: string, params: object) =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params });
const promptLine = (id: number, sessionId: string, text: string) =>
  lineOf(id, "session/prompt", { sessionId, prompt: [{ type: "text", text }] });

/** An editor without a library, which can stop reading. */
class RawEditor {
  readonly running: Running;

  constructor(...args: Parameters<Home["start"]>) {
    this.running = home.start(...args);
  }

  send(id: number, method: string, params: object): void {
    this.running.child.stdin.write(`${lineOf(id, method, params)}\n`);
  }

  /** The response to a request. */
  async response(id: number): Promise<{ readonly result?: object; readonly error?: object }> {
    const form = new RegExp(String.raw`^\{"jsonrpc":"2\.0","id":${id},"(?:result|error)".*$`, "m");
    const printed = await this.running.printed("stdout", form);
    return JSON.parse(form.exec(printed)?.[0] ?? "") as { readonly result?: object };
  }

  async request(id: number, method: string, params: object) {
    this.send(id, method, params);
    return this.response(id);
  }

  async open(): Promise<string> {
    await this.request(1, "initialize", { protocolVersion: 1, clientCapabilities: {} });
    const opened = await this.request(2, "session/new", { cwd: home.folder, mcpServers: [] });
    return (opened.result as { readonly sessionId: string }).sessionId;
  }

  prompt(id: number, sessionId: string, text: string): void {
    this.running.child.stdin.write(`${promptLine(id, sessionId, text)}\n`);
  }

  async leave(): Promise<void> {
    this.running.child.stdin.end();
    expect(await this.running.ended).toMatchObject({ code: 0 });
  }
}

describe("a message that the gateway would not read", () => {
  const limits = { lineBytes: 200_000, socketMessageBytes: 250_000 };
  const tooLarge = {
    error: {
      message: expect.stringContaining("200000 bytes") as string,
      data: { reason: "message-too-large" },
    },
  };

  it("is answered with its id, and the connection stays open", async () => {
    await withLimits(limits);
    const { url, token } = await home.serve();
    const raw = new RawEditor(["acp", "--gateway", `${url}/#token=${token}`]);
    const sessionId = await raw.open();
    raw.prompt(7, sessionId, "x".repeat(300_000));
    expect(await raw.response(7)).toMatchObject(tooLarge);
    // Only the id that the bridge adds to a prompt makes it too large.
    raw.prompt(8, sessionId, "x".repeat(200_000 - promptLine(8, sessionId, "").length));
    expect(await raw.response(8)).toMatchObject(tooLarge);
    raw.prompt(9, sessionId, "hello");
    expect(await raw.response(9)).toMatchObject({ result: { stopReason: "end_turn" } });
    expect(raw.running.stderr).not.toContain("was lost");
    await raw.leave();
  });

  it("is answered with its id while there is no connection", async () => {
    const { proxy: opened, link } = await serveCut(limits);
    await using proxy = opened;
    const raw = new RawEditor(["acp", "--gateway", link]);
    const sessionId = await raw.open();
    proxy.cut();
    await raw.running.printed("stderr", "was lost");
    raw.prompt(7, sessionId, "x".repeat(300_000));
    expect(await raw.response(7)).toMatchObject(tooLarge);
    await raw.leave();
  });

  it("is answered for the editor, if it is a response", async () => {
    await withLimits(limits);
    const { url, token } = await home.serve();
    const persona = new Persona("full");
    const started = await editor(persona, "--gateway", `${url}/#token=${token}`);
    const { sessionId } = await persona.open(home.folder);
    persona.buffers.set(home.path("notes.txt"), "x".repeat(300_000));
    await persona.prompt(sessionId, "edit").catch(() => {});
    expect(started.running.stderr).not.toContain("was lost");
    expect(await persona.prompt(sessionId, "hello")).toMatchObject({ stopReason: "end_turn" });
    await leave(started);
  });
});

/** A process in which half a minute has passed whenever it receives SIGUSR2, so that it sends a ping. */
const pingOnSignal = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(`
    const real = setInterval;
    globalThis.setInterval = (run, ms, ...more) => {
      if (ms === 30_000) process.on("SIGUSR2", run);
      return real(run, ms, ...more);
    };`)}`,
};

describe("while the editor does not read", () => {
  const large = { jsonrpc: "2.0", method: "_test/large", params: { text: "x".repeat(2_000_000) } };
  const small = { jsonrpc: "2.0", method: "_test/small", params: {} };

  /** An editor that does not read, after a burst of messages. `read` makes it read again. */
  async function fullEditor() {
    const { url, token } = await home.serve();
    const proxy = await MessageProxy.open(url);
    const raw = new RawEditor(["acp", "--gateway", `${proxy.url}/#token=${token}`], pingOnSignal);
    const sessionId = await raw.open();
    const { child } = raw.running;
    const unread = Promise.withResolvers<void>();
    // While there is such a listener, nothing is read beyond a buffer.
    const found = () => unread.resolve();
    child.stdout.on("readable", found);
    proxy.burst([large, ...Array.from({ length: 50 }, () => small)]);
    await unread.promise;
    return { proxy, raw, sessionId, read: () => child.stdout.off("readable", found) };
  }

  it("the connection stays open", async () => {
    const { proxy: opened, raw, sessionId, read } = await fullEditor();
    await using proxy = opened;
    for (let beats = 0; beats < 5 && proxy.connections === 1; beats++) {
      raw.running.child.kill("SIGUSR2");
      await proxy.until(() => proxy.pings > beats || proxy.connections > 1);
    }
    expect(proxy.connections).toBe(1);
    raw.prompt(3, sessionId, "hello");
    read();
    expect(await raw.response(3)).toMatchObject({ result: { stopReason: "end_turn" } });
    expect(raw.running.stderr).toBe("");
    await raw.leave();
  });

  it("a lost connection is opened when the editor reads again", async () => {
    const { proxy: opened, raw, sessionId, read } = await fullEditor();
    await using proxy = opened;
    proxy.cut();
    // Only a ping shows that the connection is lost.
    const heart = setInterval(() => raw.running.child.kill("SIGUSR2"), 100);
    await raw.running.printed("stderr", "The editor does not read");
    clearInterval(heart);
    raw.prompt(3, sessionId, "hello");
    read();
    expect(await raw.response(3)).toMatchObject({ result: { stopReason: "end_turn" } });
    expect(proxy.connections).toBe(2);
    await raw.leave();
  });

  it("a burst of messages adds no listener for each of them", async () => {
    const { proxy: opened, raw, sessionId, read } = await fullEditor();
    await using _proxy = opened;
    raw.prompt(3, sessionId, "hello");
    read();
    await raw.response(3);
    expect(raw.running.stdout.split("_test/small")).toHaveLength(51);
    expect(raw.running.stderr).toBe("");
    await raw.leave();
  });
});

it("a session that can't be resumed for a while is resumed later, and nothing is lost", async () => {
  const { url, token } = await home.serve();
  await using proxy = await MessageProxy.open(url);
  const persona = silent();
  const started = await editor(persona, "--gateway", `${proxy.url}/#token=${token}`);
  const { sessionId } = await persona.open(home.folder);
  const ended = persona.prompt(sessionId, "ask");
  await persona.wire.until(asks);
  // Every message of the new connection waits until another client has answered.
  const answered = Promise.withResolvers<void>();
  let refusals = 0;
  proxy.intercept = ({ method, id }) => {
    if (method !== "stream/resume" || refusals === 2) return null;
    refusals++;
    const data = { reason: "rate-limited", retryAfterMs: 10 };
    return { jsonrpc: "2.0", id, error: { code: -32602, message: "Too many requests.", data } };
  };
  proxy.hold = answered.promise;
  proxy.cut();
  await started.running.printed("stderr", "was lost");
  const other = new Persona("full");
  other.answerPermission = () => "allow";
  const second = await editor(other);
  await other.load(sessionId, home.folder);
  await other.wire.until(says("It was allowed."));
  answered.resolve();
  expect(await ended).toMatchObject({ stopReason: "end_turn" });
  expect(count(persona, says("It was allowed."))).toBe(1);
  expect(refusals).toBe(2);
  expect(await persona.prompt(sessionId, "hello")).toMatchObject({ stopReason: "end_turn" });
  expect(count(persona, says('"yourself."'))).toBe(1);
  expect(persona.wire.faults()).toEqual([]);
  await leave(started);
  await leave(second);
});
