import { readFile, writeFile } from "node:fs/promises";
import * as path from "node:path";
import { RequestError } from "@agentclientprotocol/sdk";
import { createWebSocketStream } from "@agentclientprotocol/sdk/experimental/ws-client";
import { Persona } from "@landline/testing";
import { describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { ScriptedGateway, turn, Watcher } from "../sessions/scripted-gateway.ts";
import { ask } from "../spec/http.ts";

const file = "{{cwd}}/a.txt";

const lost = "Zed was disconnected. Whether the command still runs there is not known.";

const scenario = {
  turns: [
    {
      match: "read",
      steps: [{ readFile: { path: file, save: "file" } }, { say: "{{file.content}}" }],
    },
    { match: "write", steps: [{ writeFile: { path: file, content: "from the agent" } }] },
    {
      match: "outside",
      steps: [
        { readFile: { path: "/etc/hostname", on: { error: [{ say: "refused " }] } } },
        { writeFile: { path: "/etc/x", content: "", on: { error: [{ say: "refused" }] } } },
      ],
    },
    {
      match: "run",
      steps: [
        {
          createTerminal: {
            command: "sh",
            args: ["-c", "echo $WORD; exit 3"],
            env: [{ name: "WORD", value: "hello" }],
          },
        },
        { tool: inTerminal("run") },
        { waitForExit: { save: "exit" } },
        { terminalOutput: { save: "output" } },
        { say: "{{output.output}}{{exit.exitCode}} {{output.exitStatus.exitCode}}" },
        { releaseTerminal: {} },
        { toolUpdate: { toolCallId: "run", status: "completed" } },
      ],
    },
    {
      match: "allow",
      steps: [
        { createTerminal: { command: "echo", args: ["hello"] } },
        { waitForExit: {} },
        { permission: { toolCall: inTerminal("allow"), on: { otherwise: [] } } },
        { releaseTerminal: {} },
      ],
    },
    {
      match: "hang",
      steps: [
        { createTerminal: { command: "sh", args: ["-c", "echo started; sleep 600"] } },
        { tool: inTerminal("hang") },
        { waitForExit: { expect: { error: { message: lost } } } },
        { terminalOutput: { save: "output" } },
        { say: "{{output.output}}" },
        { killTerminal: {} },
        { releaseTerminal: {} },
      ],
    },
    {
      match: "kill",
      steps: [
        { createTerminal: { command: "sleep", args: ["600"] } },
        { killTerminal: {} },
        { waitForExit: { expect: { signal: "SIGKILL" } } },
        { say: "killed" },
      ],
    },
  ],
};

/** A tool call that shows the terminal. */
function inTerminal(toolCallId: string) {
  const content = [{ type: "terminal", terminalId: "{{terminalId}}" }];
  return { toolCallId, title: "Run it", kind: "execute", status: "in_progress", content };
}

/** A WebSocket that the test can cut, as a killed editor does. */
class Cut extends WebSocket {
  static last: Cut | null = null;
  constructor(...args: ConstructorParameters<typeof WebSocket>) {
    super(...args);
    Cut.last = this;
  }
}

interface TestEditor extends AsyncDisposable {
  readonly persona: Persona;
  /** Cuts the connection without a goodbye. */
  vanish(): void;
}

/** An editor that keeps what is written to it in its buffers. */
async function editor(gateway: ScriptedGateway, name: string, token = gateway.token) {
  const persona = new Persona("full", { savesFiles: false });
  persona.info = { name: name.toLowerCase(), title: name, version: "1" };
  const { url } = gateway;
  persona.connect(
    createWebSocketStream(`${url.replace("http", "ws")}/acp?agent=agent`, {
      headers: { authorization: `Bearer ${token}` },
      WebSocket: Cut,
    }),
  );
  const socket = Cut.last;
  await persona.initialize();
  return {
    persona,
    vanish: () => socket?.terminate(),
    [Symbol.asyncDispose]: () => persona[Symbol.asyncDispose](),
  } satisfies TestEditor;
}

/** A gateway with one file, a session that Zed opened, and its events. */
async function opened(gateway: ScriptedGateway, zed: TestEditor) {
  const at = path.join(gateway.project, "a.txt");
  await writeFile(at, "on the disk");
  const { sessionId } = await zed.persona.open(gateway.project);
  const session = await gateway.sessions.get(sessionId);
  return { at, sessionId, session, watcher: new Watcher(session) };
}

describe("an agent's files, while an editor is attached", () => {
  test("are read from its buffers and written to them, for the prompts of every client", async () => {
    await using gateway = await ScriptedGateway.open({ agent: scenario });
    await using zed = await editor(gateway, "Zed");
    const { at, session, sessionId, watcher: events } = await opened(gateway, zed);
    using watcher = events;
    zed.persona.buffers.set(at, "not saved");
    await zed.persona.prompt(sessionId, "read");
    expect(watcher.said).toBe("not saved");
    await turn(session, watcher, "write");
    expect(zed.persona.buffers.get(at)).toBe("from the agent");
    expect(await readFile(at, "utf8")).toBe("on the disk");
    expect(await watcher.until("file-read")).toMatchObject({ via: "editor", editor: "Zed" });
    expect(await watcher.until("file-written")).toMatchObject({ via: "editor", editor: "Zed" });
    expect([zed.persona.reads, zed.persona.writes]).toEqual([[at], [at]]);
    expect(zed.persona.wire.faults()).toEqual([]);
  });

  test("outside the session's folders never reach it", async () => {
    await using gateway = await ScriptedGateway.open({ agent: scenario });
    await using zed = await editor(gateway, "Zed");
    const { session, watcher: events } = await opened(gateway, zed);
    using watcher = events;
    await turn(session, watcher, "outside");
    expect(watcher.said).toBe("refused refused");
    expect([...zed.persona.reads, ...zed.persona.writes]).toEqual([]);
  });

  test("are those of the disk if it refuses, disconnects in the middle, or is gone", async () => {
    await using gateway = await ScriptedGateway.open({ agent: scenario });
    await using zed = await editor(gateway, "Zed");
    const { at, session, watcher: events } = await opened(gateway, zed);
    using watcher = events;
    zed.persona.beforeFile = async () => {
      throw RequestError.invalidParams(undefined, "outside the workspace");
    };
    await turn(session, watcher, "read");
    await turn(session, watcher, "write");
    expect(await readFile(at, "utf8")).toBe("from the agent");
    await writeFile(at, "on the disk again");
    zed.persona.beforeFile = () => {
      zed.vanish();
      return new Promise(() => {});
    };
    await turn(session, watcher, "write");
    await turn(session, watcher, "read");
    expect(watcher.said).toBe("on the diskfrom the agent");
    expect([zed.persona.reads, zed.persona.writes]).toEqual([[at], [at, at]]);
    const places = watcher.events.flatMap((event) => ("via" in event ? [event.via] : []));
    expect(places).toEqual(["disk", "disk", "disk", "disk"]);
  });

  test("are those of the disk if it does not answer, until it is used again", async () => {
    await using gateway = await ScriptedGateway.open({ agent: scenario }, { fileReadMs: 2_000 });
    await using zed = await editor(gateway, "Zed");
    const { at, session, sessionId, watcher: events } = await opened(gateway, zed);
    using watcher = events;
    zed.persona.buffers.set(at, "buffer");
    zed.persona.beforeFile = () => new Promise(() => {});
    await turn(session, watcher, "read");
    await turn(session, watcher, "read");
    expect(zed.persona.reads).toEqual([at]);
    zed.persona.beforeFile = async () => {};
    await zed.persona.prompt(sessionId, "read");
    expect(watcher.said).toBe("on the diskon the diskbuffer");
  });

  test("are those of the editor that was used last, then of the others", async () => {
    await using gateway = await ScriptedGateway.open({ agent: scenario });
    await using zed = await editor(gateway, "Zed");
    await using emacs = await editor(gateway, "Emacs");
    const { at, session, sessionId, watcher: events } = await opened(gateway, zed);
    using watcher = events;
    zed.persona.buffers.set(at, "Zed.");
    emacs.persona.buffers.set(at, "Emacs.");
    await turn(session, watcher, "read");
    await emacs.persona.load(sessionId, gateway.project);
    await turn(session, watcher, "read");
    await zed.persona.prompt(sessionId, "read");
    await zed.persona[Symbol.asyncDispose]();
    await turn(session, watcher, "read");
    expect(watcher.said).toBe("Zed.Emacs.Zed.Emacs.");
  });

  test("are those of the disk after the session was closed in the editor", async () => {
    await using gateway = await ScriptedGateway.open({ agent: scenario });
    await using zed = await editor(gateway, "Zed");
    const { session, sessionId, watcher: events } = await opened(gateway, zed);
    using watcher = events;
    await zed.persona.agent.request("session/close", { sessionId });
    await turn(session, watcher, "read");
    expect(watcher.said).toBe("on the disk");
    expect(zed.persona.reads).toEqual([]);
  });
});

describe("an agent's terminals, while an editor is attached", () => {
  test("run in it, and the other clients see their output", async () => {
    await using gateway = await ScriptedGateway.open({ agent: scenario });
    await using zed = await editor(gateway, "Zed");
    await using other = await editor(gateway, "Emacs");
    const { session, sessionId, watcher: events } = await opened(gateway, zed);
    using watcher = events;
    await other.persona.agent.request("session/resume", resumed(sessionId, gateway));
    const isReleased = nextRelease(zed.persona);
    await zed.persona.prompt(sessionId, "run");
    expect(watcher.said).toBe("hello\n3 3");
    const { created } = zed.persona.terminals;
    const env = [{ name: "WORD", value: "hello" }];
    expect(created).toMatchObject([{ sessionId, command: "sh", cwd: gateway.project, env }]);
    await isReleased;
    expect(other.persona.terminals.created).toEqual([]);

    const started = await watcher.until("terminal-opened");
    expect(started).toMatchObject({ confinement: null, editor: "Zed" });
    expect(started.terminalId).not.toBe("terminal-1");
    expect(await watcher.until("terminal-output")).toMatchObject({ text: "hello\n" });
    expect(await watcher.until("terminal-exited")).toMatchObject({ exitCode: 3 });

    const shown = zed.persona.wire.updates(sessionId).find(isCall);
    expect(shown).toMatchObject({ content: [{ type: "terminal", terminalId: "terminal-1" }] });
    await other.persona.wire.until((message) => JSON.stringify(message).includes("completed"));
    const last = other.persona.wire.updates(sessionId).filter(isCall).at(-2);
    expect(last).toMatchObject({ content: [{ type: "content", content: { text: "hello\n" } }] });
    expect([...zed.persona.wire.faults(), ...other.persona.wire.faults()]).toEqual([]);

    const words = "Run in Zed · not confined by Landline · not asked";
    const { terminals } = await session.view();
    expect(terminals).toMatchObject([{ editor: "Zed", text: "hello\n", exit: { exitCode: 3 } }]);
    const json = await ask(gateway, "GET", `/sessions/${sessionId}/export?format=json`);
    expect(json.json["executions"]).toMatchObject([{ words, execution: { editor: "Zed" } }]);
    const markdown = await fetchText(gateway, `/api/sessions/${sessionId}/export?format=markdown`);
    expect(markdown).toContain(words);
    const audit = await ask(gateway, "GET", "/audit");
    expect(audit.json["entries"]).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ detail: expect.objectContaining({ executed: words }) }),
      ]),
    );
  });

  test("have the editor's own id in permission requests, and are text for other clients", async () => {
    await using gateway = await ScriptedGateway.open({ agent: scenario });
    await using zed = await editor(gateway, "Zed");
    await using other = await editor(gateway, "Emacs");
    const { sessionId, watcher: events } = await opened(gateway, zed);
    using watcher = events;
    other.persona.decide = () => new Promise(() => {});
    await other.persona.agent.request("session/resume", resumed(sessionId, gateway));
    zed.persona.decide = async () => {
      await other.persona.wire.until(({ method }) => method === "session/request_permission");
      return "allow";
    };
    await zed.persona.prompt(sessionId, "allow");
    expect(await watcher.until("terminal-opened")).toMatchObject({ editor: "Zed" });
    expect(zed.persona.permissions).toMatchObject([
      { toolCall: { content: [{ type: "terminal", terminalId: "terminal-1" }] } },
    ]);
    expect(other.persona.permissions).toMatchObject([
      { toolCall: { content: [{ type: "content", content: { text: "hello\n" } }] } },
    ]);
    expect([...zed.persona.wire.faults(), ...other.persona.wire.faults()]).toEqual([]);
  });

  test("end for the agent when the editor is killed, and the turn continues", async () => {
    await using gateway = await ScriptedGateway.open({ agent: scenario });
    await using zed = await editor(gateway, "Zed");
    const { session, sessionId, watcher: events } = await opened(gateway, zed);
    using watcher = events;
    const prompted = zed.persona.prompt(sessionId, "hang").catch(() => null);
    await watcher.until("terminal-opened");
    await watcher.until("update", ({ update }) => update["toolCallId"] === "hang");
    zed.vanish();
    await prompted;
    expect(await watcher.until("turn-ended")).toMatchObject({ stopReason: "end_turn" });
    expect(watcher.said).toBe(`[Landline: ${lost}]\n`);
    const exit = await watcher.until("terminal-exited");
    expect(exit).toMatchObject({ exitCode: null, signal: null });
    const [terminal] = (await session.view()).terminals;
    expect(terminal).toMatchObject({ editor: "Zed", text: `[Landline: ${lost}]\n` });
    // The next command runs in the gateway.
    await turn(session, watcher, "run");
    const next = await watcher.until("terminal-opened", () => true, exit.seq);
    expect(next.editor).toBeUndefined();
    expect(watcher.said).toContain("hello\n3 3");
  });

  test("are killed and released in it", async () => {
    await using gateway = await ScriptedGateway.open({ agent: scenario });
    await using zed = await editor(gateway, "Zed");
    const { session, watcher: events } = await opened(gateway, zed);
    using watcher = events;
    const isReleased = nextRelease(zed.persona);
    await turn(session, watcher, "kill");
    expect(watcher.said).toBe("killed");
    await isReleased;
  });

  test("are the gateway's if the editor refuses to open one", async () => {
    await using gateway = await ScriptedGateway.open({ agent: scenario });
    await using zed = await editor(gateway, "Zed");
    const { session, watcher: events } = await opened(gateway, zed);
    using watcher = events;
    zed.persona.terminals.create = async () => {
      throw RequestError.invalidParams(undefined, "No terminals today.");
    };
    await turn(session, watcher, "run");
    expect(watcher.said).toBe("hello\n3 3");
    expect((await watcher.until("terminal-opened")).editor).toBeUndefined();
  });

  test("fail if the editor does not answer, end there if it answers late, and then run in the gateway", async () => {
    const limits = { editorTerminalMs: 2_000 };
    await using gateway = await ScriptedGateway.open({ agent: scenario }, limits);
    await using zed = await editor(gateway, "Zed");
    const { session, watcher: events } = await opened(gateway, zed);
    using watcher = events;
    const { terminals } = zed.persona;
    const create = terminals.create.bind(terminals);
    const late = Promise.withResolvers<void>();
    terminals.create = async (request) => {
      await late.promise;
      return create({ ...request, command: "sleep", args: ["600"] });
    };
    const isReleased = nextRelease(zed.persona);
    expect(await turn(session, watcher, "run")).toMatchObject({ stopReason: "failed" });
    late.resolve();
    await isReleased;
    expect(terminals.open).toBe(0);
    await turn(session, watcher, "run");
    expect(watcher.said).toBe("hello\n3 3");
    expect(terminals.created).toHaveLength(1);
  });

  const level = {
    id: "permissions",
    name: "Permissions",
    type: "select",
    currentValue: "sandboxed",
    options: [{ value: "sandboxed", name: "Sandboxed" }],
  };
  const sandbox = { write: [], read: [], caches: null, network: "off" } as const;
  const withhold = { files: false, terminals: false };

  test.each([
    ["at the permission level `sandboxed`", { session: { configOptions: [level] } }, {}],
    ["if the config confines them", {}, { agent: { withhold, terminalSandbox: sandbox } }],
  ])("stay in the gateway %s", async (_, more, policy) => {
    await using gateway = await ScriptedGateway.open(
      { agent: { ...scenario, ...more } },
      {},
      { policy },
    );
    await using zed = await editor(gateway, "Zed");
    const { session, watcher: events } = await opened(gateway, zed);
    using watcher = events;
    await turn(session, watcher, "run");
    expect(zed.persona.terminals.created).toEqual([]);
  });
});

function resumed(sessionId: string, { project }: ScriptedGateway) {
  return { sessionId, cwd: project, mcpServers: [] };
}

function isCall({ sessionUpdate }: Readonly<Record<string, unknown>>): boolean {
  return String(sessionUpdate).startsWith("tool_call");
}

/** Resolves when the editor has released a terminal. */
function nextRelease({ terminals }: Persona): Promise<void> {
  const release = terminals.release.bind(terminals);
  return new Promise((resolve) => {
    terminals.release = (terminalId) => {
      release(terminalId);
      resolve();
    };
  });
}

async function fetchText(gateway: ScriptedGateway, address: string): Promise<string> {
  const headers = { authorization: `Bearer ${gateway.token}` };
  return (await fetch(new URL(address, gateway.url), { headers })).text();
}
