import { createHash } from "node:crypto";
import { copyFile, mkdir, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { isWithin } from "@landline/shell";
import { findOnPath, trustedPath } from "@landline/system/find-command";
import { snapshotLimits } from "../limits.ts";
import { runProgram } from "../workspace/run-program.ts";

/** Maximum size of a shadow repository. A larger one is deleted and created again. */
const storedKibibytes = 512 * 1_024;

/**
 * A separate git repository for the worktree. Git is called so that the user's repository and settings are
 * not used.
 */
export interface ShadowGit {
  program: GitProgram;
  /** The root of the files in the snapshots. */
  worktree: string;
  /** The shadow repository's folder. */
  folder: string;
  /** An index to start from, so that not all files have to be read; null when there is none. */
  seed: string | null;
}

interface GitProgram {
  file: string;
  /** Its PATH, without the session's folders. */
  path: string;
}

/** Null when git is missing or the folder is not a project. `roots`: the folders of the session. */
export async function openShadowGit(
  cwd: string,
  roots: readonly string[],
  data: string,
): Promise<ShadowGit | null> {
  const file = findOnPath("git", process.env, roots);
  if (file === null) return null;
  const program = { file, path: trustedPath(process.env, roots) };
  const repository = await repositoryAt(program, cwd);
  if (repository === "no git") return null;
  const worktree = repository === null ? resolve(cwd) : resolve(cwd, repository.up);
  // A home folder or a whole disk is not a project.
  if (repository === null && isWithin(worktree, homedir())) return null;
  const name = createHash("sha256")
    .update(await realpath(worktree))
    .digest("hex")
    .slice(0, 32);
  const folder = join(data, "snapshots", name);
  const shadow: ShadowGit = { program, worktree, folder, seed: null };
  await discardWhenLarge(shadow);
  await initialise(shadow, repository);
  return { ...shadow, seed: await seedOf(shadow, repository) };
}

interface Repository {
  /** The relative path to the root of the worktree. */
  up: string;
  gitFolder: string;
  commonFolder: string;
  format: string;
}

async function repositoryAt(
  program: GitProgram,
  cwd: string,
): Promise<Repository | "no git" | null> {
  const args = ["rev-parse", "--show-cdup", "--absolute-git-dir", "--git-common-dir"];
  try {
    const output = await call(program, [...args, "--show-object-format"], { cwd });
    const [up = "", gitFolder = "", commonFolder = "", format = ""] = output
      .toString("utf8")
      .split("\n");
    return { up, gitFolder, commonFolder: resolve(cwd, commonFolder), format };
  } catch (error) {
    return error instanceof GitFailure ? null : "no git";
  }
}

async function discardWhenLarge(shadow: ShadowGit): Promise<void> {
  if ((await stat(shadow.folder).catch(() => null)) === null) return;
  const counted = await git(shadow, ["count-objects", "-v"]).catch(() => null);
  const sizes = counted?.toString("utf8").matchAll(/^size(?:-pack)?: (\d+)$/gm) ?? [];
  const kibibytes = [...sizes].reduce((sum, [, size]) => sum + Number(size), 0);
  if (counted !== null && kibibytes <= storedKibibytes) return;
  await rm(shadow.folder, { recursive: true, force: true });
}

async function initialise(shadow: ShadowGit, repository: Repository | null): Promise<void> {
  const { folder } = shadow;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const format = repository === null ? [] : [`--object-format=${repository.format}`];
  await git(shadow, ["init", "--quiet", "--template=", ...format]);
  await mkdir(join(folder, "info"), { recursive: true });
  await mkdir(join(folder, "objects", "info"), { recursive: true });
  // These take precedence over the worktree's attributes: bytes are stored unchanged and no filter runs.
  await writeFile(
    join(folder, "info", "attributes"),
    "* -text -eol -crlf -filter -ident -working-tree-encoding\n",
  );
  const excluded =
    repository === null
      ? ""
      : await readFile(join(repository.commonFolder, "info", "exclude"), "utf8").catch(() => "");
  await writeFile(join(folder, "info", "exclude"), excluded);
  if (repository !== null) {
    const objects = join(repository.commonFolder, "objects");
    await writeFile(join(folder, "objects", "info", "alternates"), `${objects}\n`);
  }
}

/** Our own last index, or the user's unless git converts content on checkin. */
async function seedOf(shadow: ShadowGit, repository: Repository | null): Promise<string | null> {
  const own = join(shadow.folder, "index");
  if ((await stat(own).catch(() => null)) !== null) return own;
  if (repository === null) return null;
  const { gitFolder, commonFolder } = repository;
  const { program, worktree: cwd } = shadow;
  const settingNames = "^core\\.(autocrlf|attributesfile)$";
  const converts = await call(program, ["config", "--get-regexp", settingNames], { cwd }).then(
    (output) => !/^\S+ false\s*$/.test(output.toString("utf8")),
    () => false,
  );
  const named = ["ls-files", "-z", "--", ".gitattributes", "**/.gitattributes"];
  const attributes = await call(program, named, { cwd }).catch(() => Buffer.from("unknown"));
  const alsoOwn = await stat(join(commonFolder, "info", "attributes")).catch(() => null);
  return converts || attributes.length > 0 || alsoOwn !== null ? null : join(gitFolder, "index");
}

/** False when there is no index; then all files are read. */
export async function copySeed(shadow: ShadowGit, index: string): Promise<boolean> {
  if (shadow.seed === null) return false;
  return copyFile(shadow.seed, index).then(
    () => true,
    () => false,
  );
}

export interface GitOptions {
  index?: string;
  input?: string;
  timeoutMs?: number;
}

const settings = [
  "core.autocrlf=false",
  "core.untrackedCache=false",
  "core.splitIndex=false",
  "core.sparseCheckout=false",
  "core.quotePath=false",
  "gc.auto=0",
].flatMap((setting) => ["-c", setting]);

/** Runs git in the shadow repository. Throws GitFailure. */
export function git(
  { program, folder, worktree }: ShadowGit,
  args: readonly string[],
  options: GitOptions = {},
): Promise<Buffer> {
  const places = [`--git-dir=${folder}`, `--work-tree=${worktree}`];
  return call(program, [...settings, ...places, ...args], { ...options, cwd: worktree });
}

export class GitFailure extends Error {
  override readonly name = "GitFailure";
}

/**
 * Git runs programs that are configured in the user's repository even for reads; these options prevent it.
 */
const codeless = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"];

async function call(
  { file, path }: GitProgram,
  args: readonly string[],
  options: GitOptions & { cwd: string },
): Promise<Buffer> {
  const { cwd, index, input, timeoutMs = snapshotLimits.trackMs } = options;
  const chunks: Buffer[] = [];
  const { exitCode, errors } = await runProgram(file, [...codeless, ...args], {
    cwd,
    env: { ...environment(index), PATH: path },
    timeoutMs,
    ...(input !== undefined && { input }),
    onOutput: (chunk) => void chunks.push(chunk),
  });
  if (exitCode === 0) return Buffer.concat(chunks);
  throw new GitFailure(errors.trim() || `git ended with ${exitCode}`);
}

/** GIT_ variables would select another repository: a session may run inside a hook. */
function environment(index: string | undefined): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_"));
  return {
    ...Object.fromEntries(kept),
    GIT_TERMINAL_PROMPT: "0",
    // Fetching missing objects of a partial clone would run a configured program.
    GIT_NO_LAZY_FETCH: "1",
    GIT_ALLOW_PROTOCOL: "none",
    LC_ALL: "C",
    ...(index !== undefined && { GIT_INDEX_FILE: index }),
  };
}
