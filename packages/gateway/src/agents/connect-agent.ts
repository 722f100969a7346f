import type { Readable, Writable } from "node:stream";
import {
  AgentConnection,
  type ConnectionHandlers,
  type ConnectionOptions,
} from "../acp-connection/connection.ts";
import { AgentTranslator } from "../acp-v2/agent-translator.ts";
import { TranslatedStream } from "../acp-v2/translated-stream.ts";
import type { StartOptions } from "./agent.ts";

interface Connecting extends Pick<StartOptions, "entry" | "limits"> {
  readonly handlers: ConnectionHandlers;
  readonly connecting: ConnectionOptions;
}

/** Connects to an agent over its streams, in the version of ACP that its entry names. */
export function connectAgent(
  input: Readable,
  output: Writable,
  options: Connecting,
): AgentConnection {
  const { entry, limits, handlers, connecting } = options;
  if (entry.acpVersion !== 2) return new AgentConnection(input, output, handlers, connecting);
  const stream = new TranslatedStream(
    { input, output },
    limits.lineBytes,
    (ends) => new AgentTranslator(ends),
  );
  return new AgentConnection(stream, stream, handlers, connecting);
}
