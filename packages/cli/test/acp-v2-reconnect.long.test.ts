import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { Readable, Writable } from "node:stream";
import { ndJsonStream } from "@agentclientprotocol/sdk";
import { client, methods, type SessionUpdate } from "@agentclientprotocol/sdk/experimental/v2";
import { afterEach, beforeEach, expect, it } from "vitest";
import { CutProxy } from "./cut-proxy.ts";
import { Home, type Running } from "./landline.ts";

const toolCall = { toolCallId: "t", title: "Go on" };
const scenario = {
  about: "A message that is interrupted by a permission request.",
  initialize: { agentCapabilities: { loadSession: true } },
  state: "agent-state",
  turns: [
    {
      match: "ask",
      steps: [{ say: "One " }, { permission: { toolCall, on: { allow: [] } } }, { say: "two." }],
    },
    { match: "wait", steps: [{ say: "Working" }], end: "never" },
    { match: "hello", steps: [{ say: "Hello " }, { say: "yourself." }] },
  ],
};

let home: Home;
beforeEach(async () => {
  home = await Home.make();
  await writeFile(home.path("scenario.json"), JSON.stringify(scenario));
});
afterEach(async () => {
  const gateway = (await home.gatewayFile()) as { readonly pid: number } | null;
  if (gateway) process.kill(gateway.pid, "SIGTERM");
  await home[Symbol.asyncDispose]();
});

type Update = SessionUpdate & Readonly<Record<string, unknown>>;

/** A client of version 2 with `landline acp` as its agent. */
class V2Editor {
  readonly updates: Update[] = [];
  readonly asked = Promise.withResolvers<void>();
  readonly answer = Promise.withResolvers<string>();
  permissions = 0;
  readonly #connection;
  #changed = Promise.withResolvers<void>();

  constructor({ child }: Running) {
    this.#connection = client({ name: "v2" })
      .onNotification(methods.client.session.update, ({ params }) => {
        this.updates.push(params.update);
        this.#changed.resolve();
        this.#changed = Promise.withResolvers();
      })
      .onRequest(methods.client.session.requestPermission, async () => {
        this.permissions += 1;
        this.asked.resolve();
        return { outcome: { outcome: "selected", optionId: await this.answer.promise } };
      })
      .connect(
        ndJsonStream(
          Writable.toWeb(child.stdin),
          Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
        ),
      );
  }

  async open(): Promise<string> {
    const info = { name: "v2-client", version: "1.0.0" };
    await this.#connection.agent.request(methods.agent.initialize, { protocolVersion: 2, info });
    const { new: open } = methods.agent.session;
    return (await this.#connection.agent.request(open, { cwd: home.folder })).sessionId;
  }

  prompt(sessionId: string, text: string) {
    const prompt = [{ type: "text" as const, text }];
    return this.#connection.agent.request(methods.agent.session.prompt, { sessionId, prompt });
  }

  /** Waits until `count` updates fit. */
  async until(fits: (update: Update) => boolean, count = 1): Promise<Update> {
    for (;;) {
      const found = this.updates.filter(fits)[count - 1];
      if (found) return found;
      await this.#changed.promise;
    }
  }

  get chunks(): readonly Update[] {
    return this.updates.filter(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk");
  }
}

const isIdle = (update: Update) =>
  update.sessionUpdate === "state_update" && update["state"] === "idle";
const says = (words: string) => (update: Update) => JSON.stringify(update).includes(words);

async function leave({ child }: Running): Promise<void> {
  child.stdin.end();
  await once(child, "close");
  expect(child.exitCode).toBe(0);
}

it("a client of version 2 receives what it missed, as one message, and answers once", async () => {
  const { url, token } = await home.serve("--acp-v2");
  await using proxy = await CutProxy.open(Number(new URL(url).port));
  const link = `http://127.0.0.1:${proxy.port}/#token=${token}`;
  const running = home.start(["acp", "--gateway", link]);
  const editor = new V2Editor(running);
  const sessionId = await editor.open();
  const { messageId } = await editor.prompt(sessionId, "ask");
  await editor.asked.promise;
  proxy.cut();
  await running.printed("stderr", "was lost");
  editor.answer.resolve("allow");
  proxy.mend();
  expect(await editor.until(isIdle)).toMatchObject({ stopReason: "end_turn" });
  expect(editor.permissions).toBe(1);
  expect(editor.chunks).toMatchObject([
    { content: { text: "One " } },
    { content: { text: "two." } },
  ]);
  expect(editor.chunks[1]?.["messageId"]).toBe(editor.chunks[0]?.["messageId"]);
  const own = editor.updates.filter(({ sessionUpdate }) => sessionUpdate === "user_message_chunk");
  expect(own).toMatchObject([{ messageId, content: { text: "ask" } }]);
  await leave(running);
});

it("a prompt whose response was lost is answered, and runs once", async () => {
  const { url, token } = await home.serve("--acp-v2");
  await using proxy = await CutProxy.open(Number(new URL(url).port));
  const link = `http://127.0.0.1:${proxy.port}/#token=${token}`;
  const running = home.start(["acp", "--gateway", link]);
  const editor = new V2Editor(running);
  const sessionId = await editor.open();
  proxy.cut();
  await running.printed("stderr", "was lost");
  const accepted = editor.prompt(sessionId, "hello");
  proxy.mend();
  const { messageId } = await accepted;
  expect(await editor.until(says('"yourself."'))).toMatchObject({ content: { text: "yourself." } });
  await editor.until(isIdle);
  expect(editor.updates.filter(says(messageId))).toHaveLength(1);
  expect(editor.chunks).toHaveLength(2);
  await leave(running);
});

it("a client of version 2 continues after the gateway was killed", async () => {
  await writeFile(
    home.path("config.json"),
    JSON.stringify({
      port: 0,
      agents: [home.agent("scripted")],
      defaultAgent: "scripted",
      acpV2: true,
    }),
  );
  const running = home.start(["acp"]);
  const editor = new V2Editor(running);
  const sessionId = await editor.open();
  await editor.prompt(sessionId, "hello");
  await editor.until(isIdle);
  await editor.prompt(sessionId, "wait");
  await editor.until(says('"Working"'));
  const { pid } = (await home.gatewayFile()) as { readonly pid: number };
  process.kill(pid, "SIGKILL");
  expect(await editor.until(isIdle, 2)).toMatchObject({ stopReason: "error" });
  await editor.prompt(sessionId, "hello");
  await editor.until(says('"yourself."'), 2);
  expect(editor.updates.filter(says('"Working"'))).toHaveLength(1);
  expect(editor.updates.filter(says('"yourself."'))).toHaveLength(2);
  await leave(running);
});
