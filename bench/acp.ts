import { endToEnd } from "./end-to-end.ts";
import { cpuGain, extraOf, figureOf, speedRatio, type Suite } from "./figure.ts";
import { direct } from "./peers/direct.ts";
import { acpSocket, editor } from "./peers/landline.ts";
import type { Peer } from "./peers/peer.ts";
import { sdkServer } from "./peers/sdk-server.ts";
import { roundTrips } from "./round-trips.ts";

const COUNT = 100_000;
const peers = [direct, sdkServer];
const tripsOf = ({ name }: Peer) => `${name}, round trips`;

const burst = (peer: Peer) => () =>
  endToEnd(peer, { load: { kind: "burst", count: COUNT, blockBytes: 60_000 } });

export const acp: Suite = {
  name: "acp",
  about: `agent → system → 1 ACP client, ${COUNT} updates, and permission requests one at a time`,
  rounds: 3,
  peers: [...peers.map(({ name }) => name), ...peers.map(tripsOf)],
  variants: {
    ...Object.fromEntries([acpSocket, editor, ...peers].map((peer) => [peer.name, burst(peer)])),
    ...Object.fromEntries(
      [acpSocket, editor, ...peers].map((peer) => [tripsOf(peer), () => roundTrips(peer, 1)]),
    ),
  },
  claims: [
    {
      text: `${acpSocket.name} ÷ ${sdkServer.name}, updates a second`,
      value: (figures) => speedRatio(figures, acpSocket.name, sdkServer.name),
      atLeast: 2,
    },
    {
      text: `${sdkServer.name} ÷ ${acpSocket.name}, CPU`,
      value: (figures) => cpuGain(figures, acpSocket.name, sdkServer.name),
      atLeast: 2,
    },
    {
      text: `${editor.name}, updates a second`,
      value: (figures) => {
        const { events, wallMs } = figureOf(figures, editor.name);
        return (events * 1_000) / wallMs;
      },
      atLeast: 20_000,
    },
    {
      text: `${editor.name} − ${direct.name}, round trip p50, µs`,
      value: (figures) =>
        extraOf(figures, "p50Us", tripsOf(editor)) - extraOf(figures, "p50Us", tripsOf(direct)),
      atMost: 1_500,
    },
  ],
};
