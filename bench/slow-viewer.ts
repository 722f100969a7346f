import { endToEnd } from "./end-to-end.ts";
import { extraOf, extraRatio, figureOf, speedRatio, type Suite } from "./figure.ts";
import { landline } from "./peers/landline.ts";
import type { Peer } from "./peers/peer.ts";
import { seed001 } from "./peers/seed-001.ts";
import { barePipe } from "./pipe.ts";

const COUNT = 200_000;
const LIMIT = "bare pipe + JSON.parse";
const ALL = "landline.v1, both read";
const STALLED = "landline.v1, one stops";
const SHORTER = `landline.v1, one stops, ${COUNT / 2} events`;
const SEED = "seed 001's sample, one stops";

const run = (peer: Peer, stalled: number, count = COUNT) =>
  endToEnd(peer, { load: { kind: "burst", count, blockBytes: 60_000 }, viewers: 2, stalled });

export const slowViewer: Suite = {
  name: "slow-viewer",
  about: `two viewers of one session, ${COUNT} events; one stops reading, and resumes when the other has everything`,
  rounds: 3,
  peers: [SEED],
  variants: {
    [LIMIT]: () => barePipe(COUNT, "lines", String(COUNT), "plain", "60000"),
    [ALL]: () => run(landline, 0),
    [STALLED]: () => run(landline, 1),
    [SHORTER]: () => run(landline, 1, COUNT / 2),
    [SEED]: () => run(seed001, 1),
  },
  claims: [
    {
      text: "growth of memory, ours ÷ seed 001's (target 7)",
      value: (figures) => extraRatio(figures, "memoryMb", STALLED, SEED),
      atMost: 0.4,
    },
    {
      text: "growth of memory that the stop causes, MB",
      value: (figures) => extraOf(figures, "memoryMb", STALLED) - extraOf(figures, "memoryMb", ALL),
    },
    {
      text: `growth of memory by ${COUNT / 2} more events, MB`,
      value: (figures) =>
        extraOf(figures, "memoryMb", STALLED) - extraOf(figures, "memoryMb", SHORTER),
    },
    {
      text: "the other viewer's events a second ÷ when both read (target 7)",
      value: (figures) => speedRatio(figures, STALLED, ALL),
      atLeast: 0.9,
    },
    {
      text: "catching up ÷ JSON.parse limit, events a second (target 7)",
      value: (figures) => figureOf(figures, LIMIT).wallMs / extraOf(figures, "resumeMs", STALLED),
      atLeast: 1,
    },
  ],
};
