import { memoryMbOf, untilQuiet } from "./child-process.ts";
import { gapsIn, laterCpu, measureProcess } from "./end-to-end.ts";
import { cpuRatio, extraRatio, type Figure, type Suite } from "./figure.ts";
import { startFifoAgents } from "./fifo-agents.ts";
import type { Load } from "./load.ts";
import { landline } from "./peers/landline.ts";
import type { Peer, PeerSession } from "./peers/peer.ts";
import { stdioToWs } from "./peers/stdio-to-ws.ts";
import { Viewers } from "./viewers.ts";

const SESSIONS = 200;
const PER_SECOND = 100;
const SECONDS = 4;
const load: Load = { kind: "paced", count: PER_SECOND * SECONDS, perSecond: PER_SECOND };

/** Many sessions, each with its own agent and viewer, all at a constant rate. */
async function manySessions(peer: Peer): Promise<Figure> {
  await using agents = await startFifoAgents();
  await using running = await peer.start(agents.agent);
  const memoryBefore = memoryMbOf(running.pid);
  const sessions: PeerSession[] = [];
  for (let count = 0; count < SESSIONS; count++) sessions.push(await running.open());
  await using viewers = await Viewers.attach(sessions, [load]);
  await untilQuiet(running.pid);
  const memoryMb = memoryMbOf(running.pid) - memoryBefore;
  const events = SESSIONS * load.count;
  const { report, cpuPerEvent } = await measureProcess(running.pid, events, () => viewers.go());
  return {
    cpuPerEvent,
    laterCpuPerEvent: await laterCpu(running.pid, events),
    wallMs: report.wallMs,
    events,
    gaps: gapsIn(report, events),
    p50Us: report.p50Us,
    p99Us: report.p99Us,
    memoryMb,
  };
}

export const capacity: Suite = {
  name: "capacity",
  about: `${SESSIONS} sessions, each with an agent of ${PER_SECOND} events a second and one viewer, for ${SECONDS} s; memory is that of all sessions before the first event`,
  rounds: 3,
  peers: [stdioToWs.name],
  variants: Object.fromEntries(
    [landline, stdioToWs].map((peer) => [peer.name, () => manySessions(peer)]),
  ),
  claims: [
    {
      text: `${landline.name} ÷ ${stdioToWs.name}, CPU (target 10)`,
      value: (figures) => cpuRatio(figures, landline.name, stdioToWs.name),
      atMost: 0.9,
    },
    {
      text: `${landline.name} ÷ ${stdioToWs.name}, p99 (target 10)`,
      value: (figures) => extraRatio(figures, "p99Us", landline.name, stdioToWs.name),
      atMost: 0.2,
    },
  ],
};
