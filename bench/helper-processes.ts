import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import * as path from "node:path";
import type { Readable, Writable } from "node:stream";
import type { Figure } from "./figure.ts";

function start(file: string, ...args: string[]) {
  const script = path.join(import.meta.dirname, file);
  return spawn(
    process.execPath,
    ["--conditions=@landline/source", "--expose-gc", script, ...args],
    {
      stdio: ["pipe", "pipe", "inherit"],
    },
  );
}

/** The load agent, ready to write; `go` starts it. */
export async function startLoadAgent(
  ...args: string[]
): Promise<{ agent: ChildProcessByStdio<Writable, Readable, null>; go: () => void }> {
  const agent = start("pipe-load-agent.ts", ...args);
  // Its first byte, an empty line, means that it is ready.
  await once(agent.stdout, "readable");
  return { agent, go: () => agent.stdin.write("\n") };
}

/** A client in a separate process that reads lines of the log and checks their numbers. */
export async function startCountingClient(): Promise<{
  socket: Socket;
  counted: Promise<{ events: number; gaps: number }>;
}> {
  const client = start("counting-client.ts");
  const said: Record<string, number>[] = [];
  const more = new EventTarget();
  let text = "";
  client.stdout.on("data", (chunk: Buffer) => {
    text += chunk.toString();
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    said.push(...lines.map((line) => JSON.parse(line) as Record<string, number>));
    more.dispatchEvent(new Event("line"));
  });
  const line = async (index: number) => {
    while (said.length <= index) await once(more, "line");
    return said[index] ?? {};
  };
  const socket = connect((await line(0))["port"] ?? 0, "127.0.0.1");
  await once(socket, "connect");
  return {
    socket,
    counted: line(1).then(({ events = 0, gaps = 0 }) => ({ events, gaps })),
  };
}

/** Runs one variant in a separate process, so that other runs do not affect it. */
export async function measureInChild(
  suite: string,
  variant: string,
  context: string,
): Promise<Figure> {
  const child = start("run-variant.ts", suite, variant, context);
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, "close")) as [number];
  if (code !== 0)
    throw new Error(`The measured process of ${suite}, ${variant}, ended with ${code}.`);
  return JSON.parse(output) as Figure;
}
