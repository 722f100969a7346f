import { startPeerProcess } from "./peer-process.ts";
import { acpViewers, type Peer } from "./peer.ts";

/** The server of the ACP SDK: one agent per connection, messages forwarded unchanged. */
export const sdkServer: Peer = {
  name: "SDK AcpServer",
  start: (agent) =>
    startPeerProcess("sdk-server-process.ts", agent, (port) => ({
      viewers: (count, phases) =>
        acpViewers({ transport: "ws", port, path: "/acp" }, count, phases),
    })),
};
