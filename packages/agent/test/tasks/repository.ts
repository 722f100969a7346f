import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A small project under git, and an empty home. Both are removed at the end. */
export interface Repository extends AsyncDisposable {
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  read(file: string): Promise<string>;
  /** Null when there is no such file. */
  readIfThere(file: string): Promise<string | null>;
  write(file: string, text: string): Promise<void>;
  makeFolder(folder: string): Promise<void>;
  /** Runs Node in it; returns the exit code and the output. */
  node(...args: string[]): Promise<{ code: number; output: string }>;
  /** The files that git reports as changed, one per line. */
  changed(): Promise<string[]>;
}

export async function openRepository(files: Readonly<Record<string, string>>): Promise<Repository> {
  const base = await realpath(await mkdtemp(path.join(tmpdir(), "landline-task-")));
  const folder = path.join(base, "project");
  const home = path.join(base, "home");
  await mkdir(home);
  const environment = environmentIn(home);
  const git = (...args: string[]) => run("git", args, { cwd: folder, env: environment });
  const write = async (file: string, text: string) => {
    const place = path.join(folder, file);
    await mkdir(path.dirname(place), { recursive: true });
    await writeFile(place, text);
  };
  const read = (file: string) => readFile(path.join(folder, file), "utf8");
  await mkdir(folder);
  for (const [file, text] of Object.entries(files)) await write(file, text);
  await git("init", "--quiet", "--initial-branch=main");
  await git("add", "--all");
  await git("commit", "--quiet", "--message=Begin");
  return {
    folder,
    environment,
    read,
    readIfThere: (file) => read(file).catch(() => null),
    write,
    async makeFolder(name) {
      await mkdir(path.join(folder, name), { recursive: true });
    },
    node: (...args) => runNode(args, folder, environment),
    async changed() {
      const { stdout } = await git("status", "--porcelain", "--untracked-files=all");
      return stdout.split("\n").flatMap((line) => (line === "" ? [] : [line.slice(3)]));
    },
    [Symbol.asyncDispose]: () => rm(base, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** Without the machine's own settings; `node` is the one that runs the tests. */
function environmentIn(home: string): NodeJS.ProcessEnv {
  const { PATH = "", LANG, TMPDIR } = process.env;
  return {
    PATH: `${path.dirname(process.execPath)}${path.delimiter}${PATH}`,
    ...(LANG !== undefined && { LANG }),
    ...(TMPDIR !== undefined && { TMPDIR }),
    HOME: home,
    XDG_CONFIG_HOME: path.join(home, ".config"),
    XDG_DATA_HOME: path.join(home, ".local/share"),
    XDG_STATE_HOME: path.join(home, ".local/state"),
    XDG_CACHE_HOME: path.join(home, ".cache"),
    GIT_AUTHOR_NAME: "Tester",
    GIT_AUTHOR_EMAIL: "tester@example.com",
    GIT_COMMITTER_NAME: "Tester",
    GIT_COMMITTER_EMAIL: "tester@example.com",
  };
}

async function runNode(args: string[], cwd: string, env: NodeJS.ProcessEnv) {
  try {
    const { stdout, stderr } = await run(process.execPath, args, { cwd, env });
    return { code: 0, output: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, output: stdout + stderr };
  }
}
