import type { ContentBlock } from "@agentclientprotocol/sdk";
import type { Block } from "@landline/protocol";
import type { SessionLog } from "../log/log.ts";

/** Replaces the blob references in JSON from a log with their texts. */
export async function withLongTexts(json: string, log: Pick<SessionLog, "blob">): Promise<string> {
  let whole = json;
  for (const [reference, hash = ""] of json.matchAll(
    /\{"\$blob":"([0-9a-f]{64})","bytes":\d+\}/g,
  )) {
    const text = await log.blob(hash);
    if (text) whole = whole.replace(reference, () => JSON.stringify(text.toString("utf8")));
  }
  return whole;
}

/** Returns the content of a prompt in a view with its blobs. */
export async function wholeContent(
  content: readonly Block[],
  log: Pick<SessionLog, "blob">,
): Promise<readonly ContentBlock[]> {
  const asInLog = content.map(({ blob, ...block }) => (blob ? { ...block, text: blob } : block));
  return JSON.parse(await withLongTexts(JSON.stringify(asInLog), log)) as ContentBlock[];
}
