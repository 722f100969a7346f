import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { ndJsonStream } from "@agentclientprotocol/sdk";
import type { SessionEvent } from "@landline/protocol";
import { Persona } from "@landline/testing";
import { afterEach, beforeEach, expect, it } from "vitest";
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

/** An editor that starts `landline acp`. */
async function editor(...args: string[]): Promise<{ persona: Persona; running: Running }> {
  const running = home.start(["acp", ...args]);
  const persona = new Persona("full", { savesFiles: false });
  persona.info = { name: "test-editor", title: "Test Editor", version: "1" };
  persona.connect(
    ndJsonStream(
      Writable.toWeb(running.child.stdin),
      Readable.toWeb(running.child.stdout) as ReadableStream<Uint8Array>,
    ),
  );
  await persona.initialize();
  return { persona, running };
}

it("starts a gateway that outlives the editor, and finds it the next time", async () => {
  const first = await editor();
  const { sessionId } = await first.persona.open(home.folder);
  await first.persona.prompt(sessionId, "hello");
  first.running.child.stdin.end();
  await once(first.running.child, "close");
  expect(first.running.child.exitCode).toBe(0);
  const gateway = await home.gatewayFile();
  expect(gateway).toMatchObject({ pid: expect.any(Number) });

  const second = await editor("--agent", "scripted");
  expect(await home.gatewayFile()).toEqual(gateway);
  const { sessions } = await second.persona.agent.request("session/list", {});
  expect(sessions).toMatchObject([{ sessionId, cwd: home.folder }]);
  await second.persona.load(sessionId, home.folder);
  expect(second.persona.wire.updates(sessionId).slice(-2)).toMatchObject([
    { sessionUpdate: "agent_message_chunk", content: { text: "Hello " } },
    { sessionUpdate: "agent_message_chunk", content: { text: "yourself." } },
  ]);
  second.running.child.stdin.end();
  await once(second.running.child, "close");
});

it("lets the agent use the editor's unsaved text and its terminals", async () => {
  const notes = join(home.folder, "notes.txt");
  await writeFile(notes, "on the disk");
  const { persona, running } = await editor();
  persona.buffers.set(notes, "not saved");
  const { sessionId } = await persona.open(home.folder);
  expect(await persona.prompt(sessionId, "edit")).toMatchObject({ stopReason: "end_turn" });
  expect(persona.buffers.get(notes)).toBe("not saved, edited");
  expect(await readFile(notes, "utf8")).toBe("on the disk");
  expect(persona.terminals.created).toMatchObject([{ command: "echo", args: ["ran"] }]);
  running.child.stdin.end();
  await once(running.child, "close");
  const { stdout } = await home.landline("export", sessionId, "--format", "json");
  const { events } = JSON.parse(stdout) as { readonly events: readonly SessionEvent[] };
  const places = events.flatMap((event) => ("editor" in event ? [[event.kind, event.editor]] : []));
  expect(places).toEqual([
    ["file-read", "Test Editor"],
    ["file-written", "Test Editor"],
    ["terminal-opened", "Test Editor"],
  ]);
});

it("uses a gateway by its link", async () => {
  const { url, token } = await home.serve();
  const { persona, running } = await editor("--gateway", `${url}/#token=${token}`);
  const { sessionId } = await persona.open(home.folder);
  expect(await persona.prompt(sessionId, "hello")).toMatchObject({ stopReason: "end_turn" });
  running.child.stdin.end();
  await once(running.child, "close");
});

it("reports why it can't connect", async () => {
  const { url } = await home.serve();
  const wrong = await home.landline("acp", "--gateway", `${url}/#token=wrong`);
  expect(wrong.code).not.toBe(0);
  expect(wrong.stdout).toBe("");
  expect(wrong.stderr).toMatch(/token/i);
  const missing = await home.landline("acp", "--agent", "nobody");
  expect(missing.code).not.toBe(0);
  expect(missing.stderr).toContain("nobody");
});
