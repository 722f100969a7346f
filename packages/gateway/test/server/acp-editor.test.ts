import { readFile, writeFile } from "node:fs/promises";
import * as path from "node:path";
import { RequestError } from "@agentclientprotocol/sdk";
import { createWebSocketStream } from "@agentclientprotocol/sdk/experimental/ws-client";
import { Persona } from "@landline/testing";
import { describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { ScriptedGateway, turn, Watcher } from "../sessions/scripted-gateway.ts";

const file = "{{cwd}}/a.txt";

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
  ],
};

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
async function editor(house: ScriptedGateway, name: string, token = house.gateway.token) {
  const persona = new Persona("full", { savesFiles: false });
  persona.info = { name: name.toLowerCase(), title: name, version: "1" };
  const { url } = house.gateway;
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

/** A house with one file, a session that Zed opened, and its events. */
async function opened(house: ScriptedGateway, zed: TestEditor) {
  const at = path.join(house.project, "a.txt");
  await writeFile(at, "on the disk");
  const { sessionId } = await zed.persona.open(house.project);
  const session = await house.gateway.sessions.get(sessionId);
  return { at, sessionId, session, watcher: new Watcher(session) };
}

describe("an agent's files, while an editor is attached", () => {
  test("are read from its buffers and written to them, whoever prompts", async () => {
    await using house = await ScriptedGateway.open({ agent: scenario });
    await using zed = await editor(house, "Zed");
    const { at, session, sessionId, watcher: events } = await opened(house, zed);
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

  test("outside of the session's folders never reach it", async () => {
    await using house = await ScriptedGateway.open({ agent: scenario });
    await using zed = await editor(house, "Zed");
    const { session, watcher: events } = await opened(house, zed);
    using watcher = events;
    await turn(session, watcher, "outside");
    expect(watcher.said).toBe("refused refused");
    expect([...zed.persona.reads, ...zed.persona.writes]).toEqual([]);
  });

  test("are those of the disk if it refuses, disconnects in the middle, or is gone", async () => {
    await using house = await ScriptedGateway.open({ agent: scenario });
    await using zed = await editor(house, "Zed");
    const { at, session, watcher: events } = await opened(house, zed);
    using watcher = events;
    zed.persona.beforeFile = async () => {
      throw RequestError.invalidParams(undefined, "outside of the workspace");
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
    await using house = await ScriptedGateway.open({ agent: scenario }, { fileReadMs: 2_000 });
    await using zed = await editor(house, "Zed");
    const { at, session, sessionId, watcher: events } = await opened(house, zed);
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
    await using house = await ScriptedGateway.open({ agent: scenario });
    await using zed = await editor(house, "Zed");
    await using emacs = await editor(house, "Emacs");
    const { at, session, sessionId, watcher: events } = await opened(house, zed);
    using watcher = events;
    zed.persona.buffers.set(at, "Zed.");
    emacs.persona.buffers.set(at, "Emacs.");
    await turn(session, watcher, "read");
    await emacs.persona.load(sessionId, house.project);
    await turn(session, watcher, "read");
    await zed.persona.prompt(sessionId, "read");
    await zed.persona[Symbol.asyncDispose]();
    await turn(session, watcher, "read");
    expect(watcher.said).toBe("Zed.Emacs.Zed.Emacs.");
  });

  test("are those of the disk after the session was closed in the editor", async () => {
    await using house = await ScriptedGateway.open({ agent: scenario });
    await using zed = await editor(house, "Zed");
    const { session, sessionId, watcher: events } = await opened(house, zed);
    using watcher = events;
    await zed.persona.agent.request("session/close", { sessionId });
    await turn(session, watcher, "read");
    expect(watcher.said).toBe("on the disk");
    expect(zed.persona.reads).toEqual([]);
  });
});
