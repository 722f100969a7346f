import { randomUUID } from "node:crypto";
import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { folders, serveFlags } from "../../scripts/bundle.cjs";
import { Child } from "../child-process.ts";
import type { Load } from "../load.ts";
import type { ViewerPlan } from "../viewer-plan.ts";
import { loadingAcpViewer, type Peer, type RunningPeer } from "./peer.ts";

interface Listening {
  readonly port: number;
  readonly token: string;
}

interface Attached extends Listening {
  readonly data: string;
  readonly sessionId: string;
}

/** Viewers of `landline.v1`, which batches events in frames. */
function landlineViewers(at: Attached, count: number, phases: readonly Load[]): ViewerPlan[] {
  const { sessionId } = at;
  return Array.from({ length: count }, (_, index) => ({
    ...socketOf(at, "landline.v1"),
    hello: [JSON.stringify({ id: "a", type: "attach", sessionId, after: 0 })],
    ready: '"type":"attached"',
    phases: index > 0 ? [] : phases.map((load) => prompt(sessionId, load)),
    asks: {
      find: '"kind":"ask-opened","askId":"([^"]+)"',
      answer: `{"id":"$1","type":"answer","sessionId":${JSON.stringify(sessionId)},"askId":"$1","outcome":{"outcome":"selected","optionId":"allow"}}`,
    },
  }));
}

/** Viewers of the dialect of seed 001, with one message per frame. */
function bridgeViewers(at: Attached, count: number, phases: readonly Load[]): ViewerPlan[] {
  const { sessionId } = at;
  return Array.from({ length: count }, (_, index) => ({
    ...socketOf(at, "bridge.v1"),
    hello: [JSON.stringify({ type: "load_session", sessionId })],
    ready: '"type":"session_ready"',
    phases:
      index > 0
        ? []
        : phases.map((load) =>
            JSON.stringify({ type: "send_message", sessionId, content: JSON.stringify(load) }),
          ),
  }));
}

/** An ACP client at `/acp`. */
function acpSocketViewers(at: Attached, _: number, phases: readonly Load[]): ViewerPlan[] {
  const { port, token, sessionId } = at;
  const headers = [`Authorization: Bearer ${token}`];
  return [
    loadingAcpViewer(
      { transport: "ws", port, path: "/acp?agent=load", headers },
      sessionId,
      phases,
    ),
  ];
}

/** An editor: an ACP client that starts `landline acp`. */
function editorViewers(at: Attached, _: number, phases: readonly Load[]): ViewerPlan[] {
  const { port, data, sessionId } = at;
  const options = [`--data=${data}`, "--agent=load"];
  const command = [process.execPath, path.join(bundleFolder(), "landline.js"), "acp", ...options];
  return [loadingAcpViewer({ transport: "stdio", port, path: "", command }, sessionId, phases)];
}

function socketOf({ port, token }: Listening, protocol: string) {
  return {
    transport: "ws",
    port,
    path: "/ws",
    headers: [`Sec-WebSocket-Protocol: ${protocol}, token.${token}`],
  } as const;
}

function prompt(sessionId: string, load: Load): string {
  const content = [{ type: "text", text: JSON.stringify(load) }];
  return JSON.stringify({ id: "p", type: "prompt", sessionId, promptId: randomUUID(), content });
}

function bundleFolder(): string {
  const [bundle] = folders();
  if (bundle === undefined) throw new Error("There is no bundle. Run: npm run build");
  return bundle;
}

/** Without the user's config, and without the limits on answers and on agents that the suites exceed. */
async function configFolder(folder: string): Promise<string> {
  await fs.mkdir(path.join(folder, "landline"));
  const config = { maxAgents: 1_000, limits: { socketCommandsPerMinute: 10_000_000 } };
  await fs.writeFile(path.join(folder, "landline", "config.json"), JSON.stringify(config));
  return folder;
}

/** The bundle that `npm start` runs, which `npm run bench` has built, with its own data folder. */
async function start(
  command: readonly string[],
  viewersOf: (at: Attached, count: number, phases: readonly Load[]) => ViewerPlan[],
): Promise<RunningPeer> {
  const folder = await fs.mkdtemp(path.join(tmpdir(), "landline-bench-"));
  const agent = `load=${command.map((word) => JSON.stringify(word)).join(" ")}`;
  const data = path.join(folder, "data");
  // Its output goes to a file, as for a service.
  const errors = path.join(folder, "stderr.log");
  const said = await fs.open(errors, "w");
  const child = new Child(
    process.execPath,
    [
      ...(process.env["BENCH_PROFILE"]
        ? ["--cpu-prof", "--cpu-prof-dir=.cache/bench/profiles"]
        : []),
      ...serveFlags,
      path.join(bundleFolder(), "landline.js"),
      "serve",
      "--json",
      "--port=0",
      `--data=${data}`,
      `--agent=${agent}`,
    ],
    {
      stdio: ["ignore", "pipe", said.fd],
      env: { ...process.env, XDG_CONFIG_HOME: await configFolder(folder) },
    },
  );
  const at = (await child
    .messages()()
    .catch(async (error: unknown) => {
      throw new Error(await fs.readFile(errors, "utf8"), { cause: error });
    })) as Listening;
  await said.close();
  return {
    pid: child.pid,
    open: async () => {
      const response = await fetch(`http://127.0.0.1:${at.port}/api/sessions`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${at.token}` },
        body: JSON.stringify({ agent: "load", cwd: folder }),
      });
      if (!response.ok) throw new Error(await response.text());
      const { sessionId } = (await response.json()) as { sessionId: string };
      return { viewers: (count, phases) => viewersOf({ ...at, data, sessionId }, count, phases) };
    },
    [Symbol.asyncDispose]: async () => {
      await child[Symbol.asyncDispose]();
      await fs.rm(folder, { recursive: true, force: true });
    },
  };
}

export const landline: Peer = {
  name: "landline.v1",
  start: (agent) => start(agent, landlineViewers),
};
export const bridge: Peer = { name: "bridge.v1", start: (agent) => start(agent, bridgeViewers) };
export const acpSocket: Peer = {
  name: "landline /acp",
  start: (agent) => start(agent, acpSocketViewers),
};
export const editor: Peer = {
  name: "landline acp",
  start: (agent) => start(agent, editorViewers),
};
