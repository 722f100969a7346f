import { PassThrough, type Duplex } from "node:stream";
import { finishedWithin } from "@landline/system/finished-within";
import { AcpBridge, type BridgeParts } from "./bridge.ts";
import type { AcpSocket } from "./gateway-socket.ts";

const FLUSH_MS = 1_000;

/**
 * Serves an ACP client over TCP as one on stdio. Rejects if it can't connect to the gateway at first. Resolves when the
 * client has ended the connection, or the gateway refuses to continue it.
 */
export async function bridgeClient(
  client: Duplex,
  { connect, ...parts }: Pick<BridgeParts, "connect" | "note" | "attached">,
): Promise<void> {
  let first: AcpSocket | null = await connect(true);
  const input = new PassThrough();
  client.pipe(input);
  // Also after a connection that was cut off, which does not end the input.
  client.once("close", () => input.end());
  const bridge = new AcpBridge({
    ...parts,
    input,
    output: client,
    connect: (isNeeded) => {
      const opened = first;
      first = null;
      return opened ? Promise.resolve(opened) : connect(isNeeded);
    },
    signal: new AbortController().signal,
    isTerminal: false,
    endsOnFailure: true,
  });
  await bridge.run().catch(() => {});
  await finishedWithin(new Promise<void>((resolve) => client.end(resolve)), FLUSH_MS);
}
