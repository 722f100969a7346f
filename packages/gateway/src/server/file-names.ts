import { opendir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import type { Limits } from "@landline/protocol";

export interface FoundFiles {
  readonly files: readonly FoundFile[];
  /** Whether the scan or the list was cut off. */
  readonly isCut: boolean;
}

export interface FoundFile {
  /** Absolute. */
  readonly path: string;
  /** Relative to its root, with `/`. */
  readonly name: string;
  readonly root: string;
  readonly kind: "file" | "folder";
}

interface Search {
  readonly most: number;
  readonly limits: Limits;
  readonly signal: AbortSignal;
}

/** Folders that are not searched. */
const skipped: ReadonlySet<string> = new Set(["node_modules", ".git", ".hg", ".svn", ".jj"]);

/**
 * Finds names below the folders that contain all letters of the text in order, best first. Searches near folders first
 * and does not follow links; stops at `filesScanned` and `filesScanMs`.
 */
export async function findFiles(
  folders: readonly string[],
  text: string,
  { most, limits, signal }: Search,
): Promise<FoundFiles> {
  const deadline = performance.now() + limits.filesScanMs;
  const found = new Best(most);
  const queue = folders.map((root) => ({ root, folder: root }));
  const seen = new Set(folders);
  const wanted = text.toLowerCase();
  let scanned = 0;
  let isCut = false;
  for (const { root, folder } of queue) {
    for await (const entry of entriesOf(folder)) {
      const isOver = performance.now() > deadline || signal.aborted;
      if (++scanned > limits.filesScanned || isOver) {
        isCut = true;
        break;
      }
      if (skipped.has(entry.name)) continue;
      const path = join(folder, entry.name);
      const isFolder = entry.isDirectory();
      if (isFolder && !seen.has(path)) {
        seen.add(path);
        queue.push({ root, folder: path });
      }
      const name = relative(root, path).split(sep).join("/");
      const score = scoreOf(name.toLowerCase(), wanted);
      if (score === null) continue;
      found.add({ file: { path, name, root, kind: isFolder ? "folder" : "file" }, score });
    }
    if (isCut) break;
  }
  return { files: found.best(), isCut: isCut || found.isCut };
}

interface Scored {
  readonly file: FoundFile;
  readonly score: number;
}

/** Keeps the best matches, and some more to avoid sorting for each one. */
class Best {
  readonly #most: number;
  #found: Scored[] = [];
  isCut = false;

  constructor(most: number) {
    this.#most = most;
  }

  add(scored: Scored): void {
    this.#found.push(scored);
    if (this.#found.length > this.#most * 4) this.#cut();
  }

  best(): readonly FoundFile[] {
    this.#cut();
    return this.#found.map(({ file }) => file);
  }

  #cut(): void {
    this.#found.sort((one, other) => one.score - other.score || byName(one.file, other.file));
    this.isCut ||= this.#found.length > this.#most;
    this.#found = this.#found.slice(0, this.#most);
  }
}

function byName(one: FoundFile, other: FoundFile): number {
  if (one.name === other.name) return 0;
  return one.name < other.name ? -1 : 1;
}

/** An unreadable folder counts as empty. */
async function* entriesOf(folder: string) {
  try {
    for await (const entry of await opendir(folder, { bufferSize: 256 })) yield entry;
  } catch {
    return;
  }
}

/** Smaller is better; null when the letters do not occur. */
function scoreOf(name: string, wanted: string): number | null {
  if (wanted === "") return name.length;
  const base = name.slice(name.lastIndexOf("/") + 1);
  if (base.startsWith(wanted)) return name.length;
  if (base.includes(wanted)) return 10_000 + name.length;
  if (name.includes(wanted)) return 20_000 + name.length;
  let at = -1;
  for (const letter of wanted) {
    at = name.indexOf(letter, at + 1);
    if (at < 0) return null;
  }
  return 30_000 + name.length;
}
