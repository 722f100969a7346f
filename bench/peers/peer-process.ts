import * as path from "node:path";
import { build } from "rolldown";
import { benchFile, Child } from "../child-process.ts";
import type { PeerSession, RunningPeer } from "./peer.ts";

const built = new Map<string, Promise<unknown>>();

/**
 * A small peer in this folder, which receives the agent as its arguments and prints its port as its first line. It is
 * bundled like the gateway, because Node's type stripping would take a third of its memory.
 */
export async function startPeerProcess(
  file: string,
  agent: readonly string[],
  session: (port: number) => PeerSession,
): Promise<RunningPeer> {
  const script = benchFile(`../.cache/bench/own/${path.basename(file, ".ts")}.cjs`);
  if (!built.has(file)) built.set(file, buildPeer(benchFile(`peers/${file}`), script));
  await built.get(file);
  const child = new Child(process.execPath, [script, ...agent], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { port } = (await child.messages()()) as { port: number };
  return {
    pid: child.pid,
    open: async () => session(port),
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}

function buildPeer(input: string, script: string): Promise<unknown> {
  return build({
    input,
    platform: "node",
    resolve: { conditionNames: ["@landline/source", "node", "import", "default"] },
    output: { file: script, format: "cjs" },
  });
}
