import type { Load } from "../load.ts";
import { startPeerProcess } from "./peer-process.ts";
import type { Peer } from "./peer.ts";

function message(load: Load): string {
  return JSON.stringify({
    type: "send_message",
    sessionId: "bench-session",
    content: JSON.stringify(load),
  });
}

/**
 * The sample in section 7.5 of seed 001: every viewer receives every event, parsed, translated and serialized again.
 */
export const seed001: Peer = {
  name: "seed 001's sample",
  start: (agent) =>
    startPeerProcess("seed-001-process.ts", agent, (port) => ({
      viewers: (count, phases) =>
        Array.from({ length: count }, (_, index) => ({
          transport: "ws",
          port,
          path: "/",
          headers: [],
          hello: [],
          ready: "HTTP/1.1 101",
          phases: index > 0 ? [] : phases.map(message),
        })),
    })),
};
