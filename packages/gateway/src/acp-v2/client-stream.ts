import type { Duplex } from "node:stream";
import type { Limits } from "@landline/protocol";
import { ClientTranslator } from "./client-translator.ts";
import { TranslatedStream } from "./translated-stream.ts";

/** The stream of a client that may choose version 2. */
export function withVersion2(stream: Duplex, { lineBytes }: Pick<Limits, "lineBytes">): Duplex {
  const peer = { input: stream, output: stream };
  return new TranslatedStream(peer, lineBytes, (ends) => new ClientTranslator(ends));
}
