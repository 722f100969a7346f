import { opendir, stat } from "node:fs/promises";
import { dirname, isAbsolute, join, resolve } from "node:path";
import type { Dirent } from "node:fs";
import { LandlineError, type Limits } from "@landline/protocol";

export interface FolderListing {
  /** Absolute. */
  readonly path: string;
  /** Null at the root. */
  readonly parent: string | null;
  readonly folders: readonly ListedFolder[];
  /** Whether some folders are omitted. */
  readonly isCut: boolean;
}

export interface ListedFolder {
  readonly name: string;
  readonly path: string;
}

type ListingLimits = Pick<Limits, "foldersListed" | "filesScanned" | "filesScanMs">;

/**
 * Lists the folders in a folder by name, hidden ones last, so that those are omitted first. Reads at most
 * `filesScanned` names within `filesScanMs` and reports when that was not all.
 */
export async function listFolders(path: string, limits: ListingLimits): Promise<FolderListing> {
  if (!isAbsolute(path)) throw notAbsolute();
  const folder = resolve(path);
  const names = new FolderNames(folder, limits);
  await Promise.race([names.read(), names.timeIsUp]).catch((error: NodeJS.ErrnoException) => {
    throw unreadable(folder, error);
  });
  const sorted = names.found.sort(byName);
  const shown = sorted.slice(0, limits.foldersListed);
  const parent = dirname(folder);
  return {
    path: folder,
    parent: parent === folder ? null : parent,
    folders: shown.map((name) => ({ name, path: join(folder, name) })),
    isCut: !names.isWhole || shown.length < sorted.length,
  };
}

/** Returns what was found within the time, so that a hanging file system does not block the response. */
class FolderNames {
  readonly #folder: string;
  readonly #limits: ListingLimits;
  readonly #deadline: number;
  #timer: NodeJS.Timeout | undefined;
  readonly timeIsUp: Promise<void>;
  readonly found: string[] = [];
  isWhole = false;

  constructor(folder: string, limits: ListingLimits) {
    this.#folder = folder;
    this.#limits = limits;
    this.#deadline = performance.now() + limits.filesScanMs;
    this.timeIsUp = new Promise((done) => {
      this.#timer = setTimeout(done, limits.filesScanMs);
    });
  }

  async read(): Promise<void> {
    try {
      let looked = 0;
      for await (const entry of await opendir(this.#folder, { bufferSize: 256 })) {
        looked += 1;
        if (looked > this.#limits.filesScanned || performance.now() > this.#deadline) return;
        if (await isFolder(this.#folder, entry)) this.found.push(entry.name);
      }
      this.isWhole = true;
    } finally {
      clearTimeout(this.#timer);
    }
  }
}

/** A link to a folder counts as a folder. */
async function isFolder(parent: string, entry: Dirent): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  return stat(join(parent, entry.name)).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

const isHidden = (name: string): boolean => name.startsWith(".");

function byName(one: string, other: string): number {
  if (isHidden(one) !== isHidden(other)) return isHidden(one) ? 1 : -1;
  const [left, right] = [one.toLowerCase(), other.toLowerCase()];
  if (left !== right) return left < right ? -1 : 1;
  return one < other ? -1 : 1;
}

function notAbsolute(): LandlineError {
  return new LandlineError("invalid-params", {
    message: "path must be an absolute path.",
    data: { field: "path" },
  });
}

function unreadable(path: string, cause: NodeJS.ErrnoException): LandlineError {
  const { code = "unknown error" } = cause;
  const data = { path };
  if (code === "ENOENT")
    return new LandlineError("file-not-found", { message: `There is no folder ${path}.`, data });
  if (code === "EACCES" || code === "EPERM")
    return new LandlineError("permission-denied", {
      message: `Landline is not allowed to read ${path}.`,
      help: "Choose another folder, or change its permissions.",
      data,
      cause,
    });
  return new LandlineError("invalid-params", {
    message: `${path} ${code === "ENOTDIR" ? "is not a folder" : `can't be read (${code})`}.`,
    help: "Choose another folder.",
    data: { ...data, field: "path" },
    cause,
  });
}
