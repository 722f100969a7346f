import { endToEnd } from "./end-to-end.ts";
import { cpuGain, figureOf, speedRatio, type Medians, type Suite } from "./figure.ts";
import { bridge, landline } from "./peers/landline.ts";
import type { Peer } from "./peers/peer.ts";
import { sandboxAgent } from "./peers/sandbox-agent.ts";
import { sdkServer } from "./peers/sdk-server.ts";
import { seed001 } from "./peers/seed-001.ts";
import { stdioToWs } from "./peers/stdio-to-ws.ts";
import { barePipe } from "./pipe.ts";

const COUNT = 100_000;
const LIMIT = "bare pipe + JSON.parse";
const peers = [stdioToWs, sdkServer, seed001, sandboxAgent];
const singly = ({ name }: Peer) => `${name}, one write per line`;

const burst = (peer: Peer) => () =>
  endToEnd(peer, { load: { kind: "burst", count: COUNT, blockBytes: 60_000 } });
const single = (peer: Peer) => () =>
  endToEnd(peer, { load: { kind: "burst", count: COUNT, blockBytes: 1 } });

function against(ours: string, theirs: string, atLeast: number) {
  return [
    {
      text: `${ours} ÷ ${theirs}, events a second (target 1)`,
      value: (figures: Medians) => speedRatio(figures, ours, theirs),
      atLeast,
    },
    {
      text: `${theirs} ÷ ${ours}, CPU (target 1)`,
      value: (figures: Medians) => cpuGain(figures, ours, theirs),
      atLeast,
    },
  ];
}

export const throughput: Suite = {
  name: "throughput",
  about: `agent → system → 1 viewer over a socket, ${COUNT} events; ours with its durable log`,
  rounds: 3,
  peers: [...peers.map(({ name }) => name), singly(stdioToWs)],
  variants: {
    [LIMIT]: () => barePipe(COUNT, "lines", String(COUNT), "plain", "60000"),
    [landline.name]: burst(landline),
    [bridge.name]: burst(bridge),
    ...Object.fromEntries(peers.map((peer) => [peer.name, burst(peer)])),
    [singly(landline)]: single(landline),
    [singly(stdioToWs)]: single(stdioToWs),
  },
  claims: [
    ...against(landline.name, stdioToWs.name, 6),
    ...against(landline.name, sdkServer.name, 4),
    ...against(singly(landline), singly(stdioToWs), 4),
    {
      text: `${landline.name} ÷ JSON.parse limit, events a second (target 1)`,
      value: (figures) => speedRatio(figures, landline.name, LIMIT),
      atLeast: 0.35,
    },
    {
      text: `JSON.parse limit ÷ ${landline.name}, CPU (target 1)`,
      value: (figures) => cpuGain(figures, landline.name, LIMIT),
      atLeast: 0.35,
    },
    ...against(bridge.name, stdioToWs.name, 6).map(({ text, value }) => ({ text, value })),
    {
      text: "sandbox-agent, events that it lost",
      value: (figures) => figureOf(figures, sandboxAgent.name).gaps,
    },
  ],
};
