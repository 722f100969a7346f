import { startPeerProcess } from "./peer-process.ts";
import { acpViewers, type Peer } from "./peer.ts";

/** The limit that any system in Node has: an agent's pipe to a TCP socket, and nothing done on the way. */
export const relay: Peer = {
  name: "zero-work relay",
  start: (agent) =>
    startPeerProcess("relay-process.ts", agent, (port) => ({
      viewers: (count, phases) => acpViewers({ transport: "tcp", port, path: "" }, count, phases),
    })),
};
