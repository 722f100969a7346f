import { once } from "node:events";

/** Resolves when the stream accepts more, so that a slow reader makes the writer wait. */
export async function writeStderr(text: string): Promise<void> {
  if (!process.stderr.write(text)) await once(process.stderr, "drain");
}
