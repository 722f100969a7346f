import { endToEnd } from "./end-to-end.ts";
import { extraOf, extraRatio, type Medians, type Suite } from "./figure.ts";
import { landline } from "./peers/landline.ts";
import type { Peer } from "./peers/peer.ts";
import { relay } from "./peers/relay.ts";
import { sandboxAgent } from "./peers/sandbox-agent.ts";
import { sdkServer } from "./peers/sdk-server.ts";
import { seed001 } from "./peers/seed-001.ts";
import { stdioToWs } from "./peers/stdio-to-ws.ts";

const PER_SECOND = 200;
const SECONDS = 4;
const peers = [relay, stdioToWs, sdkServer, seed001, sandboxAgent];

/** The latency that a system adds to the minimum: the same agent and viewer with a relay between them. */
function added(figures: Medians, { name }: Peer): number {
  return extraOf(figures, "p50Us", name) - extraOf(figures, "p50Us", relay.name);
}

export const latency: Suite = {
  name: "latency",
  about: `from the agent's write to the viewer, ${PER_SECOND} events a second for ${SECONDS} s`,
  rounds: 3,
  peers: peers.map(({ name }) => name),
  variants: Object.fromEntries(
    [landline, ...peers].map((peer) => [
      peer.name,
      () =>
        endToEnd(peer, {
          load: { kind: "paced", count: PER_SECOND * SECONDS, perSecond: PER_SECOND },
        }),
    ]),
  ),
  claims: [
    {
      text: `${landline.name}, added p50 over the relay, µs`,
      value: (figures) => added(figures, landline),
    },
    {
      text: `${landline.name} ÷ ${stdioToWs.name}, added p50 (target 3)`,
      value: (figures) => added(figures, landline) / added(figures, stdioToWs),
      atMost: 0.6,
    },
    {
      text: `${landline.name} ÷ ${sdkServer.name}, added p50 (target 3)`,
      value: (figures) => added(figures, landline) / added(figures, sdkServer),
      atMost: 0.9,
    },
    {
      text: `${landline.name} ÷ ${relay.name}, p99 (target 3)`,
      value: (figures) => extraRatio(figures, "p99Us", landline.name, relay.name),
      atMost: 2.5,
    },
  ],
};
