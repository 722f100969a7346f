import * as path from "node:path";
import { Child, freePort, untilListening } from "../child-process.ts";
import { installed } from "./install.ts";
import { acpViewers, type Peer } from "./peer.ts";

/** One agent per socket, no fan-out, no log. Its output is discarded. */
export const stdioToWs: Peer = {
  name: "stdio-to-ws",
  start: async (agent) => {
    const modules = await installed("stdio-to-ws", "0.2.0");
    const port = await freePort();
    const child = new Child(
      process.execPath,
      [
        path.join(modules, "stdio-to-ws", "dist", "main.js"),
        "--quiet",
        `--port=${port}`,
        agent.map((word) => JSON.stringify(word)).join(" "),
      ],
      { stdio: ["ignore", "ignore", "inherit"] },
    );
    await untilListening(child, port);
    return {
      pid: child.pid,
      open: async () => ({
        viewers: (count, phases) => acpViewers({ transport: "ws", port, path: "/" }, count, phases),
      }),
      [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
    };
  },
};
