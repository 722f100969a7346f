import { createApp } from "./acp/app.ts";
import { messageStream, type MessageStreamOptions } from "./acp/message-stream.ts";
import { createHost, type AgentOptions } from "./agent.ts";
import { terminationSignal } from "@landline/system/termination-signal";
import { connectionLimits } from "./limits.ts";
import { finishedWithin } from "@landline/system/finished-within";

const HINT = `This is an agent that speaks ACP: editors and other clients start it. Ctrl-D ends it.
\`landline run "…"\` talks to it from here, and \`landline agent --help\` says what else there is.
`;

/**
 * Speaks ACP over stdio until a stream ends or a signal arrives. Then everything that was started is ended.
 * The exit code is 0, because a client that leaves is not a failure.
 */
export async function serveStdio(
  options: AgentOptions,
  messages: MessageStreamOptions,
): Promise<number> {
  if (process.stdin.isTTY) process.stderr.write(HINT);
  const stopSignal = terminationSignal();
  const host = createHost(options);
  const stream = messageStream(process.stdin, process.stdout, messages);
  const connection = createApp(host).connect(stream);
  const outputClosed = new Promise<void>((resolve) => process.stdout.on("error", () => resolve()));
  await Promise.race([connection.closed, stopSignal, outputClosed]);
  await finishedWithin(host.close(), connectionLimits.closeMs);
  return 0;
}
