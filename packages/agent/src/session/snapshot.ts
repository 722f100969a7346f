import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { access, lstat, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { realPath } from "@landline/shell";
import { hasErrorCode } from "@landline/system/error-code";
import { snapshotLimits } from "../limits.ts";
import { readBlobs } from "./git-blobs.ts";
import { copySeed, git, openShadowGit, type ShadowGit } from "./shadow-git.ts";

/** Maximum new or changed files of one snapshot. With more, snapshots stop. */
const filesMax = 20_000;
/** Maximum changed files that are kept for undo. The rest is reported and omitted. */
const changedFilesMax = 500;

export interface FileDifference {
  /** Absolute. */
  path: string;
  /** The path with links resolved, if the worktree is named by a link. */
  real?: string;
  before: string | null;
  after: string | null;
}

export interface Differences {
  files: FileDifference[];
  /** Changed paths that cannot be undone: binary, too large, or too many. */
  left: string[];
}

/**
 * Records what commands change: snapshots of the worktree before and after, in a separate git repository.
 * Ignored and large files are not included. After a failure or timeout there are no more snapshots, but the
 * turn never fails.
 */
export interface Snapshots extends AsyncDisposable {
  /** The id of a new snapshot; null when none can be made. */
  track(): Promise<string | null>;
  changes(before: string, after: string): Promise<Differences>;
}

/** Null without git or without a project. */
export async function openSnapshots(options: {
  cwd: string;
  /** Further folders of the session. */
  directories?: readonly string[];
  data: string;
}): Promise<Snapshots | null> {
  const { cwd, directories = [], data } = options;
  try {
    const shadow = await openShadowGit(cwd, [cwd, ...directories], data);
    return shadow === null ? null : new GitSnapshots(shadow);
  } catch {
    return null;
  }
}

class GitSnapshots implements Snapshots {
  readonly #shadow: ShadowGit;
  /** A separate index, because another process may use the same repository. */
  readonly #index: string;
  #hasFailed = false;
  #last: Promise<unknown> = Promise.resolve();
  #isSeeded = false;

  constructor(shadow: ShadowGit) {
    this.#shadow = shadow;
    this.#index = join(shadow.folder, `index.${randomUUID()}`);
  }

  track(): Promise<string | null> {
    return this.#inTurn(async () => {
      const deadline = performance.now() + snapshotLimits.trackMs;
      if (!this.#isSeeded && (await copySeed(this.#shadow, this.#index))) {
        this.#isSeeded = true;
        const tree = await this.#takeSnapshot(deadline).catch(() => null);
        if (tree !== null) return tree;
        // The seed index refers to objects that no longer exist.
        await rm(this.#index, { force: true });
        await rm(`${this.#index}.lock`, { force: true });
      }
      this.#isSeeded = true;
      return this.#takeSnapshot(deadline);
    }, null);
  }

  changes(before: string, after: string): Promise<Differences> {
    const nothing: Differences = { files: [], left: [] };
    if (before === after) return Promise.resolve(nothing);
    return this.#inTurn(() => this.#compare(before, after), nothing);
  }

  /** The index seeds the next session. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#last;
    if (!this.#hasFailed) {
      await rename(this.#index, join(this.#shadow.folder, "index")).catch(() => undefined);
    }
    await rm(this.#index, { force: true });
    await rm(`${this.#index}.lock`, { force: true });
  }

  #inTurn<Value>(work: () => Promise<Value>, otherwise: Value): Promise<Value> {
    const result = this.#last.then(async () => {
      if (this.#hasFailed) return otherwise;
      try {
        return await work();
      } catch {
        this.#hasFailed = true;
        return otherwise;
      }
    });
    this.#last = result;
    return result;
  }

  async #takeSnapshot(deadline: number): Promise<string> {
    const run = (args: readonly string[], input?: string) =>
      git(this.#shadow, args, {
        index: this.#index,
        timeoutMs: Math.max(1, deadline - performance.now()),
        ...(input !== undefined && { input }),
      });
    const listed = await run(["ls-files", "-z", "--modified", "--others", "--exclude-standard"]);
    const paths = [...new Set(pieces(listed))];
    if (paths.length > filesMax) {
      throw new Error(
        `There are ${paths.length} files that git does not ignore; undo supports at most ${filesMax}. Add large folders to .gitignore.`,
      );
    }
    const kept: string[] = [];
    for (const path of paths) if (await this.#canBeKept(path)) kept.push(`${path}\0`);
    if (kept.length > 0) {
      const how = ["update-index", "-z", "--add", "--remove", "--replace", "--stdin"];
      await run(how, kept.join(""));
    }
    return (await run(["write-tree"])).toString("utf8").trim();
  }

  /** A missing file is recorded as deleted. */
  async #canBeKept(path: string): Promise<boolean> {
    // Nested repositories are listed as folders.
    if (path.endsWith("/")) return false;
    const absolute = join(this.#shadow.worktree, path);
    try {
      const facts = await lstat(absolute);
      if (facts.isSymbolicLink()) return true;
      if (!facts.isFile() || facts.size > snapshotLimits.fileBytes) return false;
      await access(absolute, constants.R_OK);
      return true;
    } catch (error) {
      return hasErrorCode(error, "ENOENT", "ENOTDIR");
    }
  }

  async #compare(before: string, after: string): Promise<Differences> {
    const raw = await git(this.#shadow, ["diff-tree", "-r", "-z", "--no-renames", before, after]);
    const changed = parseDifferences(pieces(raw));
    const hashes = changed.flatMap((change) => [change.before, change.after]);
    const texts = await readBlobs(this.#shadow, new Set(hashes.filter((hash) => hash !== null)));
    const files: FileDifference[] = [];
    const left: string[] = [];
    const worktree = await realPath(this.#shadow.worktree);
    const isLinked = worktree !== this.#shadow.worktree;
    for (const change of changed) {
      const path = join(this.#shadow.worktree, change.path);
      const [old, current] = [change.before, change.after].map((hash) =>
        hash === null ? null : texts.get(hash),
      );
      if (!change.isPlain || old === undefined || current === undefined) left.push(path);
      else if (files.length >= changedFilesMax) left.push(path);
      else if (old !== current) {
        const place = isLinked ? { path, real: join(worktree, change.path) } : { path };
        files.push({ ...place, before: old, after: current });
      }
    }
    return { files, left };
  }
}

function pieces(output: Buffer): string[] {
  return output.toString("utf8").split("\0").slice(0, -1);
}

interface Change {
  path: string;
  /** Blob hashes; null when there is no file. */
  before: string | null;
  after: string | null;
  /** Regular files only: no link and no submodule. */
  isPlain: boolean;
}

/** Parses `:mode mode hash hash status` entries, each followed by its path. */
function parseDifferences(parts: readonly string[]): Change[] {
  const changes: Change[] = [];
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const [oldMode = "", newMode = "", oldHash = "", newHash = ""] = (parts[index] ?? "")
      .slice(1)
      .split(" ");
    changes.push({
      path: parts[index + 1] ?? "",
      before: isNothing(oldHash) ? null : oldHash,
      after: isNothing(newHash) ? null : newHash,
      isPlain: [oldMode, newMode].every((mode) => mode.startsWith("100") || isNothing(mode)),
    });
  }
  return changes;
}

function isNothing(text: string): boolean {
  return /^0+$/.test(text);
}
