import { createApp } from "./acp/app.ts";
import { lineStream } from "./acp/message-stream.ts";
import { createHost, type AgentOptions } from "./agent.ts";
import { terminationSignal } from "@landline/system/termination-signal";
import { connectionLimits } from "./limits.ts";
import { finishedWithin } from "@landline/system/finished-within";

const HINT = `This is an agent that speaks ACP: editors and other clients start it. Ctrl-D ends it.
\`landline run "…"\` talks to it from here, and \`landline agent --help\` says what else there is.
`;

/**
 * Speaks ACP over standard input and output until either ends, or a signal says so. Then everything that
 * was started is ended too, and the exit code is 0: a client that leaves is no failure.
 */
export async function serveStdio(options: AgentOptions): Promise<number> {
  if (process.stdin.isTTY) process.stderr.write(HINT);
  const told = terminationSignal();
  const host = createHost(options);
  const connection = createApp(host).connect(lineStream(process.stdin, process.stdout));
  const unheard = new Promise<void>((resolve) => process.stdout.on("error", () => resolve()));
  await Promise.race([connection.closed, told, unheard]);
  await finishedWithin(host.close(), connectionLimits.closeMs);
  return 0;
}
