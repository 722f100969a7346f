import { agentCommand } from "./child-process.ts";
import { gapsIn, measureProcess } from "./end-to-end.ts";
import { extraRatio, type Figure, type Suite } from "./figure.ts";
import { percentile, type Load } from "./load.ts";
import { landline } from "./peers/landline.ts";
import type { Peer } from "./peers/peer.ts";
import { relay } from "./peers/relay.ts";
import { sdkServer } from "./peers/sdk-server.ts";
import { stdioToWs } from "./peers/stdio-to-ws.ts";
import { Viewers } from "./viewers.ts";

/** 73 MB, as a real agent sent for half a megabyte of output. */
const toolFlood: Load = { kind: "tool-flood", count: 500, bytesEach: 145_000 };
const PER_SECOND = 200;
const SECONDS = 5;
const stream: Load = { kind: "paced", count: PER_SECOND * SECONDS, perSecond: PER_SECOND };
const peers = [relay, stdioToWs, sdkServer];

/** The latency of a session with a constant rate, while another session floods. */
async function besideFlood(peer: Peer): Promise<Figure> {
  await using running = await peer.start(agentCommand);
  await using streaming = await Viewers.attach([await running.open()], [stream]);
  await using flooding = await Viewers.attach([await running.open()], [toolFlood]);
  const streamed = streaming.go();
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const { report, cpuPerEvent } = await measureProcess(running.pid, toolFlood.count, () =>
    flooding.go(),
  );
  const { samples, ...rest } = await streamed;
  const during = samples
    .filter(([writtenUs]) => writtenUs >= report.fromUs && writtenUs <= report.toUs)
    .map(([, tookUs]) => tookUs)
    .sort((a, b) => a - b);
  return {
    cpuPerEvent,
    wallMs: report.wallMs,
    events: toolFlood.count,
    gaps: gapsIn(report, toolFlood.count) + gapsIn({ samples, ...rest }, stream.count),
    p50Us: percentile(during, 0.5),
    p99Us: percentile(during, 0.99),
  };
}

export const flood: Suite = {
  name: "flood",
  about: `p50 and p99 of a session with ${PER_SECOND} events a second, while another sends 73 MB of tool output`,
  rounds: 3,
  peers: peers.map(({ name }) => name),
  variants: Object.fromEntries(
    [landline, ...peers].map((peer) => [peer.name, () => besideFlood(peer)]),
  ),
  claims: [
    {
      text: `${landline.name} ÷ ${stdioToWs.name}, the other session's p99 (target 8)`,
      value: (figures) => extraRatio(figures, "p99Us", landline.name, stdioToWs.name),
      atMost: 0.5,
    },
  ],
};
