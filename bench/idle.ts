import { once } from "node:events";
import { agentCommand, Child, memoryMbOf, untilQuiet } from "./child-process.ts";
import { extraOf, extraRatio, figureOf, type Figure, type Suite } from "./figure.ts";
import { startFifoAgents } from "./fifo-agents.ts";
import { landline } from "./peers/landline.ts";
import type { Peer, PeerSession } from "./peers/peer.ts";
import { relay } from "./peers/relay.ts";
import { Viewers } from "./viewers.ts";

const VIEWERS = 500;
const AGENTS = 50;
const NODE = "node -e 0";
const PER_VIEWER = `landline.v1, per viewer of ${VIEWERS}`;
const PER_AGENT = `landline.v1, per agent of ${AGENTS}`;

async function bareNode(): Promise<Figure> {
  // The first start is not measured, as with the systems below.
  await once(new Child(process.execPath, ["-e", "0"], { stdio: "ignore" }).process, "exit");
  const startedAt = performance.now();
  const child = new Child(process.execPath, ["-e", "0"], { stdio: "ignore" });
  await once(child.process, "exit");
  return { cpuPerEvent: 0, wallMs: performance.now() - startedAt, events: 1, gaps: 0 };
}

/**
 * The time from the start until it listens, and the idle memory. The first start is not measured, because it writes
 * compiled code for later starts.
 */
async function started(peer: Peer): Promise<Figure> {
  await (await peer.start(agentCommand))[Symbol.asyncDispose]();
  const startedAt = performance.now();
  await using running = await peer.start(agentCommand);
  const wallMs = performance.now() - startedAt;
  await untilQuiet(running.pid);
  return { cpuPerEvent: 0, wallMs, events: 1, gaps: 0, memoryMb: memoryMbOf(running.pid) };
}

async function perViewer(): Promise<Figure> {
  await using running = await landline.start(agentCommand);
  const session = await running.open();
  // The first viewers load code and grow the heap: a bare `ws` server takes 55 KB for each of its first 500 clients,
  // and 5 KB for each later one.
  await using _first = await Viewers.attach([session], [], { viewers: VIEWERS });
  await untilQuiet(running.pid);
  const before = memoryMbOf(running.pid);
  const startedAt = performance.now();
  await using _viewers = await Viewers.attach([session], [], { viewers: VIEWERS });
  const wallMs = performance.now() - startedAt;
  await untilQuiet(running.pid);
  const memoryMb = (memoryMbOf(running.pid) - before) / VIEWERS;
  return { cpuPerEvent: 0, wallMs, events: VIEWERS, gaps: 0, memoryMb };
}

async function perAgent(): Promise<Figure> {
  await using agents = await startFifoAgents();
  await using running = await landline.start(agents.agent);
  const sessions: PeerSession[] = [];
  const open = async (count: number) => {
    for (let opened = 0; opened < count; opened++) sessions.push(await running.open());
    await untilQuiet(running.pid);
    return memoryMbOf(running.pid);
  };
  const before = await open(10);
  const startedAt = performance.now();
  const memoryMb = ((await open(AGENTS)) - before) / AGENTS;
  return {
    cpuPerEvent: 0,
    wallMs: performance.now() - startedAt,
    events: AGENTS,
    gaps: 0,
    memoryMb,
  };
}

const KB_PER_MB = 1_024;

export const idle: Suite = {
  name: "idle",
  about: "start time and idle memory",
  rounds: 3,
  peers: [],
  variants: {
    [NODE]: bareNode,
    [relay.name]: () => started(relay),
    [landline.name]: () => started(landline),
    [PER_VIEWER]: perViewer,
    [PER_AGENT]: perAgent,
  },
  claims: [
    {
      text: `${landline.name} ÷ ${relay.name}, memory (target 10)`,
      value: (figures) => extraRatio(figures, "memoryMb", landline.name, relay.name),
      atMost: 1.4,
    },
    {
      text: "KB per viewer (target 10)",
      value: (figures) => extraOf(figures, "memoryMb", PER_VIEWER) * KB_PER_MB,
      atMost: 15,
    },
    {
      text: "KB per agent (target 10)",
      value: (figures) => extraOf(figures, "memoryMb", PER_AGENT) * KB_PER_MB,
      atMost: 60,
    },
    {
      text: `start to listening ÷ ${NODE} (target 10)`,
      value: (figures) => figureOf(figures, landline.name).wallMs / figureOf(figures, NODE).wallMs,
      atMost: 1.7,
    },
  ],
};
