import { existsSync } from "node:fs";
import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { Child, freePort, untilListening } from "../child-process.ts";
import type { Load } from "../load.ts";
import { installed } from "./install.ts";
import { PeerMissing, rpc, rpcPrompt, type Peer, type PeerSession } from "./peer.ts";

/** Installs the agent where it searches for its agent "mock". */
async function placeAgent(folder: string, agent: readonly string[]): Promise<void> {
  const place = path.join(folder, "sandbox-agent", "bin", "agent_processes");
  const words = agent.map((word) => `'${word}'`).join(" ");
  await fs.mkdir(place, { recursive: true });
  await fs.writeFile(path.join(place, "mock-acp"), `#!/bin/sh\nexec ${words}\n`, { mode: 0o755 });
}

async function openSession(port: number, id: string): Promise<PeerSession> {
  const address = `http://127.0.0.1:${port}/v1/acp/${id}`;
  const post = async (body: string, query = "") => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(address + query, { method: "POST", headers, body });
    if (!response.ok) throw new Error(await response.text());
  };
  await post(rpc(1, "initialize", { protocolVersion: 1, clientCapabilities: {} }), "?agent=mock");
  await post(rpc(2, "session/new", { cwd: "/", mcpServers: [] }));
  let lastId = 10;
  return {
    viewers: (count) =>
      Array.from({ length: count }, () => ({
        transport: "sse",
        port,
        path: `/v1/acp/${id}`,
        headers: [],
        hello: [],
        ready: "\r\n\r\n",
        phases: [],
      })),
    // The answer arrives when everything was sent, which the viewers detect themselves.
    prompt: (load: Load) => void post(rpcPrompt(++lastId, "bench-session", load)).catch(() => {}),
  };
}

/** One stream of server-sent events per viewer; it drops events for slow viewers. */
export const sandboxAgent: Peer = {
  name: "sandbox-agent",
  start: async (agent) => {
    const modules = await installed("@sandbox-agent/cli", "0.4.2");
    const system = `${process.platform}-${process.arch}`;
    const binary = path.join(modules, `@sandbox-agent/cli-${system}/bin/sandbox-agent`);
    if (!existsSync(binary))
      throw new PeerMissing(`@sandbox-agent/cli has no program for ${system}.`);
    await fs.chmod(binary, 0o755);
    const folder = await fs.mkdtemp(path.join(tmpdir(), "landline-bench-"));
    await placeAgent(folder, agent);
    const port = await freePort();
    const child = new Child(
      binary,
      ["server", "--no-token", "--no-telemetry", "--port", String(port)],
      {
        stdio: ["ignore", "ignore", "ignore"],
        env: { ...process.env, XDG_DATA_HOME: folder, HOME: folder },
      },
    );
    await untilListening(child, port);
    let sessions = 0;
    return {
      pid: child.pid,
      open: () => openSession(port, `s${++sessions}`),
      [Symbol.asyncDispose]: async () => {
        await child[Symbol.asyncDispose]();
        await fs.rm(folder, { recursive: true, force: true });
      },
    };
  },
};
