import { benchFile, Child, source } from "../child.ts";
import type { PeerSession, RunningPeer } from "./peer.ts";

/** A peer of a few lines in this folder, which gets the agent as its arguments and says its port as its first line. */
export async function startOwnProcess(
  file: string,
  agent: readonly string[],
  session: (port: number) => PeerSession,
): Promise<RunningPeer> {
  const child = new Child(process.execPath, [source, benchFile(`peers/${file}`), ...agent], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { port } = (await child.messages()()) as { port: number };
  return {
    pid: child.pid,
    open: async () => session(port),
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}
