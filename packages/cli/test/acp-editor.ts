import { once } from "node:events";
import { Readable, Writable } from "node:stream";
import { ndJsonStream } from "@agentclientprotocol/sdk";
import { Persona, type WireMessage } from "@landline/testing";
import { expect } from "vitest";
import type { Home, Running } from "./landline.ts";

/** An editor with `landline acp` as its agent. */
export interface Editor {
  readonly persona: Persona;
  readonly running: Running;
}

export function connected(running: Running, persona: Persona): Editor {
  persona.connect(
    ndJsonStream(
      Writable.toWeb(running.child.stdin),
      Readable.toWeb(running.child.stdout) as ReadableStream<Uint8Array>,
    ),
  );
  return { persona, running };
}

export async function startEditor(
  home: Home,
  persona: Persona,
  ...args: string[]
): Promise<Editor> {
  const editor = connected(home.start(["acp", ...args]), persona);
  await persona.initialize();
  return editor;
}

export async function leave({ running }: Editor): Promise<void> {
  running.child.stdin.end();
  await once(running.child, "close");
  expect(running.child.exitCode).toBe(0);
}

/** A client that leaves permission requests open. */
export const silent = () => new Persona("full", { permission: "never" });

export const asks = ({ method }: WireMessage["message"]) => method === "session/request_permission";

export const cancels = ({ method }: WireMessage["message"]) => method === "$/cancel_request";

export const says =
  (words: string) =>
  (message: WireMessage["message"]): boolean =>
    JSON.stringify(message).includes(words);

/** The number of messages to the editor that fit. */
export function count(
  { wire }: Persona,
  fits: (message: WireMessage["message"]) => boolean,
): number {
  return wire.messages.filter(({ from, message }) => from === "agent" && fits(message)).length;
}
