import { endToEnd } from "./end-to-end.ts";
import { cpuGain, extraRatio, speedRatio, type Medians, type Suite } from "./figure.ts";
import { landline } from "./peers/landline.ts";
import type { Peer } from "./peers/peer.ts";
import { sandboxAgent } from "./peers/sandbox-agent.ts";
import { seed001 } from "./peers/seed-001.ts";

/** Fewer events for many viewers, because each event costs more; figures are per event. */
const counts = new Map([
  [landline, { 10: 100_000, 100: 30_000 }],
  [seed001, { 10: 20_000, 100: 3_000 }],
  [sandboxAgent, { 10: 20_000, 100: 3_000 }],
]);
const systems = [...counts.keys()];
const others = [seed001, sandboxAgent];
type Viewers = 10 | 100;

const at = ({ name }: Peer, viewers: Viewers) => `${name}, ${viewers} viewers`;

function burst(peer: Peer, viewers: Viewers) {
  const count = counts.get(peer)?.[viewers] ?? 0;
  const load = { kind: "burst", count, blockBytes: 60_000 } as const;
  return () => endToEnd(peer, { load, viewers, warmUpCount: Math.min(20_000, count) });
}

function against(theirs: Peer, viewers: Viewers, atLeast: number) {
  const [ours, other] = [at(landline, viewers), at(theirs, viewers)];
  return [
    {
      text: `${landline.name} ÷ ${other}, events a second (target 2)`,
      value: (figures: Medians) => speedRatio(figures, ours, other),
      atLeast,
    },
    {
      text: `${other} ÷ ${landline.name}, CPU (target 2)`,
      value: (figures: Medians) => cpuGain(figures, ours, other),
      atLeast,
    },
  ];
}

export const fanOut: Suite = {
  name: "fan-out",
  about: "agent → system → many viewers of one session, at full speed",
  rounds: 3,
  peers: others.flatMap((peer) => [at(peer, 10), at(peer, 100)]),
  variants: Object.fromEntries(
    ([10, 100] as const).flatMap((viewers) =>
      systems.map((peer) => [at(peer, viewers), burst(peer, viewers)]),
    ),
  ),
  claims: [
    ...against(seed001, 10, 10),
    ...against(sandboxAgent, 10, 8),
    ...against(seed001, 100, 25),
    ...against(sandboxAgent, 100, 15),
  ],
};

const PER_SECOND = 2_000;
const SECONDS = 4;
const VIEWERS = 100;

export const loadedFanOut: Suite = {
  name: "loaded-fan-out",
  about: `${VIEWERS} viewers of one session, ${PER_SECOND} events a second for ${SECONDS} s`,
  rounds: 3,
  peers: others.map(({ name }) => name),
  variants: Object.fromEntries(
    systems.map((peer) => [
      peer.name,
      () =>
        endToEnd(peer, {
          load: { kind: "paced", count: PER_SECOND * SECONDS, perSecond: PER_SECOND },
          viewers: VIEWERS,
          warmUpCount: 1_000,
        }),
    ]),
  ),
  claims: others.map(({ name }) => ({
    text: `${landline.name} ÷ ${name}, p99 (target 4)`,
    value: (figures) => extraRatio(figures, "p99Us", landline.name, name),
    atMost: 0.1,
  })),
};
