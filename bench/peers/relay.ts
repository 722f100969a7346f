import { startPeerProcess } from "./peer-process.ts";
import { acpViewers, type Peer } from "./peer.ts";

/** The minimum cost of any system in Node: connects the agent's pipe to a TCP socket. */
export const relay: Peer = {
  name: "zero-work relay",
  start: (agent) =>
    startPeerProcess("relay-process.ts", agent, (port) => ({
      viewers: (count, phases) => acpViewers({ transport: "tcp", port, path: "" }, count, phases),
    })),
};
