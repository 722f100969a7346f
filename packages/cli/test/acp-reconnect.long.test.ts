import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { Persona } from "@landline/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { asks, cancels, connected, count, leave, says, silent, startEditor } from "./acp-editor.ts";
import { CutProxy } from "./cut-proxy.ts";
import { Home, type Running } from "./landline.ts";

let home: Home;
beforeEach(async () => {
  home = await Home.make();
});
afterEach(async () => {
  const gateway = (await home.gatewayFile()) as { readonly pid: number } | null;
  if (gateway) process.kill(gateway.pid, "SIGTERM");
  await home[Symbol.asyncDispose]();
});

/** A client without the SDK, which refuses methods that it does not know. */
class JsonLines {
  readonly messages: Readonly<Record<string, unknown>>[] = [];
  readonly #child: Running["child"];
  #nextId = 0;
  #changed = Promise.withResolvers<void>();

  constructor(child: Running["child"]) {
    this.#child = child;
    createInterface({ input: child.stdout }).on("line", (line) => {
      this.messages.push(JSON.parse(line) as Readonly<Record<string, unknown>>);
      this.#changed.resolve();
      this.#changed = Promise.withResolvers();
    });
  }

  send(message: object): void {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  request(method: string, params: object) {
    const id = this.#nextId++;
    this.send({ id, method, params });
    return this.until((message) => message["id"] === id && !("method" in message));
  }

  async until(fits: (message: Readonly<Record<string, unknown>>) => boolean) {
    for (;;) {
      const found = this.messages.find(fits);
      if (found) return found;
      await this.#changed.promise;
    }
  }
}

const editor = (persona: Persona, ...args: string[]) => startEditor(home, persona, ...args);

describe("when the connection is cut", () => {
  it("the editor receives what it missed, and answers a request once", async () => {
    const { url, token } = await home.serve();
    await using proxy = await CutProxy.open(Number(new URL(url).port));
    const link = `http://127.0.0.1:${proxy.port}/#token=${token}`;
    const persona = silent();
    let answer: (optionId: string) => void = () => {};
    const chosen = new Promise<string>((resolve) => (answer = resolve));
    persona.decide = () => chosen;
    const started = await editor(persona, "--gateway", link);
    const { sessionId } = await persona.open(home.folder);
    const ended = persona.prompt(sessionId, "ask");
    await persona.wire.until(asks);
    proxy.cut();
    await started.running.printed("stderr", "was lost");
    // The person answers while there is no connection.
    answer("allow");
    proxy.mend();
    expect(await ended).toMatchObject({ stopReason: "end_turn" });
    expect(count(persona, asks)).toBe(1);
    expect(count(persona, says("It was allowed."))).toBe(1);
    expect(count(persona, cancels)).toBe(0);
    expect(persona.wire.faults()).toEqual([]);
    await leave(started);
  });

  it("a request that another client answered meanwhile is cancelled", async () => {
    const { url, token } = await home.serve();
    await using proxy = await CutProxy.open(Number(new URL(url).port));
    const cut = silent();
    const first = await editor(cut, "--gateway", `http://127.0.0.1:${proxy.port}/#token=${token}`);
    const { sessionId } = await cut.open(home.folder);
    const ended = cut.prompt(sessionId, "ask");
    await cut.wire.until(asks);
    proxy.cut();
    await first.running.printed("stderr", "was lost");
    const other = new Persona("full");
    other.answerPermission = () => "allow";
    const second = await editor(other);
    await other.load(sessionId, home.folder);
    await other.wire.until(says("It was allowed."));
    proxy.mend();
    await cut.wire.until(cancels);
    expect(await ended).toMatchObject({ stopReason: "end_turn" });
    expect(count(cut, says("It was allowed."))).toBe(1);
    await leave(first);
    await leave(second);
  });
});

it("methods of extensions pass, and are not sent again after a reconnect", async () => {
  const scenario = {
    about: "Has methods of an extension.",
    answers: {
      "_vendor/version": { result: { version: 3 } },
      "_vendor/slow": {
        before: [{ notify: { method: "_vendor/begun", params: {} } }, { wait: 600_000 }],
        result: {},
      },
    },
    turns: [
      {
        steps: [
          { request: { method: "_vendor/ask", params: { about: "tea" }, save: "answer" } },
          { say: "{{answer.choice}} tea" },
        ],
      },
    ],
  };
  await writeFile(home.path("scenario.json"), JSON.stringify(scenario));
  const { url, token } = await home.serve();
  await using proxy = await CutProxy.open(Number(new URL(url).port));
  const link = `http://127.0.0.1:${proxy.port}/#token=${token}`;
  const { child } = home.start(["acp", "--gateway", link]);
  const lines = new JsonLines(child);
  await lines.request("initialize", { protocolVersion: 1 });
  const params = { cwd: home.folder, mcpServers: [] };
  const { sessionId } = (await lines.request("session/new", params))["result"] as {
    readonly sessionId: string;
  };
  expect(await lines.request("_vendor/version", { sessionId })).toMatchObject({
    result: { version: 3 },
  });
  const ended = lines.request("session/prompt", {
    sessionId,
    prompt: [{ type: "text", text: "x" }],
  });
  const asked = await lines.until(({ method }) => method === "_vendor/ask");
  expect(asked).toMatchObject({ params: { about: "tea" } });
  lines.send({ id: asked["id"], result: { choice: "Green" } });
  await ended;
  await lines.until((message) => JSON.stringify(message).includes("Green tea"));
  const slow = lines.request("_vendor/slow", { sessionId });
  const isBegun = ({ method }: Readonly<Record<string, unknown>>) => method === "_vendor/begun";
  await lines.until(isBegun);
  proxy.cut();
  proxy.mend();
  expect(await slow).toMatchObject({ error: { data: { reason: "connection-lost" } } });
  // The agent has handled everything that was sent before this.
  await lines.request("_vendor/version", { sessionId });
  expect(lines.messages.filter(isBegun)).toHaveLength(1);
  child.stdin.end();
  await once(child, "close");
  expect(child.exitCode).toBe(0);
});

describe("when the gateway is killed", () => {
  it("a gateway is started again and the editor continues", async () => {
    const persona = silent();
    const started = await editor(persona);
    const { sessionId } = await persona.open(home.folder);
    expect(await persona.prompt(sessionId, "hello")).toMatchObject({ stopReason: "end_turn" });
    const ended = persona.prompt(sessionId, "ask").catch((error: unknown) => error);
    await persona.wire.until(asks);
    const { pid } = (await home.gatewayFile()) as { readonly pid: number };
    process.kill(pid, "SIGKILL");
    expect(await ended).toMatchObject({ data: { reason: "turn-interrupted" } });
    await persona.wire.until(cancels);
    expect(await home.gatewayFile()).not.toMatchObject({ pid });
    expect(await persona.prompt(sessionId, "hello")).toMatchObject({ stopReason: "end_turn" });
    expect(count(persona, says('"yourself."'))).toBe(2);
    expect(count(persona, says("user_message_chunk"))).toBe(0);
    expect(persona.wire.faults()).toEqual([]);
    await leave(started);
  });

  it("a cancelled turn ends as cancelled", async () => {
    const persona = silent();
    const started = await editor(persona);
    const { sessionId } = await persona.open(home.folder);
    const ended = persona.prompt(sessionId, "ask");
    await persona.wire.until(asks);
    const { pid } = (await home.gatewayFile()) as { readonly pid: number };
    process.kill(pid, "SIGSTOP");
    await persona.cancel(sessionId);
    // A second request is read after the cancel.
    const listed = persona.agent.request("session/list", {});
    process.kill(pid, "SIGKILL");
    expect(await ended).toMatchObject({ stopReason: "cancelled" });
    expect(await listed).toMatchObject({ sessions: [{ sessionId }] });
    await leave(started);
  });
});

it("ends at SIGTERM and leaves the session", async () => {
  const persona = silent();
  const { running } = await editor(persona);
  const { sessionId } = await persona.open(home.folder);
  persona.prompt(sessionId, "ask").catch(() => {});
  await persona.wire.until(asks);
  running.child.kill("SIGTERM");
  await once(running.child, "close");
  expect(running.child.exitCode).toBe(0);
  const next = new Persona("full");
  next.answerPermission = () => "allow";
  const second = await editor(next);
  await next.load(sessionId, home.folder);
  await next.wire.until(says("It was allowed."));
  await leave(second);
});

describe("--attach", () => {
  it.each(["last", "prefix"])("opens a session that exists: %s", async (by) => {
    const first = await editor(new Persona("full"));
    const { sessionId } = await first.persona.open(home.folder);
    await first.persona.prompt(sessionId, "hello");
    const typed = by === "last" ? "last" : sessionId.slice(0, -4);
    const persona = new Persona("full");
    const second = await editor(persona, "--attach", typed);
    expect(await persona.open(home.folder)).toMatchObject({ sessionId });
    await persona.wire.until(says('"yourself."'));
    expect(persona.wire.updates(sessionId).slice(0, 3)).toMatchObject([
      { sessionUpdate: "user_message_chunk", content: { text: "hello" } },
      { sessionUpdate: "agent_thought_chunk" },
      { content: { text: "Hello " } },
    ]);
    const { sessions } = await persona.agent.request("session/list", {});
    expect(sessions).toMatchObject([{ sessionId }]);
    await persona.prompt(sessionId, "limit");
    await first.persona.wire.until(says("Half of"));
    expect(persona.wire.faults()).toEqual([]);
    await leave(first);
    await leave(second);
  });
});

describe("if it can't connect, initialize is answered with the reason", () => {
  it.each([
    [
      "a wrong token",
      () => home.serve().then(({ url }) => ["--gateway", `${url}/#token=no`]),
      /token/i,
    ],
    ["an unknown agent", () => ["--agent", "nobody"], /nobody/],
    ["no gateway", () => ["--gateway", "http://127.0.0.1:1/#token=x"], /can't be reached/],
    ["an unknown session", () => ["--attach", "nothing"], /no session/],
  ] as const)("%s", async (_, args, reason) => {
    const persona = new Persona("full");
    const { running } = connected(home.start(["acp", ...(await args())]), persona);
    await expect(persona.initialize()).rejects.toThrow(reason);
    running.child.stdin.end();
    const { code, stderr } = await running.ended;
    expect(code).not.toBe(0);
    expect(stderr).toMatch(reason);
  });
});
