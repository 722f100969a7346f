import { once } from "node:events";

/** Resolves when there is room for more, so that a reader that is slow makes the writer wait. */
export async function writeStderr(text: string): Promise<void> {
  if (!process.stderr.write(text)) await once(process.stderr, "drain");
}
