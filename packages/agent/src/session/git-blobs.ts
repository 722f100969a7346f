import { snapshotLimits } from "../limits.ts";
import { splitByteOrderMark } from "../workspace/file-text.ts";
import { git, type ShadowGit } from "./shadow-git.ts";

/** Maximum text per turn that is kept for undo. The rest is omitted. */
const changedBytesMax = 8 * 1_024 * 1_024;

/** Texts by blob hash, up to the limit. Binary blobs are omitted. */
export async function readBlobs(
  shadow: ShadowGit,
  hashes: ReadonlySet<string>,
): Promise<Map<string, string>> {
  const chosen = await chooseBlobs(shadow, hashes);
  if (chosen.length === 0) return new Map();
  const output = await git(shadow, ["cat-file", "--batch"], { input: lines(chosen) });
  const texts = new Map<string, string>();
  let at = 0;
  // `hash blob size`, a line feed, the bytes, a line feed.
  for (const hash of chosen) {
    const headEnd = output.indexOf("\n", at);
    const size = Number(output.toString("utf8", at, headEnd).split(" ")[2]);
    const bytes = output.subarray(headEnd + 1, headEnd + 1 + size);
    at = headEnd + 1 + size + 1;
    const text = textOf(bytes);
    if (text !== null) texts.set(hash, text);
  }
  return texts;
}

/** Checks sizes first, because deleted files may have been huge. */
async function chooseBlobs(shadow: ShadowGit, hashes: ReadonlySet<string>): Promise<string[]> {
  if (hashes.size === 0) return [];
  const output = await git(shadow, ["cat-file", "--batch-check"], { input: lines([...hashes]) });
  const chosen: string[] = [];
  let total = 0;
  for (const line of output.toString("utf8").split("\n")) {
    const [hash = "", type, sizeText] = line.split(" ");
    const size = Number(sizeText);
    if (type !== "blob" || size > snapshotLimits.fileBytes) continue;
    if (total + size > changedBytesMax) continue;
    total += size;
    chosen.push(hash);
  }
  return chosen;
}

function lines(hashes: readonly string[]): string {
  return hashes.map((hash) => `${hash}\n`).join("");
}

/** Removes the byte-order mark, as the workspace does. Null for binary files. */
function textOf(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return splitByteOrderMark(
      new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes),
    ).text;
  } catch {
    return null;
  }
}
