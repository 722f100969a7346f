import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { endToEnd } from "./end-to-end.ts";
import { extraRatio, speedRatio, type Figure, type Suite } from "./figure.ts";
import type { RoundTrips } from "./load.ts";
import { landline } from "./peers/landline.ts";
import type { Peer } from "./peers/peer.ts";
import { sdkServer } from "./peers/sdk-server.ts";
import { stdioToWs } from "./peers/stdio-to-ws.ts";

const COUNT = 3_000;
const peers = [stdioToWs, sdkServer];

/** The agent asks for permission, the viewer grants it, and the agent measures the time. */
export async function roundTrips(peer: Peer, window: number): Promise<Figure> {
  const folder = await fs.mkdtemp(path.join(tmpdir(), "landline-bench-"));
  try {
    const report = path.join(folder, "round-trips.json");
    const figure = await endToEnd(peer, { load: { kind: "asks", count: COUNT, window, report } });
    const trips = JSON.parse(await fs.readFile(report, "utf8")) as RoundTrips;
    return {
      ...trips,
      events: COUNT,
      gaps: figure.gaps,
      cpuPerEvent: figure.cpuPerEvent / COUNT,
      laterCpuPerEvent: (figure.laterCpuPerEvent ?? 0) / COUNT,
    };
  } finally {
    await fs.rm(folder, { recursive: true, force: true });
  }
}

const at = ({ name }: Peer, window: number) => `${name}, ${window} at a time`;

export const trips: Suite = {
  name: "round-trips",
  about: `agent → system → viewer → system → agent: ${COUNT} permission requests; Landline stores them in its log`,
  rounds: 3,
  peers: peers.flatMap((peer) => [at(peer, 1), at(peer, 32)]),
  variants: Object.fromEntries(
    [1, 32].flatMap((window) =>
      [landline, ...peers].map((peer) => [at(peer, window), () => roundTrips(peer, window)]),
    ),
  ),
  claims: [
    {
      text: `${at(landline, 1)} ÷ ${stdioToWs.name}, p50 (target 9)`,
      value: (figures) => extraRatio(figures, "p50Us", at(landline, 1), at(stdioToWs, 1)),
      atMost: 0.75,
    },
    {
      text: `${at(landline, 32)} ÷ ${sdkServer.name}, asks a second (target 9)`,
      value: (figures) => speedRatio(figures, at(landline, 32), at(sdkServer, 32)),
      atLeast: 2,
    },
  ],
};
