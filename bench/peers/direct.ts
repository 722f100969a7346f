import { acpViewers, type Peer } from "./peer.ts";

/** No system: the viewer starts the agent itself. There is no process to measure but that of the benchmark. */
export const direct: Peer = {
  name: "agent directly",
  start: async (command) => ({
    pid: process.pid,
    open: async () => ({
      viewers: (count, phases) =>
        acpViewers({ transport: "stdio", port: 0, path: "", command }, count, phases),
    }),
    [Symbol.asyncDispose]: async () => {},
  }),
};
