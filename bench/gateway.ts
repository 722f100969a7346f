import { spawn } from "node:child_process";
import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { createInterface } from "node:readline";
import { limitsOf } from "@landline/protocol";
import type { Gateway } from "../packages/gateway/src/gateway-options.ts";
import { startGateway } from "../packages/gateway/src/gateway.ts";
import type { Session } from "../packages/gateway/src/sessions/sessions.ts";
import { cpuRatio, speedRatio, startMeter, type Figure, type Suite } from "./figure.ts";
import { barePipe } from "./pipe.ts";

const COUNT = 100_000;
const source = "--conditions=@landline/source";
const here = (file: string) => path.join(import.meta.dirname, file);

interface Opened extends AsyncDisposable {
  readonly gateway: Gateway;
  readonly session: Session;
}

/** A gateway as people run it, with a session of the load agent in it. */
async function openGateway(load: readonly string[]): Promise<Opened> {
  const folder = await fs.mkdtemp(path.join(tmpdir(), "landline-bench-"));
  const gateway = await startGateway({
    dataFolder: path.join(folder, "data"),
    host: "127.0.0.1",
    port: 0,
    agents: [
      { id: "load", command: process.execPath, args: [source, here("acp-load-agent.ts"), ...load] },
    ],
    agentFlags: [],
    defaultAgent: null,
    policy: {},
    projects: [],
    profile: "default",
    limits: limitsOf("default"),
    durability: "process",
    retention: {},
    resumeQueue: false,
    address: { basePath: "", hosts: [], origins: [] },
    publicUrl: null,
    logLevel: "error",
    token: null,
  });
  const session = await gateway.sessions.open({ agent: "load", cwd: folder, by: "bench" });
  return {
    gateway,
    session,
    [Symbol.asyncDispose]: async () => {
      await gateway.close();
      await fs.rm(folder, { recursive: true, force: true });
    },
  };
}

/** Agent process → gateway with its durable log → viewers over WebSocket. */
async function throughGateway(viewers: number, ...load: string[]): Promise<Figure> {
  await using opened = await openGateway(load);
  // What is there before the flood, the prompt and the turn's start, and the flood.
  const before = opened.session.log.head;
  const last = before + 2 + COUNT;
  const watching = attachViewers(opened, viewers, last);
  await watching.attached;
  const meter = startMeter();
  await opened.session.prompt("bench", [{ type: "text", text: "go" }], "bench");
  const counted = await watching.counted;
  return meter.stop(
    COUNT,
    counted.reduce((sum, { events, gaps }) => sum + gaps + Math.max(0, last - events), 0),
  );
}

/** Viewers in processes of their own: when all are attached, and what each has counted in the end. */
function attachViewers(opened: Opened, count: number, last: number) {
  const attached = Promise.withResolvers<void>();
  let waiting = count;
  const counted = Promise.all(
    Array.from({ length: count }, async () => {
      const child = spawn(
        process.execPath,
        [
          source,
          here("viewer.ts"),
          String(opened.gateway.port),
          opened.gateway.token,
          opened.session.id,
          String(last),
        ],
        { stdio: ["ignore", "pipe", "inherit"] },
      );
      const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
      await lines.next();
      if (--waiting === 0) attached.resolve();
      return JSON.parse(String((await lines.next()).value)) as { events: number; gaps: number };
    }),
  );
  return { attached: attached.promise, counted };
}
const burst = [String(COUNT), "plain", "60000"];
const single = [String(COUNT), "plain", "1"];

export const wholeGateway: Suite = {
  name: "gateway",
  about: `agent → gateway → viewer over WebSocket, ${COUNT} events, durable log`,
  variants: {
    "bare pipe + JSON.parse": () => barePipe(COUNT, "lines", ...burst),
    "gateway, 1 viewer": () => throughGateway(1, ...burst),
    "gateway, 10 viewers": () => throughGateway(10, ...burst),
    "gateway, 1 viewer, a write a line": () => throughGateway(1, ...single),
  },
  claims: [
    {
      text: "gateway ÷ JSON.parse limit, events a second (target 1)",
      value: (figures) => speedRatio(figures, "gateway, 1 viewer", "bare pipe + JSON.parse"),
      atLeast: 0.35,
    },
    {
      text: "gateway ÷ bare pipe, CPU",
      value: (figures) => cpuRatio(figures, "gateway, 1 viewer", "bare pipe + JSON.parse"),
    },
  ],
};
