import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { Readable, Writable } from "node:stream";
import { ndJsonStream } from "@agentclientprotocol/sdk";
import { Persona } from "@landline/testing";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Home } from "./landline.ts";

let home: Home;
beforeEach(async () => {
  home = await Home.make();
});
afterEach(async () => {
  const gateway = (await home.gatewayFile()) as { readonly pid: number } | null;
  if (gateway) process.kill(gateway.pid, "SIGTERM");
  await home[Symbol.asyncDispose]();
});

interface Started {
  readonly command: string;
  readonly args: readonly string[];
}

const name = "Landline (scripted)";

const inJson = (text: string): Started =>
  (JSON.parse(text) as { agent_servers: Record<string, Started> }).agent_servers[name]!;

/** The strings of Lua or Emacs Lisp that follow a mark. Brackets must be balanced outside of strings. */
function strings(text: string, after: string): string[] {
  const plain = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
  for (const pair of ["()", "{}", "[]"]) {
    const count = (character: string | undefined) => plain.split(character ?? "").length;
    expect([pair, count(pair[0])]).toEqual([pair, count(pair[1])]);
  }
  const rest = text.slice(text.indexOf(after) + after.length);
  const list = rest.slice(0, rest.search(/[})]/));
  return [...list.matchAll(/"(?:[^"\\]|\\.)*"/g)].map(([one]) => JSON.parse(one) as string);
}

const commandIn = {
  zed: inJson,
  jetbrains: inJson,
  codecompanion: (text: string) => asStarted(strings(text, "default = {")),
  avante: (text: string) => asStarted(strings(text, "command =").concat(strings(text, "args = {"))),
  emacs: (text: string) => asStarted(strings(text, ":command ")),
} satisfies Record<string, (text: string) => Started>;

/** The first string is the command. In Avante's settings it comes again with the arguments, which end the list. */
function asStarted([command = "", ...args]: string[]): Started {
  return { command, args: [...new Set(args)] };
}

it.each(Object.keys(commandIn) as (keyof typeof commandIn)[])(
  "prints settings for %s whose command works from any folder",
  async (editor) => {
    const printed = await home.landline("acp", "--agent", "scripted", "--print-config", editor);
    expect(printed).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("Add it to") as string,
    });
    const { command, args } = commandIn[editor](printed.stdout);
    expect([command, args[0]].every((file) => path.isAbsolute(file ?? ""))).toBe(true);
    expect(args.slice(1)).toEqual(["acp", "--agent", "scripted"]);
    const elsewhere = await mkdtemp(path.join(tmpdir(), "landline-editor-"));
    const child = spawn(command, [...args], {
      cwd: elsewhere,
      // An editor may not have the PATH of the shell.
      env: { ...home.environment, PATH: "/usr/bin:/bin" },
      stdio: ["pipe", "pipe", "ignore"],
    });
    const persona = new Persona("full");
    persona.connect(
      ndJsonStream(
        Writable.toWeb(child.stdin),
        Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
      ),
    );
    const { agentInfo } = await persona.initialize();
    expect(agentInfo?.name).toBe("landline/scripted");
    child.stdin.end();
    await once(child, "close");
    await rm(elsewhere, { recursive: true });
  },
);

it("refuses an editor that it does not know", async () => {
  const wrong = await home.landline("acp", "--print-config", "ed");
  expect(wrong.code).not.toBe(0);
  expect(wrong.stderr).toContain("zed");
});
