import { startPeerProcess } from "./peer-process.ts";
import { acpViewers, type Peer } from "./peer.ts";

/** The ACP SDK's own server, one agent a connection, its messages passed on as they are. */
export const sdkServer: Peer = {
  name: "SDK AcpServer",
  start: (agent) =>
    startPeerProcess("sdk-server-process.ts", agent, (port) => ({
      viewers: (count, phases) =>
        acpViewers({ transport: "ws", port, path: "/acp" }, count, phases),
    })),
};
